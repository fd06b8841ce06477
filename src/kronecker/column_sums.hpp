// SPDX-License-Identifier: BSD-3-Clause
// Sums over the columns of a distributed vector that have the same bits whatever rank holds which column. Every column
// contributes partial sums of its own; they are added as fixed-point numbers, exactly and therefore in any order. The
// unit of these follows from the largest partial sum, so that small and large vectors are added as accurately.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "strata/buffer.hpp"
#include "strata/fixed_point_sum.hpp"

namespace strata::kronecker {

/// Power of two by which the partial sums of `columns` columns are multiplied before they are added, if `largest` is the
/// largest magnitude among them. The same on all ranks. Collective.
int common_exponent(const Communicator& comm, double largest, std::uint64_t columns);

class ColumnSums {
  public:
    /// `own` of `all` columns are on this rank, whose `threads` add them; `comm` must outlive the object.
    ColumnSums(const Communicator& comm, std::uint64_t own, std::uint64_t all, int threads);

    /// Allocates for up to `width` sums per column.
    void reserve(std::size_t width);
    static std::uint64_t bytes(std::uint64_t own, std::size_t width) { return own * width * sizeof(double); }

    /// Partial sums of one of this rank's columns, `width` of them, to be written by the caller.
    double* column(std::uint64_t own_column, std::size_t width) { return partial_.data() + own_column * width; }
    /// The sums over all columns, the same on all ranks; not numbers if a partial sum is none. Collective: no rank
    /// returns before all have called it.
    const std::vector<double>& total(std::size_t width);

  private:
    double largest(std::size_t width) const;

    const Communicator& comm_;
    const std::uint64_t own_, all_;
    const int threads_;
    Buffer<double> partial_;
    std::vector<FixedPointSum> of_threads_, sums_;
    std::vector<double> total_;
};

}  // namespace strata::kronecker
