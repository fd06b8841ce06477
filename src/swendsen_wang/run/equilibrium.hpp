// SPDX-License-Identifier: BSD-3-Clause
// Whether a run has reached equilibrium, and has enough observations for its errors.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/estimate.hpp"
#include "strata/record.hpp"
#include "swendsen_wang/job/config.hpp"
#include "swendsen_wang/run/results.hpp"

namespace strata::swendsen_wang {

/// Rows of the thermalization that the job leaves to the program, none for other jobs, and whether means still change
/// after it.
analysis::Transient thermalization(const SwendsenWangConfig& config, const Series& series);

/// A sentence for a run that may have stayed near its first configuration, else empty: single spins or clusters that may
/// freeze, frustrated sites that hardly moved against each other, sites that few single clusters had, or a phase of a Potts
/// model that others may outweigh. No errors are given then.
std::string obstacle_to_equilibrium(const SwendsenWangConfig& config, const Series& series,
                                    const analysis::Transient& thermalization);

/// Number of independent configurations that show that a run reaches equilibrium.
constexpr double least_moves = 100;
/// Number of replicas of parallel tempering that came from the hottest to the coldest temperature, for errors of states that
/// only they reach: on 12 sites susceptibility-connected had a mean square of 31 with 120 of them (40 runs), and none beyond
/// 1.5 with 230 (30 runs).
constexpr double least_arrivals = 200;

/// Whether the error of the row that the job names is no larger than its target, and known to be so: there are at
/// least 400 times as many observations as the longest autocorrelation time in `table`.
bool reaches_target(const SwendsenWangConfig& config, std::uint64_t observations, const std::vector<Quantity>& table);

/// Whether the observed energies are too few for reliable errors: fewer than 40, or than 50 times the longest
/// autocorrelation time in `table`, or nearly all of one value.
bool few_observations(const SwendsenWangConfig& config, std::span<const double> energies,
                      const std::vector<Quantity>& table);
/// What is said of them.
std::string remark_on_few_observations(const std::string& where = {});

/// A sentence if the observations are few compared with the autocorrelation times in `table`, or if the thermalization has
/// not ended; else empty.
std::string remark_on_length(const SwendsenWangConfig& config, const Series& series,
                             const analysis::Transient& thermalization, const std::vector<Quantity>& table);

/// A sentence that names the quantities whose errors were withheld, why, and how many sweeps to give instead of `sweeps`; else
/// empty.
std::string remark_on(const Withheld& withheld, std::uint64_t sweeps);

/// The table of a series, what is said about it, and the rows at its start that it does not include.
struct Evaluation {
    std::vector<Quantity> table;
    std::string remark;
    std::uint64_t rows_left_out = 0;
};
Evaluation evaluate(const SwendsenWangConfig& config, const Series& series);

}  // namespace strata::swendsen_wang
