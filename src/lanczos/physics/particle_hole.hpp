// SPDX-License-Identifier: BSD-3-Clause
// The exchange P of particles and holes of all spins, P c_i P^-1 = e_i c+_i and P |0> = prod_i c+_i |0> of each spin in
// the order of the sites, where hops connect sites with e_i = 1 to sites with e_i = -1. It keeps the numbers of particles
// at half filling alone.
//
// Sectors need operations on the bit strings of one spin alone that multiply like those of the group. P does not change
// a state's sign when applied twice if prod_i e_i (-1)^i = 1. A permutation T of the sites has T P T^-1 = s h^N P on N
// particles of one spin, s the sign of the permutation, h = e_(T i) / e_i.
#pragma once

#include <string>
#include <vector>

#include "lanczos/physics/hamiltonian.hpp"
#include "models/symmetry.hpp"

namespace strata::lanczos {

struct ParticleHole {
    std::vector<int> signs = {};  ///< [site] e_i, 1 on the first site of each part of the lattice that hops connect
    std::string broken = {};      ///< what does not have the symmetry, as words for a message; empty if it is one of H
};
ParticleHole particle_hole(const Model& model);

/// Whether P, applied twice, leaves the bit strings of one spin as they are.
bool squares_to_one(const std::vector<int>& signs);
/// Whether a permutation of the sites and P commute on the half filled bit strings of one spin.
bool commutes(const std::vector<int>& signs, const SitePermutation& image);

}  // namespace strata::lanczos
