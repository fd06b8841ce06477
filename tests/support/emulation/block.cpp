// SPDX-License-Identifier: BSD-3-Clause
// A block's threads are fibers of one host thread, which switch at barriers and warp operations.
#include "emulation/block.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace emulation {
namespace {

thread_local Block* current_block = nullptr;

/// Fibers of this system thread, kept from launch to launch.
struct FiberPool {
    std::vector<std::unique_ptr<Fiber>> all;
    std::vector<Fiber*> idle;
};
thread_local FiberPool pool;

std::string place_name(Place place) { return std::string(place.file) + ":" + std::to_string(place.line); }

}  // namespace

Block::Block(const Geometry& geometry, std::uint64_t seed)
    : geometry_(geometry),
      random_(seed),
      shuffled_(seed != 0),
      threads_(geometry.block.count()),
      order_(geometry.block.count()),
      gatherings_((geometry.block.count() + warp_lanes - 1) / warp_lanes) {
    const dim3& b = geometry_.block;
    for (unsigned rank = 0; rank < threads_.size(); ++rank) {
        threads_[rank].rank = rank;
        threads_[rank].index = {rank % b.x, rank / b.x % b.y, rank / (b.x * b.y)};
    }
}

Block::~Block() = default;

Block& Block::current() { return *current_block; }

std::string Block::run(dim3 block_index, const std::function<void()>& thread) {
    current_block = this;
    gridDim = geometry_.grid;
    blockDim = geometry_.block;
    block_index_ = block_index;
    body_ = &thread;
    for (Thread& t : threads_) t.status = Status::unstarted;
    std::iota(order_.begin(), order_.end(), 0u);
    if (shuffled_) std::shuffle(order_.begin(), order_.end(), random_);
    started_ = at_barrier_ = 0;
    unfinished_ = threads_.size();
    ready_.clear();
    for (std::vector<Gathering>& of_warp : gatherings_) of_warp.clear();
    shared_.clear();
    shared_bytes_ = 0;
    fault_.clear();
    while (unfinished_ != 0 && fault_.empty())
        if (!resume_something()) fault_ = standstill();
    if (!fault_.empty()) pool = FiberPool();  // they are in the middle of something
    current_block = nullptr;
    return fault_;
}

bool Block::resume_something() {
    const bool fresh = started_ < order_.size() && (ready_.empty() || (shuffled_ && random_() % 2 == 0));
    if (fresh) {
        if (pool.idle.empty()) {
            pool.all.push_back(std::make_unique<Fiber>([](void*) { current_block->run_unstarted(); }, nullptr));
            pool.idle.push_back(pool.all.back().get());
        }
        fiber_ = pool.idle.back();
        pool.idle.pop_back();
        running_ = nullptr;
        fiber_->resume();
        return true;
    }
    if (ready_.empty()) return false;
    const std::size_t pick = shuffled_ ? random_() % ready_.size() : ready_.size() - 1;
    std::swap(ready_[pick], ready_.back());
    running_ = &threads_[ready_.back()];
    ready_.pop_back();
    fiber_ = running_->fiber;
    fiber_->resume();
    return true;
}

/// The fiber that runs this may be suspended inside a thread and go on much later.
void Block::run_unstarted() {
    Fiber* const own = fiber_;
    do {
        Thread& thread = threads_[order_[started_++]];
        thread.fiber = own;
        running_ = &thread;
        (*body_)();
        thread.status = Status::finished;
        running_ = nullptr;
        --unfinished_;
        if (at_barrier_ != 0 && at_barrier_ == unfinished_) release_barrier();
    } while (!shuffled_ && started_ < order_.size() && fault_.empty());
    pool.idle.push_back(own);
}

void Block::give_way() {
    if (!shuffled_ || random_() % 4 != 0) return;
    ready_.push_back(running_->rank);
    running_->fiber->suspend();
}

void Block::fault(const std::string& sentence) {
    fault_ = name(*running_) + ": " + sentence;
    running_->fiber->suspend();  // for good
}

void Block::barrier(Place place) {
    running_->status = Status::at_barrier;
    running_->place = place;
    if (++at_barrier_ == unfinished_) release_barrier();
    running_->fiber->suspend();
}

void Block::release_barrier() {
    const Thread* first = nullptr;
    for (Thread& thread : threads_) {
        if (thread.status != Status::at_barrier) continue;
        if (first == nullptr) first = &thread;
        if (thread.place.line != first->place.line || std::strcmp(thread.place.file, first->place.file) != 0) {
            fault_ = name(thread) + ": divergent __syncthreads, at " + place_name(thread.place) + " while " +
                     name(*first) + " is at " + place_name(first->place);
            return;
        }
    }
    at_barrier_ = 0;
    for (Thread& thread : threads_)
        if (thread.status == Status::at_barrier) {
            thread.status = Status::ready;
            ready_.push_back(thread.rank);
        }
}

/// The lanes of a warp that wait for each other under one mask; `place` is where the first of them came.
Block::Gathering& Block::gathering(unsigned warp, const Offer& offer, Place place) {
    for (Gathering& g : gatherings_[warp]) {
        if ((g.mask & offer.mask) == 0) continue;
        if (g.mask != offer.mask || g.intrinsic != offer.intrinsic)
            fault("lanes of one mask are in different warp intrinsics, at " + place_name(place) + " and " +
                  place_name(g.place));
        return g;
    }
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
        const std::size_t rank = std::size_t{warp} * warp_lanes + lane;
        if ((offer.mask >> lane & 1) && (rank >= threads_.size() || threads_[rank].status == Status::finished))
            fault("the mask of a warp intrinsic names lane " + std::to_string(lane) +
                  ", which has returned or never was, at " + place_name(place));
    }
    gatherings_[warp].push_back({offer.mask, 0, offer.intrinsic, place});
    return gatherings_[warp].back();
}

std::uint64_t Block::exchange(const Offer& offer, Place place) {
    Thread& self = *running_;
    const unsigned warp = self.rank / warp_lanes, own_lane = self.rank % warp_lanes;
    if ((offer.mask >> own_lane & 1) == 0)
        fault("a lane outside its own mask calls a warp intrinsic at " + place_name(place));
    self.offer = offer;
    self.place = place;
    Gathering& g = gathering(warp, offer, place);
    g.arrived |= 1u << own_lane;
    if (g.arrived == g.mask) {
        std::swap(g, gatherings_[warp].back());
        gatherings_[warp].pop_back();
        release_warp(warp, offer.mask);
        return self.result;
    }
    self.status = Status::in_warp;
    self.fiber->suspend();
    return self.result;
}

void Block::release_warp(unsigned warp, std::uint32_t mask) {
    const unsigned first = warp * warp_lanes;
    std::uint32_t votes = 0;
    for (unsigned lane = 0; lane < warp_lanes; ++lane)
        if ((mask >> lane & 1) && threads_[first + lane].offer.value != 0) votes |= 1u << lane;
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
        if ((mask >> lane & 1) == 0) continue;
        threads_[first + lane].result = evaluate(first, lane, mask, votes);
        if (&threads_[first + lane] == running_) continue;
        threads_[first + lane].status = Status::ready;
        ready_.push_back(first + lane);
    }
}

std::uint64_t Block::evaluate(unsigned first, unsigned lane, std::uint32_t mask, std::uint32_t votes) const {
    const Offer& own = threads_[first + lane].offer;
    const unsigned segment = lane / own.width * own.width, end = segment + own.width;
    unsigned source = lane;
    switch (own.intrinsic) {
        case Intrinsic::sync: return 0;
        case Intrinsic::ballot: return votes;
        case Intrinsic::any: return votes != 0;
        case Intrinsic::all: return votes == mask;
        case Intrinsic::shuffle: source = segment + own.operand % own.width; break;
        case Intrinsic::shuffle_up: source = lane - segment >= own.operand ? lane - own.operand : lane; break;
        case Intrinsic::shuffle_down: source = lane + own.operand < end ? lane + own.operand : lane; break;
        case Intrinsic::shuffle_xor: source = (lane ^ own.operand) < end ? lane ^ own.operand : lane; break;
    }
    // reading a lane outside the mask is undefined: poison makes it seen
    return mask >> source & 1 ? threads_[first + source].offer.value : ~std::uint64_t{0};
}

SharedMemory& Block::shared(const void* key, std::size_t bytes, bool real) {
    SharedMemory& memory = shared_[key];
    if (memory.bytes == nullptr && bytes != 0) {
        if (real) shared_bytes_ += bytes;
        if (shared_bytes_ > geometry_.shared_limit)
            fault("the block has " + std::to_string(shared_bytes_) + " bytes of shared memory, more than " +
                  std::to_string(geometry_.shared_limit));
        memory.size = bytes;
        memory.bytes = std::make_unique<unsigned char[]>(bytes);
        std::fill_n(memory.bytes.get(), bytes, 0xFF);
        memory.set = std::make_unique<bool[]>(bytes);
    }
    return memory;
}

std::string Block::name(const Thread& thread) const {
    return "block " + std::to_string(block_index_.x) + "," + std::to_string(block_index_.y) + "," +
           std::to_string(block_index_.z) + " thread " + std::to_string(thread.rank);
}

std::string Block::standstill() const {
    std::size_t in_warp = 0;
    const Thread *at = nullptr, *waiting = nullptr;
    for (const Thread& thread : threads_) {
        if (thread.status == Status::at_barrier) at = &thread;
        if (thread.status != Status::in_warp) continue;
        waiting = &thread;
        ++in_warp;
    }
    std::string text = "block " + std::to_string(block_index_.x) + ": deadlock, " + std::to_string(at_barrier_) +
                       " threads wait in __syncthreads";
    if (at != nullptr) text += " at " + place_name(at->place);
    text += " and " + std::to_string(in_warp) + " in warp intrinsics";
    if (waiting != nullptr) text += " at " + place_name(waiting->place);
    return text;
}

}  // namespace emulation
