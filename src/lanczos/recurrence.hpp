// SPDX-License-Identifier: BSD-3-Clause
// The Lanczos recurrence with two vectors (C. Lanczos, J. Res. NBS 45, 255 (1950)):
//     v_k = (H v_{k-1} - alpha_{k-1} v_{k-1} - beta_{k-2} v_{k-2}) / beta_{k-1},   alpha_k = v_k . H v_k
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "lanczos/engine.hpp"

namespace strata::lanczos {

/// How v_k follows from the working pair; v_0 is q / start_norm.
inline Recurrence recurrence(std::uint64_t k, double start_norm, std::span<const double> alpha,
                             std::span<const double> beta) {
    return k == 0 ? Recurrence{0, 1 / start_norm, 0} : Recurrence{alpha[k - 1], 1 / beta[k - 1], beta[k - 1]};
}

/// Makes v_k, in engine.f(), and with it alpha_k and beta_k. `start_norm`: of the start vector, which step 0 finds in
/// q with f = 0.
inline void recurrence_step(Engine& engine, std::uint64_t k, double start_norm, std::span<double> alpha,
                            std::span<double> beta) {
    const TileSums sums = engine.multiply(recurrence(k, start_norm, alpha, beta));
    // with f.f from the same pass the recursion stays stable where |alpha| > beta
    alpha[k] = sums.fq / sums.ff;
    beta[k] = std::sqrt(std::max(0.0, sums.qq - sums.fq * sums.fq / sums.ff));
}

/// The start vector's subspace is used up: beta_k is nothing but rounding.
inline bool exhausted(std::uint64_t k, std::span<const double> alpha, std::span<const double> beta) {
    double scale = 1e-300;
    for (std::uint64_t i = 0; i <= k; ++i) scale = std::max({scale, std::abs(alpha[i]), i < k ? beta[i] : 0});
    return beta[k] <= 1e-12 * scale;
}

}  // namespace strata::lanczos
