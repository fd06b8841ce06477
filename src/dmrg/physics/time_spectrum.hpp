// SPDX-License-Identifier: BSD-3-Clause
// Spectra of correlations that are known at equidistant times (S. R. White, I. Affleck, Phys. Rev. B 77, 134437 (2008); S.
// Paeckel et al., Ann. Phys. 411, 167998 (2019)). C(t) = sum_n a_n exp(-i p_n t) with real a_n, known at t = 0, h, 2 h ..., has
//
//     S(omega) = 1/pi Re int_0^inf dt W(t) exp(i omega t) C(t) = sum_n a_n g(omega - p_n),   W(t) = exp(-sigma^2 t^2 / 2),
//
// with g a Gaussian of the standard deviation sigma and the integral 1. The trapezoidal rule has the images
// S(omega + 2 pi j / h), j = 1, -1, 2 ..., beside S(omega), and no other error, since Gaussians decay in both ways (Poisson's
// sum). Times beyond the last one, T, are bounded by the integral of W from there.
#pragma once

#include <complex>
#include <span>
#include <vector>

namespace strata::dmrg {

/// exp(-sigma^2 t^2 / 2).
double gaussian_window(double sigma, double time);
/// Its integral from `time` to infinity, in units of time.
double window_tail(double sigma, double time);

/// [omega] S(omega) from C(0), C(step) ....
std::vector<double> spectrum_of(std::span<const std::complex<double>> c, double step, double sigma,
                                std::span<const double> omega);

/// Weight of a row in the sum over times, divided by pi: what an error of C there does to S at most.
double row_weight(std::size_t row, double step, double sigma);

/// int omega S(omega) over resolved_energies(): term of one row, n > 0, and that of the row 0. It is sum_n a_n p_n less the
/// period times the weight of every image within the range, of the first kind, since poles have a lowest energy.
double first_moment_term(std::size_t row, std::complex<double> c, double step, double sigma);

/// int S(omega) domega by the trapezoidal rule over energies in any order.
double grid_integral(std::span<const double> omega, std::span<const double> intensity);

}  // namespace strata::dmrg
