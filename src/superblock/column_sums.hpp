// SPDX-License-Identifier: BSD-3-Clause
// Sums over the columns of a distributed vector whose bits do not depend on the distribution of the columns. Every
// column contributes its own partial sums; they are added as fixed-point numbers, exactly and therefore in any order.
// The unit of the fixed-point numbers follows from the largest partial sum, so that the accuracy does not depend on the
// size of the elements.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "strata/buffer.hpp"
#include "strata/fixed_point_sum.hpp"

namespace strata::kronecker {

/// Exponent of the power of two by which the partial sums are multiplied before they are added. `columns`: columns of
/// all ranks; `largest`: largest magnitude of this rank's partial sums. The same on all ranks. Collective.
int common_exponent(const Communicator& comm, double largest, std::uint64_t columns);

class ColumnSums {
  public:
    /// `own` of `all` columns are on this rank, which adds them with `threads` threads; `comm` must outlive the object.
    ColumnSums(const Communicator& comm, std::uint64_t own, std::uint64_t all, int threads);

    /// Allocates memory for up to `width` sums per column.
    void reserve(std::size_t width);
    static std::uint64_t bytes(std::uint64_t own, std::size_t width) { return own * width * sizeof(double); }

    /// The `width` partial sums of one of this rank's columns, written by the caller.
    double* column(std::uint64_t own_column, std::size_t width) { return partial_.data() + own_column * width; }
    /// The `width` sums over all columns, the same on all ranks; NaN if a partial sum is not finite. Collective: no
    /// rank returns before all have called it.
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
