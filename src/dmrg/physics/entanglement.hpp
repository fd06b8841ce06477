// SPDX-License-Identifier: BSD-3-Clause
// Estimates, before a run, of the M that an accuracy of the energy requires: from the expected entropy of a lattice of
// this width and length, by the distribution of the weights of a density matrix with this entropy. They serve the plan
// and the prediction of times; no result depends on them.
#pragma once

#include "dmrg/job/model.hpp"

namespace strata::dmrg {

/// Estimate of the entropy between the halves of a critical open system of length l and width w, c/6 ln(2 l / pi) (P.
/// Calabrese, J. Cardy, J. Stat. Mech. P06002 (2004)), plus a constant, fitted to chains, for every site of the width
/// of the cut; c = 1, and 2 for electrons away from half filling.
double estimated_entropy(const Model& model);

/// Number of largest weights whose complement adds up to `discarded`, if their distribution is that of a critical chain
/// of this entropy (P. Calabrese, A. Lefevre, Phys. Rev. A 78, 032329 (2008), equations 5 to 8).
double states_of_weight(double entropy, double discarded);

}  // namespace strata::dmrg
