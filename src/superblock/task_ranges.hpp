// SPDX-License-Identifier: BSD-3-Clause
// Distribution of numbered tasks over threads. Each thread begins with a contiguous range of about equal cost, so that
// it reads memory that it wrote first (first-touch placement); a thread that has finished takes tasks from the end of
// the longest remaining range.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "strata/partition.hpp"

namespace strata::superblock {

class TaskRanges {
  public:
    /// `costs`: cost of each task; there must be fewer than 2^32 tasks.
    TaskRanges(std::span<const std::uint64_t> costs, int threads)
        : boundaries_(weighted_parts(costs, static_cast<std::uint64_t>(threads))),
          left_(std::make_unique<std::atomic<std::uint64_t>[]>(static_cast<std::size_t>(threads))) {
        restart();
    }

    /// Marks all tasks as not done; called by one thread.
    void restart() {
        for (std::size_t t = 0; t + 1 < boundaries_.size(); ++t)
            left_[t].store(packed({boundaries_[t], boundaries_[t + 1]}), std::memory_order_relaxed);
    }

    /// Returns the next task of a thread in `task`, or false if no task remains.
    bool take(int thread, std::size_t& task) {
        if (take_from(static_cast<std::size_t>(thread), End::front, task)) return true;
        for (;;) {
            std::size_t longest = 0;
            std::uint64_t size = 0;
            for (std::size_t t = 0; t + 1 < boundaries_.size(); ++t) {
                const Range range = unpacked(left_[t].load(std::memory_order_relaxed));
                if (range.size() > size) size = range.size(), longest = t;
            }
            if (size == 0) return false;
            if (take_from(longest, End::back, task)) return true;
        }
    }

  private:
    enum class End { front, back };
    static std::uint64_t packed(const Range& r) { return r.first << 32 | r.last; }
    static Range unpacked(std::uint64_t word) { return {word >> 32, word & 0xffffffff}; }

    bool take_from(std::size_t range, End end, std::size_t& task) {
        std::uint64_t word = left_[range].load(std::memory_order_relaxed);
        for (;;) {
            Range r = unpacked(word);
            if (r.empty()) return false;
            task = end == End::front ? r.first++ : --r.last;
            if (left_[range].compare_exchange_weak(word, packed(r), std::memory_order_relaxed)) return true;
        }
    }

    std::vector<std::uint64_t> boundaries_;
    /// [thread] range of its remaining tasks, both ends in one word.
    std::unique_ptr<std::atomic<std::uint64_t>[]> left_;
};

}  // namespace strata::superblock
