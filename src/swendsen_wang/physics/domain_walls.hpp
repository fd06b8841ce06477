// SPDX-License-Identifier: BSD-3-Clause
// Weights of walls between ordered phases that cross a finite lattice. A lattice with two of them hardly occurs far below
// T_c and carries a large part of the fluctuations of the order parameter all the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace strata::swendsen_wang {

/// Lattice whose couplings are equal, of the Potts model (q = 2: the Ising model).
struct UniformLattice {
    std::vector<std::uint64_t> extents;
    std::vector<bool> open;  ///< [axis] not periodic
    int states = 2;
    double coupling = 0;  ///< J / T of H = -J sum delta(s, s'), for the Ising model 2 J / T
};

/// Weight kappa of a wall across all other axes between two given phases at one place along `axis`, over the weight of
/// none: n walls along L sites have the weight (kappa L)^n / n!. Exact for the Ising model on periodic square
/// lattices; elsewhere it is within a factor of 3 of the transfer matrices of narrow lattices (tests/README.md). 0 where the infinite lattice
/// is disordered.
double wall_weight(const UniformLattice& lattice, std::size_t axis);

}  // namespace strata::swendsen_wang
