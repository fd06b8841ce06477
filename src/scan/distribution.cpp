// SPDX-License-Identifier: BSD-3-Clause
// Assignment of points by messages. Orders to groups are a few bytes, which MPI buffers, so that rank 0 never waits for
// a computing group.
#include "scan/distribution.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>
#include <span>
#include <thread>

#include "comm/tags.hpp"
#include "strata/error.hpp"
#include "strata/timer.hpp"

namespace strata::scan {
namespace {

/// Seconds between two polls for messages, while a point is computed and in drain().
constexpr double look_period = 50e-6;
constexpr double idle_pause = 200e-6;

/// Orders: the numbers of points, or one of these values.
constexpr std::uint64_t order_end = ~std::uint64_t{0}, order_stop = order_end - 1;

using Order = std::vector<std::uint64_t>;

std::vector<std::byte> bytes_of(const Order& order) {
    const std::span<const std::byte> bytes = std::as_bytes(std::span(order));
    return {bytes.begin(), bytes.end()};
}

Order order_of(const Message& message) {
    Order order(message.bytes.size() / sizeof(std::uint64_t));
    if (order.empty() || message.bytes.size() != order.size() * sizeof order[0])
        throw Error(ExitCode::internal, "An order of a scan has a wrong length.");
    std::memcpy(order.data(), message.bytes.data(), message.bytes.size());
    return order;
}

}  // namespace

Coordinator::Coordinator(const Communicator& world, Groups groups, std::deque<std::uint64_t> queue, Kinds kinds,
                         Successor successor, std::function<void(PointOutcome)> take)
    : groups_(groups),
      queue_(std::move(queue)),
      kinds_(std::move(kinds)),
      successor_(std::move(successor)),
      take_(std::move(take)),
      reports_(world, tag::scan_report),
      orders_(world, tag::scan_order),
      computing_(static_cast<std::size_t>(groups.count), 0) {}

std::vector<std::uint64_t> Coordinator::exchange(std::vector<PointOutcome> before) {
    std::optional<std::uint64_t> successor;
    for (PointOutcome& outcome : before) {
        const bool stopped = outcome.record.state == PointState::open;
        successor = successor_(outcome.point);
        take_(std::move(outcome));
        if (stopped) stop();
    }
    if (stopping_) return {};
    if (successor) return {*successor};
    return first_of_queue();
}

std::vector<std::uint64_t> Coordinator::first_of_queue() {
    if (queue_.empty()) return {};
    const std::uint32_t kind = kinds_.of(queue_.front());
    const auto groups = static_cast<std::size_t>(groups_.count);
    const std::size_t most = std::min(kinds_.most[kind], (queue_.size() + groups - 1) / groups);
    std::vector<std::uint64_t> points;
    do {
        points.push_back(queue_.front());
        queue_.pop_front();
    } while (points.size() < most && !queue_.empty() && kinds_.of(queue_.front()) == kind);
    return points;
}

std::vector<std::uint64_t> Coordinator::next(std::vector<PointOutcome> before) {
    std::vector<std::uint64_t> points = exchange(std::move(before));
    attend();
    if (stopping_) points.clear();
    computing_[0] = points.size();
    return points;
}

bool Coordinator::stop_requested() {
    const double now = monotonic_seconds();
    if (now < next_look_) return stopping_;
    attend();
    next_look_ = monotonic_seconds() + look_period;
    return stopping_;
}

void Coordinator::attend() {
    while (const std::optional<Message> message = reports_.look()) {
        const auto group = static_cast<std::size_t>(groups_.of(message->source));
        computing_[group] = 0;
        std::vector<std::uint64_t> points = exchange(unpack(message->bytes));
        computing_[group] = points.size();
        if (points.empty()) {
            ++ended_;
            points.push_back(order_end);
        }
        orders_.send(message->source, bytes_of(points));
    }
}

void Coordinator::stop() {
    if (stopping_) return;
    stopping_ = true;
    for (int group = 1; group < groups_.count; ++group)
        if (computing_[static_cast<std::size_t>(group)] != 0) orders_.send(groups_.root(group), bytes_of({order_stop}));
}

void Coordinator::drain(const std::function<void()>& idle) {
    while (ended_ < groups_.count) {
        attend();
        idle();
        std::this_thread::sleep_for(std::chrono::duration<double>(idle_pause));
    }
}

std::size_t Coordinator::under_way() const {
    return std::accumulate(computing_.begin(), computing_.end(), std::size_t{0});
}

RemoteSource::RemoteSource(const Communicator& world)
    : reports_(world, tag::scan_report), orders_(world, tag::scan_order) {}

std::vector<std::uint64_t> RemoteSource::next(std::vector<PointOutcome> before) {
    reports_.send(0, pack(before));
    for (;;) {
        Order order = order_of(orders_.wait());
        if (order.front() == order_stop) continue;  // the stop was sent before the report arrived; the end follows
        if (order.front() == order_end) return {};
        return order;
    }
}

bool RemoteSource::stop_requested() {
    const double now = monotonic_seconds();
    if (now < next_look_) return false;
    next_look_ = now + look_period;
    const std::optional<Message> message = orders_.look();
    return message && order_of(*message).front() == order_stop;
}

}  // namespace strata::scan
