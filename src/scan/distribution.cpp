// SPDX-License-Identifier: BSD-3-Clause
// Assignment of points by messages. Orders to groups are a few bytes, which MPI buffers, so that rank 0 never waits for
// a computing group.
#include "scan/distribution.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "comm/tags.hpp"
#include "strata/error.hpp"
#include "strata/timer.hpp"

namespace strata::scan {
namespace {

/// Seconds between two polls for messages, while a point is computed and in drain().
constexpr double look_period = 50e-6;
constexpr double idle_pause = 200e-6;

/// Orders: the number of a point, or one of these values.
constexpr std::uint64_t order_end = ~std::uint64_t{0}, order_stop = order_end - 1;

std::vector<std::byte> bytes_of(std::uint64_t order) {
    std::vector<std::byte> bytes(sizeof order);
    std::memcpy(bytes.data(), &order, sizeof order);
    return bytes;
}

std::uint64_t order_of(const Message& message) {
    std::uint64_t order = order_end;
    if (message.bytes.size() != sizeof order) throw Error(ExitCode::internal, "An order of a scan has a wrong length.");
    std::memcpy(&order, message.bytes.data(), sizeof order);
    return order;
}

}  // namespace

Coordinator::Coordinator(const Communicator& world, Groups groups, std::deque<std::uint64_t> queue, Successor successor,
                         std::function<void(PointOutcome)> take)
    : groups_(groups),
      queue_(std::move(queue)),
      successor_(std::move(successor)),
      take_(std::move(take)),
      reports_(world, tag::scan_report),
      orders_(world, tag::scan_order),
      computing_(static_cast<std::size_t>(groups.count), 0) {}

std::optional<std::uint64_t> Coordinator::exchange(std::optional<PointOutcome> before) {
    std::optional<std::uint64_t> point;
    if (before) {
        const bool stopped = before->record.state == PointState::open;
        const std::uint64_t done = before->point;
        take_(std::move(*before));
        if (stopped) stop();
        point = successor_(done);
    }
    if (stopping_) return {};
    if (point || queue_.empty()) return point;
    point = queue_.front();
    queue_.pop_front();
    return point;
}

std::optional<std::uint64_t> Coordinator::next(std::optional<PointOutcome> before) {
    const std::optional<std::uint64_t> point = exchange(std::move(before));
    attend();
    computing_[0] = point.has_value() && !stopping_;
    return stopping_ ? std::nullopt : point;
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
        std::optional<PointOutcome> before;
        if (!message->bytes.empty()) before = unpack(message->bytes);
        const std::optional<std::uint64_t> point = exchange(std::move(before));
        computing_[group] = point.has_value();
        if (!point) ++ended_;
        orders_.send(message->source, bytes_of(point.value_or(order_end)));
    }
}

void Coordinator::stop() {
    if (stopping_) return;
    stopping_ = true;
    for (int group = 1; group < groups_.count; ++group)
        if (computing_[static_cast<std::size_t>(group)] != 0) orders_.send(groups_.root(group), bytes_of(order_stop));
}

void Coordinator::drain(const std::function<void()>& idle) {
    while (ended_ < groups_.count) {
        attend();
        idle();
        std::this_thread::sleep_for(std::chrono::duration<double>(idle_pause));
    }
}

std::size_t Coordinator::under_way() const { return static_cast<std::size_t>(std::ranges::count(computing_, 1)); }

RemoteSource::RemoteSource(const Communicator& world)
    : reports_(world, tag::scan_report), orders_(world, tag::scan_order) {}

std::optional<std::uint64_t> RemoteSource::next(std::optional<PointOutcome> before) {
    reports_.send(0, before ? pack(*before) : std::vector<std::byte>{});
    for (;;) {
        const std::uint64_t order = order_of(orders_.wait());
        if (order == order_stop) continue;  // the stop was sent before the report arrived; the end follows
        if (order == order_end) return {};
        return order;
    }
}

bool RemoteSource::stop_requested() {
    const double now = monotonic_seconds();
    if (now < next_look_) return false;
    next_look_ = now + look_period;
    const std::optional<Message> message = orders_.look();
    return message && order_of(*message) == order_stop;
}

}  // namespace strata::scan
