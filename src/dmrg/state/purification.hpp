// SPDX-License-Identifier: BSD-3-Clause
// Thermal states as pure ones (F. Verstraete, J. Garcia-Ripoll, J. Cirac, Phys. Rev. Lett. 93, 207204 (2004); A. Feiguin,
// S. White, Phys. Rev. B 72, 220401 (2005)): every site has an auxiliary one behind it,
//
//     physical site    0       1       2                      |psi(beta)> = exp(-beta H / 2) |psi(0)>
//     site of the row  0   1   2   3   4   5                  <O> = <psi|O|psi> / <psi|psi>,  Z = d^L <psi|psi>
//                      phys aux phys aux phys aux
//
// H acts on the physical sites alone. At beta = 0 every pair is in sum_s |s>|s'> / sqrt(d), where s' is the state whose charge
// completes that of s to the same sum for all s: the sector of the row holds all charges of the physical sites.
#pragma once

#include "dmrg/state/chain_state.hpp"

namespace strata::dmrg {

/// The site of the row of a physical one.
constexpr int physical(int site) { return 2 * site; }
/// Sets the state of infinite temperature, its centre at bond 0. `model`: of all sites of the row.
void set_infinite_temperature(const Model& model, ChainState& chain);

}  // namespace strata::dmrg
