// SPDX-License-Identifier: BSD-3-Clause
// The lowest eigenpair of a symmetric tridiagonal matrix, by LAPACK.
#pragma once

#include <span>
#include <vector>

namespace strata::lanczos {

struct RitzPair {
    double value = 0;
    std::vector<double> vector;  ///< normalised
};

/// `diagonal` has n >= 1 entries, `off` at least n - 1. Throws Error(numerical) if LAPACK does not converge.
RitzPair lowest_pair(std::span<const double> diagonal, std::span<const double> off);

}  // namespace strata::lanczos
