// SPDX-License-Identifier: BSD-3-Clause
// The baseline of the Lanczos benchmarks: Algorithm 3 of T. Siro, A. Harju, Exact diagonalization of quantum lattice
// models on coprocessors, as described in the paper. The hopping matrices of both spin components are padded to rows of
// equal width (ELL format); H_up adds whole subvectors, H_down gathers elements, and five passes over the vectors
// complete the recurrence. For one spin component, which the paper leaves to a library, the matrix of the whole sector
// is padded and its elements are gathered.
#pragma once

#include "lanczos/state/plan.hpp"

namespace strata::perf {

/// Seconds of one Lanczos step: the minimum of `steps` steps after one that is not timed, on all OpenMP threads.
/// `energy` becomes the lowest Ritz value after them, which the benchmark compares with that of the program.
double siro_harju_step(const lanczos::LanczosPlan& plan, int steps, double& energy);

}  // namespace strata::perf
