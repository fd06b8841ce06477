// SPDX-License-Identifier: BSD-3-Clause
// All levels of a Hermitian matrix by LAPACK: one stage to tridiagonal form for small matrices, two stages for large
// ones, most of whose operations are products of matrices: half of the time (perf/notebook.md).
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "strata/buffer.hpp"

namespace strata::krylov {

/// A Hermitian matrix whose upper triangle is set element by element.
class DenseMatrix {
  public:
    /// Zero, of n rows. Throws Error(does_not_fit) for more rows than LAPACK's integers count.
    DenseMatrix(std::size_t n, bool complex);
    /// Memory of the matrix and of the work of levels().
    static std::uint64_t bytes(std::uint64_t n, bool complex);
    /// Seconds that levels() takes on a core, from those of 4000 rows (perf/notebook.md).
    static double seconds(double n, bool complex);

    std::size_t rows() const { return n_; }
    /// Adds to the element (i, j); of a real matrix the real part. Elements below the diagonal are not read.
    void add(std::size_t i, std::size_t j, std::complex<double> value) {
        double* element = a_.data() + (j * n_ + i) * reals_;
        element[0] += value.real();
        if (reals_ == 2) element[1] += value.imag();
    }
    /// The eigenvalues in ascending order. Destroys the matrix. Throws Error(numerical) if LAPACK does not converge, or
    /// if their sum or the sum of their squares is not that of the matrix; `scale`: sizes of the terms that elements are
    /// sums of, to whose rounding they are known.
    std::vector<double> levels(double scale);

  private:
    std::size_t n_, reals_;
    Buffer<double> a_;  ///< column by column, and another column that zgemv of some versions of OpenBLAS reads
};

}  // namespace strata::krylov
