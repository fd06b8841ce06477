// SPDX-License-Identifier: BSD-3-Clause
// Transitions of first order of Potts models, at which a run may stay in the phase where it started.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace strata::swendsen_wang {

/// Where the disordered phase and the q ordered ones coexist.
struct FirstOrderTransition {
    double coupling = 0;     ///< K_t = J / T_t of the infinite lattice
    double uncertainty = 0;  ///< relative uncertainty of K_t
    double energy = 0;       ///< middle between the energies of the two phases, in units of J per bond, negative
    double latent_heat = 0;  ///< difference of these energies
};

/// None where the transition is continuous: for q up to 4 in two dimensions, 2 in three.
std::optional<FirstOrderTransition> first_order_transition(int states, std::size_t dimensions);

/// J / T of H = -J sum delta(s, s') at which the infinite lattice orders; of the Ising model, q = 2, 2 J / T.
double transition_coupling(int states, std::size_t dimensions);

struct PottsLattice {
    std::vector<std::uint64_t> extents;
    double bonds_per_site = 0;  ///< less than the number of axes where some are open
    int states = 2;
};

/// Whether the energies per site of a run at reduced coupling K, in units of J, show mostly one phase that is not known to have
/// nearly all of the weight, and rarely a change to another one. `tau`: their integrated autocorrelation time.
bool may_be_metastable(const PottsLattice& lattice, double coupling, double tau, std::vector<double> energies);

}  // namespace strata::swendsen_wang
