// SPDX-License-Identifier: BSD-3-Clause
// Launches, copies and messages. The host waits for the queue before it overwrites a table, because a copy of it may
// still be queued.
#include "superblock/device_operator.hpp"

#include <algorithm>

#include "comm/tags.hpp"
#include "kernels/kronecker/device_tiles.hpp"
#include "strata/parallel.hpp"

namespace strata::superblock {
namespace {

template <class T>
Buffer<T, Cuda> copied(const Queue<Cuda>& queue, const std::vector<T>& table) {
    Buffer<T, Cuda> copy(table.size());
    copy_to_device(queue, copy.view(), std::span<const T>(table));
    queue.wait();
    return copy;
}

/// Packs some rows of the operators of one side of a block as [column][k][row]; for a transposed block the operators of
/// the term, which read(k, part, elements) reads, are transposed.
template <class Real, class Read>
void pack_operators(const DeviceBlock& block, const Range& rows, std::uint64_t columns, Real* to, int threads,
                    Read read) {
    const std::uint64_t operators = block.shape.operators;
    const bool listed = block.orientation == Orientation::as_listed;
    const Rectangle part = listed ? Rectangle{rows, {0, columns}} : Rectangle{{0, columns}, rows};
    const std::uint64_t row_step = listed ? 1 : columns, column_step = listed ? rows.size() : 1;
    const auto pack = [&](std::uint64_t k) {
        std::vector<double> from(part.size());
        read(k, part, from.data());
        for (std::uint64_t c = 0; c < columns; ++c)
            for (std::uint64_t a = 0; a < rows.size(); ++a)
                to[(c * operators + k) * rows.size() + a] = static_cast<Real>(from[a * row_step + c * column_step]);
    };
    for_each_parallel({0, operators}, pack, threads);
}

}  // namespace

template <class Real>
DeviceOperator<Real>::DeviceOperator(const Communicator& comm, const MultiplyPlan& plan,
                                     const OperatorSource& operators, std::uint64_t seed, const DeviceBinding& device,
                                     Timers& timers)
    : TargetOperator(comm, plan, seed, timers),
      operators_(operators),
      device_name_(device.facts.name),
      route_(device.route),
      blocks_(kronecker::tiles_per_processor * static_cast<unsigned>(std::max(1, device.facts.processors))),
      device_plan_(plan.target(), plan.columns()),
      space_(comm, space_layout(), {&queue_}, {}, timers) {
    std::vector<Range> owned;
    for (int rank = 0; rank < plan.ranks(); ++rank) owned.push_back(plan.elements(rank));
    std::vector<PieceTransfer> receives;
    std::uint64_t to = 0;
    for (const Range& piece : device_plan_.gathered()) {
        for (const PieceTransfer& part : transfers_of(owned, piece, to)) append_transfer(receives, part);
        to += piece.size();
    }
    messages_ = messages_of(comm, receives, plan.elements().first);
}

template <class Real>
std::string DeviceOperator<Real>::name() const {
    return "cuda " + device_name_ + (sizeof(Real) == sizeof(float) ? " single" : "");
}

template <class Real>
MemoryPrediction DeviceOperator<Real>::memory(std::uint64_t vectors) const {
    return device_memory<Real>(plan_, comm_.rank(), vectors);
}

template <class Real>
std::string DeviceOperator<Real>::exchange_description() const {
    if (comm_.size() == 1) return {};
    std::uint64_t received = 0;
    for (const ItemMessages::Message& m : messages_.receives)
        if (m.peer != comm_.rank()) received += sizeof(Real) * m.count;
    return "this rank receives " + human_bytes(received) + " of other ranks' patches per product, " +
           (route_ == DeviceRoute::direct ? "from device to device" : "staged through host memory");
}

template <class Real>
void DeviceOperator<Real>::allocate() {
    space_.allocate();
    products_ = copied(queue_, device_plan_.products());
    own_tiles_ = copied(queue_, device_plan_.own_tiles());
    gathered_tiles_ = copied(queue_, device_plan_.gathered_tiles());
    result_tiles_ = copied(queue_, device_plan_.result_tiles());
    gathered_ = Buffer<Real, Cuda>(device_plan_.gathered_reals());
    scratch_ = Buffer<Real, Cuda>(device_plan_.scratch_reals());
    for (DistributedVector* x : {&v_, &w_}) {
        *x = space_.vector();
        if (comm_.size() > 1) plan_messages(*x);
    }
    pack();
}

template <class Real>
void DeviceOperator<Real>::plan_messages(const DistributedVector& x) {
    Planned planned = {elements(x), std::make_unique<Exchange<Cuda>>(comm_, queue_, route_)};
    messages_.plan(*planned.exchange, tag::patches, elements(x), gathered_.data(), sizeof(Real));
    planned_.push_back(std::move(planned));
}

/// Packs the operators block by block in host memory and copies them to the device.
template <class Real>
void DeviceOperator<Real>::pack() {
    pool_ = Buffer<Real, Cuda>(device_plan_.pool_reals());
    std::uint64_t largest = 0;
    for (const DeviceBlock& b : device_plan_.blocks()) largest = std::max({largest, b.left_reals(), b.right_reals()});
    Buffer<Real> packed(largest);
    const auto copy = [&](std::uint64_t first, std::uint64_t size) {
        copy_to_device(queue_, pool_.view().part(first, size), std::span<const Real>(packed.data(), size));
        queue_.wait();
    };
    for (const DeviceBlock& b : device_plan_.blocks()) {
        if (b.has_left()) {
            pack_operators(b, b.own, b.shape.from.l, packed.data(), plan_.threads(),
                           [&](auto... k_part_elements) { operators_.left(b.term, k_part_elements...); });
            copy(b.left, b.left_reals());
        }
        if (b.has_right()) {
            pack_operators(b, {0, b.shape.to.r}, b.shape.from.r, packed.data(), plan_.threads(),
                           [&](auto... k_part_elements) { operators_.right(b.term, k_part_elements...); });
            copy(b.right, b.right_reals());
        }
    }
}

template <class Real>
void DeviceOperator<Real>::compute(const Buffer<Tile, Cuda>& tiles, TileMemory<Real> memory) const {
    const Real* of_source[] = {pool_.data(), elements(v_), gathered_.data(), scratch_.data()};
    std::ranges::copy(of_source, memory.sources);
    multiply_tiles(queue_, products_.data(), tiles.data(), tiles.size(), blocks_, memory);
}

/// w += C v. Waits for the queue and adds the times of its phases to the timers.
template <class Real>
void DeviceOperator<Real>::add_product() {
    const auto planned = std::ranges::find(planned_, elements(v_), &Planned::own);
    if (planned != planned_.end()) {
        const Timers::Scope scope = timers_.scope("exchange");
        planned->exchange->start();
    }
    TileMemory<Real> memory;
    memory.result = scratch_.data();
    event_timers_.begin(queue_, timers_);
    compute(own_tiles_, memory);
    event_timers_.close(queue_, "left operators");
    if (planned != planned_.end()) {
        const Timers::Scope scope = timers_.scope("exchange");
        planned->exchange->finish();
        event_timers_.close(queue_, "");
    }
    compute(gathered_tiles_, memory);
    event_timers_.close(queue_, "left operators");
    memory.result = elements(w_);
    memory.add = true;
    compute(result_tiles_, memory);
    event_timers_.close(queue_, "right operators");
    event_timers_.collect_all(timers_);
}

template class DeviceOperator<double>;
template class DeviceOperator<float>;

}  // namespace strata::superblock
