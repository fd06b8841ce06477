// SPDX-License-Identifier: BSD-3-Clause
// Algorithm 3 of Siro & Harju (Exact diagonalization of quantum lattice models on coprocessors), written
// straightforwardly as the baseline: padded row-major ELL matrices per spin components, H_up as whole subvectors,
// H_down as gathers, then five passes over the vectors. One spin component: the padded matrix of the whole sector and
// its gathers, which the paper leaves to a library.
#pragma once

#include "lanczos/plan.hpp"

namespace strata::perf {

/// Seconds of one Lanczos step, the least of `steps` after one that is not counted; every thread that OpenMP gives.
/// `energy`: lowest Ritz value after them, by which the benchmark sees that it computes the right thing.
double siro_harju_step(const lanczos::LanczosPlan& plan, int steps, double& energy);

}  // namespace strata::perf
