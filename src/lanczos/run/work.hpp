// SPDX-License-Identifier: BSD-3-Clause
// How much a run computes: the number of its steps, at most and usually, and the work of a mean step on the CPU, from
// which `strata plan` predicts times. Steps of a search multiply by H, and those of several states orthogonalise the
// product to a basis, which takes longer.
#pragma once

#include "lanczos/run/task.hpp"
#include "strata/work.hpp"

namespace strata::lanczos {

/// Seconds per real number of the vector and hop of its row on one core, beside waiting for memory: ring of 14.
inline constexpr double hop_computation = 0.237e-9;

/// Steps of a run in this number of sectors, of which `plan` is the largest.
StepCounts step_counts(const LanczosPlan& plan, std::uint64_t sectors, Momenta momenta);

/// Work of a mean step on the first rank, which has as many rows as any other; `mean_cost`: of several sectors, as a share of
/// that of the largest.
Work count_work(const LanczosPlan& plan, double mean_cost = 1);
/// Seconds of a mean step without messages, on the cores on which the rates were measured.
double seconds_on_cores(const LanczosPlan& plan);

}  // namespace strata::lanczos
