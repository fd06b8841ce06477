// SPDX-License-Identifier: BSD-3-Clause
// Parameters of one sweep of a slab, for the kernels of every backend.
#pragma once

#include <cstdint>

namespace strata::swendsen_wang {

/// Probability p that a satisfied bond is activated, as a threshold: the bond is active if a uniform 64-bit number is
/// smaller.
struct BondProbability {
    std::uint64_t threshold = 0;  ///< floor(2^64 p)
    bool always = false;          ///< p = 1, at zero temperature
};

/// p = 1 - exp(-2 K) at the reduced coupling K = beta J (Fortuin and Kasteleyn, Physica 57, 536 (1972)), exact to
/// 2^-64.
BondProbability bond_probability(double reduced_coupling);

struct Sweep {
    std::uint64_t seed = 0;   ///< key of all random numbers of the run
    std::uint64_t index = 0;  ///< number of sweeps before this one
    BondProbability bond;
    bool observed = false;  ///< whether spins and clusters are measured in this sweep
};

}  // namespace strata::swendsen_wang
