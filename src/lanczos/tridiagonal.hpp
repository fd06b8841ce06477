// SPDX-License-Identifier: BSD-3-Clause
// Small eigenvalue problems, by LAPACK.
#pragma once

#include <complex>
#include <span>
#include <vector>

namespace strata::lanczos {

struct RitzPair {
    double value = 0;
    std::vector<double> vector;  ///< normalised
};

/// Of a symmetric tridiagonal matrix. `diagonal` has n >= 1 entries, `off` at least n - 1. Throws Error(numerical) if
/// LAPACK does not converge.
RitzPair lowest_pair(std::span<const double> diagonal, std::span<const double> off);

/// All eigenvalues in ascending order, and the squared first components of their normalised vectors.
struct Spectrum {
    std::vector<double> values, weights;
};
Spectrum all_pairs(std::span<const double> diagonal, std::span<const double> off);

/// All eigenpairs of a Hermitian matrix of n rows, column by column; vectors[i * n + j] is component j of vector i.
struct DensePairs {
    std::vector<double> values;
    std::vector<std::complex<double>> vectors;
};
DensePairs hermitian_pairs(std::size_t n, std::vector<std::complex<double>> matrix);

}  // namespace strata::lanczos
