// SPDX-License-Identifier: BSD-3-Clause
// Algorithm 3 of Siro & Harju (CPC 183, 1884 (2012)), written straightforwardly as the baseline: padded row-major ELL
// matrices per species, H_up as whole subvectors, H_dn as gathers, then five passes over the vectors.
#pragma once

#include "lanczos/plan.hpp"

namespace strata::perf {

/// Seconds of one Lanczos step, the least of `steps` after one that is not counted; every thread that OpenMP gives.
/// `energy`: lowest Ritz value after them, to see that it computes the same.
double siro_harju_step(const lanczos::LanczosPlan& plan, int steps, double& energy);

}  // namespace strata::perf
