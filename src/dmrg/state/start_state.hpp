// SPDX-License-Identifier: BSD-3-Clause
// The matrix product states that a renormalization starts from, made from right to left with orthonormal columns. A
// search from bond to bond remains near its start, so that the start determines the distributions of charge that it can
// reach. Estimates of the lowest energies of all blocks with all their charges, by a renormalization after K. G. Wilson
// (Rev. Mod. Phys. 47, 773 (1975)), show which charges a bond will need; the states themselves are low states of a
// block, or random.
#pragma once

#include <utility>
#include <vector>

#include "dmrg/state/block.hpp"

namespace strata::dmrg {

/// Stream of random numbers: a seed and the number of a state, below 4096.
struct RandomStream {
    std::uint64_t seed = 1, state = 0;
};

/// Estimates of the lowest energy of the whole chain for each charge of the sites to the left of a bond, sorted by
/// charge; couplings across the bond are neglected.
using ChargeEnergies = std::vector<std::pair<Charge, double>>;
/// [bond] these estimates; charges that one of the two blocks cannot have are omitted.
std::vector<ChargeEnergies> estimate_energies(const Model& model, const Algebra& algebra);

/// The columns of a start: low states of the blocks and some random ones, or only random ones.
enum class StartColumns { low_states, random };

/// The tensor of a site in the enlarged right block, with about `states` columns: at least one for each of the favoured
/// charges, of which there are at most `states`, and most of them for the charges of lowest energy.
SiteTensor start_tensor(const Model& model, const EnlargedBlock& enlarged, int site, std::uint64_t states,
                        const ChargeEnergies& energies, StartColumns columns, const RandomStream& stream);

/// The largest magnitude of a coupling that moves charge; 1 if there is none.
double exchange_scale(const Model& model);

}  // namespace strata::dmrg
