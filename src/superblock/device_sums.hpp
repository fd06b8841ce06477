// SPDX-License-Identifier: BSD-3-Clause
// Sums over the columns of a distributed vector as in column_sums.hpp, with partial sums in device memory: the device
// adds them as fixed-point numbers, and only the sums are copied to the host. The bits are those of the host.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "strata/fixed_point_sum.hpp"
#include "strata/queue.hpp"

namespace strata::kronecker {

class DeviceSums {
  public:
    /// `own` of `all` columns are on this rank; `comm` and `queue` must outlive the object.
    DeviceSums(const Communicator& comm, const Queue<Cuda>& queue, std::uint64_t own, std::uint64_t all);

    /// Allocates memory for up to `width` sums.
    void reserve(std::size_t width);
    static std::uint64_t bytes(std::uint64_t own, std::size_t width) {
        return width * (own * sizeof(double) + sizeof(double) + sizeof(FixedPointSum));
    }

    /// Partial sums in device memory, [sum][own column], written by queued kernels.
    double* partial() { return partial_.data(); }
    /// The first `width` sums over all columns, the same on all ranks; waits for the queue. Collective.
    const std::vector<double>& total(std::size_t width);

  private:
    double largest(std::size_t width);

    const Communicator& comm_;
    const Queue<Cuda>& queue_;
    const std::uint64_t own_, all_;
    Buffer<double, Cuda> partial_, largest_;
    Buffer<FixedPointSum, Cuda> sums_;
    Buffer<double, Pinned> host_largest_;
    Buffer<FixedPointSum, Pinned> host_sums_;
    std::vector<double> total_;
};

}  // namespace strata::kronecker
