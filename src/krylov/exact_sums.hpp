// SPDX-License-Identifier: BSD-3-Clause
// Sums over the segments of a distributed vector (kernels/vectors/segments.hpp) whose bits depend neither on the
// distribution of the segments nor on the order in which threads, ranks or devices add them (strata/exact_sum.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "kernels/vectors/exact_sums.hpp"
#include "strata/buffer.hpp"
#include "strata/exact_sum.hpp"
#include "strata/timer.hpp"

namespace strata::krylov {

template <class Backend>
class ExactSums {
    /// Host memory that the backend copies from and to.
    using Host = std::conditional_t<std::is_same_v<Backend, Cpu>, Cpu, Pinned>;

  public:
    /// `own` segments, of at most 2^31, are on this rank. `comm`, the workers' queue and `timers` must outlive the
    /// object.
    ExactSums(const Communicator& comm, vectors::Workers<Backend> workers, std::uint64_t own, Timers& timers)
        : comm_(comm), workers_(workers), own_(own), timers_(timers) {}

    /// Allocates memory for up to `width` sums per segment.
    void reserve(std::size_t width);
    static std::uint64_t bytes(std::uint64_t own, std::uint64_t width) {
        return width * (own * sizeof(double) + sizeof(ExactSum));
    }

    /// Partial sums [own segment][width] in memory of the backend, for kernels to write.
    double* partial() { return partial_.data(); }
    /// The `width` sums over all segments, the same on all ranks; NaN if a partial sum is not finite. Collective: no rank
    /// returns before all have called it.
    const std::vector<double>& total(std::size_t width);

  private:
    const Communicator& comm_;
    const vectors::Workers<Backend> workers_;
    const std::uint64_t own_;
    Timers& timers_;  ///< phase "vectors" on this rank, "sums" where ranks wait for each other
    std::size_t width_ = 0;
    Buffer<double, Backend> partial_;
    Buffer<ExactSum, Backend> sums_;
    Buffer<ExactSum, Host> host_sums_;  ///< not used on the host
    std::vector<double> total_;
};

}  // namespace strata::krylov
