// SPDX-License-Identifier: BSD-3-Clause
// The conserved charge of a sector as a sum over the sites of a bit string, for the strings of a sector to be counted and
// listed, also those that a permutation of the sites leaves unchanged.
#pragma once

#include <vector>

#include "lanczos/physics/bit_strings.hpp"
#include "lanczos/physics/hamiltonian.hpp"
#include "models/filling.hpp"

namespace strata::lanczos {

/// The conserved charge as a sum of weights of a site's modes: one for each of its bits, or of spin down and spin up.
StringCharge charge_of(const Model& model, Conserved conserved);
/// Its value in a sector.
int total_charge(const Model& model, const Filling& filling);

/// What a site adds to the charge of a string, and how many of them a sector has.
struct SiteStates {
    struct State {
        int charge;
        bool odd;  ///< whether it is a state of an odd number of fermions
    };
    std::vector<State> states;
    int total = 0, modulus = 0;  ///< charges are counted modulo this, unless it is 0
    int bits = 1;                ///< bits of a site

    int reduced(int charge) const { return modulus == 0 ? charge : (charge % modulus + modulus) % modulus; }
    bool holds(int charge) const { return reduced(charge) == reduced(total); }
    /// Sites that are empty or occupied by one of so many particles.
    static SiteStates of_particles(int particles) { return {{{0, false}, {1, true}}, particles}; }
};

/// The sites of a model with one spin component.
SiteStates site_states(const Model& model, const Filling& filling);
/// All its bit strings, of all sites, in a sector.
BitStrings whole_strings(const Model& model, const Filling& filling);

}  // namespace strata::lanczos
