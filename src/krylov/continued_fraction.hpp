// SPDX-License-Identifier: BSD-3-Clause
// The resolvent of the start vector of a recurrence as a continued fraction (E. Gagliano, C. Balseiro, Phys. Rev. Lett.
// 59, 2999 (1987)):
//     <v_0| (z - H)^-1 |v_0> = 1 / (z - alpha_0 - beta_0^2 / (z - alpha_1 - beta_1^2 / (z - alpha_2 - ...)))
#pragma once

#include <complex>
#include <span>
#include <vector>

namespace strata::krylov {

/// The fraction that ends with the last alpha; `beta` has at least alpha.size() - 1 entries. 0 if `alpha` is empty.
std::complex<double> resolvent(std::complex<double> z, std::span<const double> alpha, std::span<const double> beta);

/// The first column of (z - T)^-1, T the tridiagonal matrix of the coefficients: x_0 is resolvent(), and (z - H)^-1
/// |v_0> is sum_k x_k |v_k> up to a residual of norm beta_last |x_last|. Empty if `alpha` is.
std::vector<std::complex<double>> resolvent_column(std::complex<double> z, std::span<const double> alpha,
                                                   std::span<const double> beta);

/// Upper bound of |exact - resolvent(z, alpha, beta)|, rounding errors not included. The omitted part of the fraction
/// is the resolvent of some measure of weight 1, so the exact value lies in a disc with the truncated fraction on its
/// edge. The bound is the diameter of the disc, 1 / (|Im z| sum_k |p_k(z)|^2), with the orthonormal polynomials p_k of
/// degree k <= alpha.size() (N. Akhiezer, The Classical Moment Problem, 1965, chapter 1). `beta` must have as many
/// entries as `alpha`.
double truncation_bound(std::complex<double> z, std::span<const double> alpha, std::span<const double> beta);

}  // namespace strata::krylov
