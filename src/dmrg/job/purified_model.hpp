// SPDX-License-Identifier: BSD-3-Clause
// The Hamiltonian of a lattice on a row in which an auxiliary site follows every physical one (state/purification.hpp).
#pragma once

#include "dmrg/job/model.hpp"

namespace strata::dmrg {

/// Values of sites, bonds and terms for the row of twice as many sites: nothing acts on the auxiliary ones.
struct PurifiedValues {
    LatticeModel values;  ///< its lattice keeps the physical sites
    std::vector<Bond> bonds;
    OperatorSum others;
};
/// `chemical_potential`: of particles, mu in H - mu N.
PurifiedValues purified(const LatticeModel& values, const std::vector<Bond>& bonds, const OperatorSum& others,
                        double chemical_potential);
/// A product of the physical sites on the row.
OperatorProduct purified(OperatorProduct product);
/// The sector of the row in which the physical sites have all charges.
Filling purified_filling(const ModelConfig& model, Conserved conserved, int physical_sites);

}  // namespace strata::dmrg
