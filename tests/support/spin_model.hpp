// SPDX-License-Identifier: BSD-3-Clause
// Conversion of a Lanczos configuration for fermions to one for spins 1/2.
#pragma once

#include "lanczos/job/config.hpp"

namespace strata::lanczos {

/// Sets H = sum jxy (Sx Sx + Sy Sy) + jz Sz Sz over the edges.
inline void set_spins(LanczosConfig& c, double jxy = 1, double jz = 1) {
    c.model = ModelType::heisenberg;
    c.coupling = {jxy, jxy, jz};
    c.lattice.default_weight = DefaultWeight::amplitude;
}

}  // namespace strata::lanczos
