// SPDX-License-Identifier: BSD-3-Clause
// Teams of threads, and loops over threads for set-up, packing and copies outside of kernels: one place states how they
// are distributed. An exception must not leave a parallel region; what the threads of such a loop throw is thrown after it.
#pragma once

#include <omp.h>

#include <exception>
#include <mutex>

#include "strata/partition.hpp"

namespace strata {

/// Calls body(thread) in each thread of a team. A team of one is the calling thread itself: a parallel region would allocate
/// memory for it, and every barrier in it would call the system.
template <class Body>
void in_team(int threads, Body body) {
    if (threads == 1) return body(0);
#pragma omp parallel num_threads(threads)
    body(omp_get_thread_num());
}

/// The first exception of the threads of a parallel region.
class RegionFailure {
  public:
    /// Calls body() and keeps what it throws.
    template <class Body>
    void guard(Body body) noexcept {
        try {
            body();
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!first_) first_ = std::current_exception();
        }
    }
    /// Throws the exception that was kept, if there is one. Called after the region.
    void rethrow() const {
        if (first_) std::rethrow_exception(first_);
    }

  private:
    std::mutex mutex_;
    std::exception_ptr first_;
};

/// Calls body(i) for all i of a range, distributed over threads in equal contiguous parts, so that a thread finds the
/// memory that it wrote before.
template <class Body>
void for_each_parallel(const Range& range, Body body, int threads = omp_get_max_threads()) {
    RegionFailure failure;
    if (threads == 1) {
        for (std::uint64_t i = range.first; i < range.last; ++i) failure.guard([&] { body(i); });
    } else {
#pragma omp parallel for schedule(static) num_threads(threads)
        for (std::uint64_t i = range.first; i < range.last; ++i) failure.guard([&] { body(i); });
    }
    failure.rethrow();
}

}  // namespace strata
