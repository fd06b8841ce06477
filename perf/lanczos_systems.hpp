// SPDX-License-Identifier: BSD-3-Clause
// The systems of the Lanczos benchmarks: lattices, particle numbers and models of growing dimension.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "lanczos/job/config.hpp"

namespace strata::perf {

struct LanczosCase {
    const char* name;
    const char* type;
    std::vector<std::int64_t> extents;
    int up, down;  ///< down -1: one spin component
    bool complex;
    std::vector<std::int64_t> momentum = {};  ///< momentum of the sector; empty: all states
};

/// A job of the ground-state energy without observables, with up to 1000 steps and a tolerance that is not reached.
inline lanczos::LanczosConfig endless_job(const LanczosCase& s, lanczos::Precision precision) {
    lanczos::LanczosConfig c;
    c.lattice.type = s.type;
    c.lattice.extents = s.extents;
    c.lattice.phase = M_PI / 4;
    c.model = s.down < 0 ? ModelType::fermions : ModelType::hubbard;
    c.up = s.up;
    c.down = std::max(0, s.down);
    c.u = {4};
    c.max_steps = 1000;
    c.tolerance = 1e-15;
    c.vectors = false;
    c.precision = precision;
    if (!s.momentum.empty()) c.symmetry = c.symmetry.with_momentum(s.momentum);
    if (s.complex) c.arithmetic = lanczos::RequestedArithmetic::complex;
    return c;
}

}  // namespace strata::perf
