// SPDX-License-Identifier: BSD-3-Clause
// Amplitudes of random states, which are drawn again whenever a state is compared with the state at time 0:
// Philox4x32-10 with the index of the basis state as counter gives two uniform numbers u, v of 53 bits, and the
// amplitude is
//
//     Gaussian:  2^(-N/2) sqrt(-log u) exp(2 pi i v)         (Box and Muller; uniform over all states)
//     phases:    2^(-(N-1)/2) exp(2 pi i v) where one spin is up, 0 elsewhere    (Dente et al., equation A.1)
//
// Operations per amplitude: 20 products of 32 bits, 45 multiplications and additions. All variants give the same bits.
#pragma once

#include <cstdint>

namespace strata::trotter {

struct RandomState {
    std::uint64_t seed = 0;
    std::uint32_t sample = 0, purpose = 0;
    int spins = 0;
    int polarised = -1;  ///< spin that is up; -1: Gaussian amplitudes
};

/// Function that writes the amplitudes (re, im) of `count` basis states from `first` on to `out`.
using FillRandom = void (*)(const RandomState&, std::uint64_t first, std::uint64_t count, double* out);

}  // namespace strata::trotter
