// SPDX-License-Identifier: BSD-3-Clause
// exp(-i H t) as a series in Chebyshev polynomials (H. Tal-Ezer, R. Kosloff, J. Chem. Phys. 81, 3967 (1984)):
//
//     exp(-i H t) = exp(-i c t) sum_k (2 - delta_k0) (-i)^k J_k(r t) T_k((H - c) / r),
//
// where the spectrum of H lies between c - r and c + r. |T_k| <= 1 there, so that omitted terms change a state by at
// most the sum of their |2 J_k|. J_k falls faster than exponentially for k > r t.
#pragma once

#include <complex>
#include <vector>

#include "trotter/physics/hamiltonian.hpp"

namespace strata::trotter {

/// An interval that holds the spectrum of H.
struct SpectralBounds {
    double lowest = 0, highest = 0;

    double centre() const { return (lowest + highest) / 2; }
    double radius() const { return (highest - lowest) / 2; }
};

/// Bounds from the sums of the extreme eigenvalues of the terms of every pair, which have Bell states as eigenstates,
/// and of the field of every spin, +-|h| / 2, and from bounds of the norms of all other products that flip the same
/// spins.
SpectralBounds spectral_bounds(const SpinHamiltonian& h);

/// J_0(z), J_1(z), ... for z >= 0 until all further ones are below 1e-20, by Miller's backward recurrence.
std::vector<double> bessel_functions(double z);

struct ChebyshevSeries {
    std::vector<std::complex<double>> coefficients;  ///< coefficients of T_k, all factors included
    double left_out = 0;                             ///< bound of the change of a state by the omitted terms, 2-norm
};

/// Shortest series whose omitted terms add up to less than `tolerance`; `t` may be negative. Throws Error(bad_input)
/// for a series of more than a million terms.
ChebyshevSeries chebyshev_series(const SpectralBounds& bounds, double t, double tolerance);

}  // namespace strata::trotter
