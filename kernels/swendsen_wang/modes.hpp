// SPDX-License-Identifier: BSD-3-Clause
// The structure factor along one axis from the up spins of its planes, for numbers of one configuration and for vectors
// of those of several (Real, Count), which are rounded alike.
#pragma once

#include <complex>
#include <cstdint>

namespace strata::swendsen_wang {

/// Sum of the spins of a plane less their mean, which does not contribute to a mode; subtracted in integers, because the
/// cosines do not add up to 0 in floating point. `excess`: planes times the up spins of the plane, less all up spins.
template <class Real>
Real deviation_of(double scale, Real excess, std::uint64_t planes) {
    return scale * excess / static_cast<double>(planes);
}

/// |sum over x of s(x) exp(2 pi i n x / L)|^2 with L = `planes` and s(x) = deviation(x); phases[x] = exp(2 pi i x / L).
template <class Real, class Deviation>
Real squared_mode(std::uint64_t planes, const std::complex<double>* phases, std::uint64_t n, Deviation deviation) {
    Real re = {}, im = {};
    for (std::uint64_t x = 0, turn = 0; x < planes; ++x, turn = turn + n < planes ? turn + n : turn + n - planes) {
        const Real d = deviation(x);
        re += d * phases[turn].real();
        im += d * phases[turn].imag();
    }
    return re * re + im * im;
}

}  // namespace strata::swendsen_wang
