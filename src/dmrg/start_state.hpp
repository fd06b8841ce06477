// SPDX-License-Identifier: BSD-3-Clause
// The matrix product states that a renormalization starts from, made from right to left with orthonormal columns. A
// search that goes from bond to bond stays near its start, so that the start decides which distribution of charges it
// finds. Lowest energies of all blocks with all their charges, kept as in K. G. Wilson's renormalization (Rev. Mod.
// Phys. 47, 773 (1975)), say which charges a bond will need; the states themselves are low ones of a block, or random.
#pragma once

#include <utility>
#include <vector>

#include "dmrg/block.hpp"

namespace strata::dmrg {

/// Random numbers by the number of a state, below 4096, of a seed.
struct RandomStream {
    std::uint64_t seed = 1, state = 0;
};

/// Estimates of the lowest energy of all sites with a charge of the sites to the left of a bond, in the order of charges;
/// the couplings across the bond are left out.
using ChargeEnergies = std::vector<std::pair<Charge, double>>;
/// [bond]
std::vector<ChargeEnergies> estimate_energies(const Model& model, const Algebra& algebra);

/// The columns of a start: random ones alone, or low states of the blocks and some random ones.
enum class StartColumns { low_states, random };

/// The tensor of a site in the enlarged right block, with about `states` columns: at least one in as many of the charges
/// of lowest energy, most in those near the lowest one.
SiteTensor start_tensor(const Model& model, const EnlargedBlock& enlarged, int site, std::uint64_t states,
                        const ChargeEnergies& energies, StartColumns columns, const RandomStream& stream);

/// The largest amplitude of a coupling that moves charge; 1 if none does.
double exchange_scale(const Model& model);

}  // namespace strata::dmrg
