// SPDX-License-Identifier: BSD-3-Clause
// Jobs of Lanczos with products of operators beside hops and energies, in sectors of all that H can conserve.
#pragma once

#include <string>
#include <vector>

#include "models/terms.hpp"
#include "support/lanczos_runs.hpp"

namespace strata::lanczos {

/// The config with these terms, in the sector of these numbers of what H conserves.
inline LanczosConfig with_terms(LanczosConfig c, const std::string& text, const Filling& filling = {}) {
    c.terms = read_terms(items_of("terms", text), c.kind(), {}, TermSet::all);
    const Conserved conserved = conserved_by(other_terms(c, make_lattice_model(c)));
    c.conserved = filling.conserved == Conserved::nothing ? Conserved::nothing : conserved;
    c.up = filling.up;
    c.down = filling.down;
    return c;
}

/// Electrons and spins whose terms conserve everything, N alone, S^z alone, a parity, and nothing.
inline std::vector<LanczosConfig> sectors_of_products() {
    const std::string hops = "0.3 cdag_up 0 c_up 3 n_dn 1; 0.2+0.1i cdag_up 1 c_up 0 cdag_dn 2 c_dn 3; ";
    std::vector<LanczosConfig> all = {
        with_terms(config("ring", {5}, 0, 0, 3), hops + "0.4 n_up 4", {3, 2}),
        with_terms(config("ring", {5}, 0, 0, 3), hops + "0.7 cdag_up 0 c_dn 4; 0.2 Sx 1 Sx 3", {4, 0}),
        with_terms(config("ring", {5}, 0, 0, 3), hops + "0.6 cdag_up 0 cdag_dn 2", {1, 0}),
        with_terms(config("ring", {4}, 0, 0, 3), "0.6 cdag_up 0 cdag_up 2; 0.3i cdag_dn 1 c_up 3", {1, 0}),
        with_terms(single("ring", {9}, 0, 1), "0.4 cdag 0 cdag 5; 0.2 n 1 n 3 cdag 2 c 8", {1, 0}),
        with_terms(spins("ring", {10}, 0), "0.4 Sx 0 Sy 5 Sz 7; 0.3 Z 1 Z 2 Z 3 Z 9", {1, 0}),
        with_terms(spins("ring", {9}, 0), "0.4 Sx 0 Sz 5; 0.3 Sy 4; 0.2 S+ 1 S+ 2 S- 8")};
    all.push_back(all.back());
    all.back().arithmetic = RequestedArithmetic::complex;
    return all;
}

}  // namespace strata::lanczos
