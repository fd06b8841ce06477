// SPDX-License-Identifier: BSD-3-Clause
// The exchange P of particles and holes of all spins, P c_i P^-1 = e_i c+_i and P |0> = prod_i c+_i |0> of each spin in
// the order of the sites, where hops connect sites with e_i = 1 to sites with e_i = -1. It keeps the numbers of particles
// at half filling alone.
#pragma once

#include <string>
#include <vector>

#include "lanczos/physics/hamiltonian.hpp"

namespace strata::lanczos {

struct ParticleHole {
    std::vector<int> signs = {};  ///< [site] e_i, 1 on the first site of each part of the lattice that hops connect
    std::string broken = {};      ///< what does not have the symmetry, as words for a message; empty if it is one of H
};
ParticleHole particle_hole(const Model& model);

}  // namespace strata::lanczos
