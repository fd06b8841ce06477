// SPDX-License-Identifier: BSD-3-Clause
// Lattices by type and extents, as the tests of several folders need them.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "models/lattice_spec.hpp"

namespace strata {

/// A lattice with amplitudes 1; the phase is that of a checkerboard with a flat band.
inline LatticeSpec lattice_spec(const std::string& type, std::vector<std::int64_t> extents) {
    LatticeSpec spec;
    spec.type = type;
    spec.extents = std::move(extents);
    spec.phase = M_PI / 4;
    return spec;
}

}  // namespace strata
