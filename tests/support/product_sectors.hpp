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

/// t-J electrons, spins 1 and 3/2, whose sites take several bits: in halves of the lattice and, with electrons of other
/// terms, in sectors of symmetries.
inline std::vector<LanczosConfig> coded_sectors() {
    LanczosConfig t_j = config("ring", {6}, 2, 1, 0), one = spins("ring", {5}, 4), three = spins("ring", {4}, 7);
    t_j.model = ModelType::t_j;
    t_j.coupling = {0.4, 0.4, 0.4};
    t_j.v = 0.3;
    one.twice_spin = 2;
    one.anisotropy = 0.7;
    three.twice_spin = 3;
    LanczosConfig electrons =
        with_terms(config("ring", {4}, 0, 0, 3), "0.4 S+ 0 S- 1; 0.4 S+ 1 S- 2; 0.4 S+ 2 S- 3; 0.4 S+ 3 S- 0", {2, 1});
    electrons.coded_electrons = true;
    LanczosConfig particles =
        with_terms(config("ring", {4}, 0, 0, 3), "0.4 Sx 0; 0.4 Sx 1; 0.4 Sx 2; 0.4 Sx 3", {3, 0});
    particles.coded_electrons = true;
    std::vector<LanczosConfig> all = {t_j, one, three};
    for (const LanczosConfig& c : {t_j, one, three, electrons, particles})
        for (const std::int64_t m : {0, 1}) all.push_back(with_momentum(c, {m}));
    return all;
}

}  // namespace strata::lanczos
