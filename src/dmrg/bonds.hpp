// SPDX-License-Identifier: BSD-3-Clause
// Which pairs of sites are coupled. Sites of a ladder or cylinder are numbered rung by rung, which keeps bonds short:
//
//     1 - 3 - 5 - 7
//     |   |   |   |      site = circumference * x + y
//     0 - 2 - 4 - 6
#pragma once

#include <string>
#include <vector>

#include "dmrg/model.hpp"
#include "strata/config.hpp"

namespace strata::dmrg {

struct BondList {
    int sites = 0, width = 1;
    std::vector<Bond> bonds;  ///< their factors are energies: t, V or J, Jz
    std::string description;
};

/// Throws Error(bad_input).
[[noreturn]] void refuse(const std::string& sentence);

/// The bonds of lattice.type. Throws Error(bad_input) that names the key, or the line of the file.
BondList make_bonds(const Config& config);

}  // namespace strata::dmrg
