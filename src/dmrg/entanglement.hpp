// SPDX-License-Identifier: BSD-3-Clause
// Estimates of the M that an energy takes, before a run: from the entropy that a lattice of these widths and lengths is
// likely to have, by the distribution of weights of a density matrix that follows from an entropy. They are for people and
// for the prediction of times; nothing that is computed depends on them.
#pragma once

#include "dmrg/model.hpp"

namespace strata::dmrg {

/// Entropy between the halves of a critical open system of length l and width w, c/6 ln(2 l / pi) (P. Calabrese, J. Cardy,
/// J. Stat. Mech. P06002 (2004)), and a constant for every site that the cut is wide, as chains showed it; c = 1, and 2 for
/// electrons away from half filling.
double estimated_entropy(const Model& model);

/// How many of the largest weights leave out the rest `discarded` if their distribution is that of a critical chain of
/// this entropy (P. Calabrese, A. Lefevre, Phys. Rev. A 78, 032329 (2008), equations 5 to 8).
double states_of_weight(double entropy, double discarded);

}  // namespace strata::dmrg
