// SPDX-License-Identifier: BSD-3-Clause
// Parameters of one sweep of a slab, for the kernels of every backend.
#pragma once

#include <cstdint>

namespace strata::swendsen_wang {

/// A probability, e.g. p that a satisfied bond is activated, as a threshold: the bond is active if a uniform 64-bit
/// number is smaller.
struct Probability {
    std::uint64_t threshold = 0;  ///< floor(2^64 p)
    bool always = false;          ///< p = 1, at zero temperature
};

/// A probability as a threshold, exact to 2^-64.
Probability threshold_of(long double probability);

/// p = 1 - exp(-2 K) at the reduced coupling K = beta J (Fortuin and Kasteleyn, Physica 57, 536 (1972)), exact to
/// 2^-64.
Probability bond_probability(double reduced_coupling);

/// What follows the last sites of an axis: the first ones, nothing, or the first ones with couplings of the other sign.
enum class Boundary : std::uint8_t { periodic, open, antiperiodic };

/// Which bonds exist, and the signs of their couplings. A bond is satisfied if its two spins are equal and its coupling
/// is positive, or if they differ and it is negative. Clusters of satisfied bonds that are active with p = 1 - exp(-2
/// beta |J|) flip as a whole for couplings of any signs (Swendsen and Wang, PRL 58, 86 (1987)).
struct Couplings {
    bool uniform = true;    ///< all are positive and all axes are periodic: the members below are not used
    bool inverted = false;  ///< J < 0
    Boundary boundary[3] = {};
    /// Probability that the sign of a coupling is opposite to that of J.
    Probability opposite;
    std::uint64_t seed = 0;  ///< key of the random numbers that the signs are drawn from
};

/// A uniform field as one more spin, the ghost spin, which has the direction of the field and a bond of coupling |h| to
/// every site (Griffiths, J. Math. Phys. 8, 484 (1967)). A site whose spin is parallel to it is bound to it with p = 1 -
/// exp(-2 beta |h|); clusters with a bound site keep their spins (Wang, Physica A 161, 249 (1989)).
struct GhostSpin {
    Probability bond;  ///< p; 0 without a field
    bool up = true;    ///< direction of the field

    /// Whether any site can be bound.
    constexpr bool binds() const { return bond.always || bond.threshold != 0; }
};

/// The cluster spin of a component with a site that is bound to the ghost spin. Its lowest bit is 0: it does not flip.
constexpr std::uint8_t bound_spin = 2;

struct Sweep {
    std::uint64_t seed = 0;   ///< key of all random numbers of the run
    std::uint64_t index = 0;  ///< number of sweeps before this one
    Probability bond;
    GhostSpin ghost;
    Couplings couplings;
    int states = 2;         ///< q of the Potts model; 2: the Ising model
    bool observed = false;  ///< whether spins and clusters are measured in this sweep
};

}  // namespace strata::swendsen_wang
