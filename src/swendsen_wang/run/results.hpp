// SPDX-License-Identifier: BSD-3-Clause
// Estimates from the series: means by the Gamma method, functions of means by the jackknife.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/estimate.hpp"
#include "strata/record.hpp"
#include "swendsen_wang/job/config.hpp"

namespace strata::swendsen_wang {

/// Rows of the thermalization that the job leaves to the program, none for other jobs, and whether means still change
/// after it.
analysis::Transient thermalization(const SwendsenWangConfig& config, const Series& series);

/// False for a run that may have stayed near its first configuration: single spins or clusters that may freeze,
/// frustrated sites that hardly moved against each other, or a phase of a Potts model that others may outweigh. No errors
/// are given then.
bool reaches_equilibrium(const SwendsenWangConfig& config, const Series& series,
                         const analysis::Transient& thermalization);

/// Number of independent configurations that show that a run reaches equilibrium.
constexpr double least_moves = 100;

/// Table of the temperature (or its inverse) and the estimated quantities, with errors if the run is in equilibrium; empty
/// without observations. In two dimensions energy and specific heat have their exact values as reference.
std::vector<Quantity> estimate(const SwendsenWangConfig& config, const Series& series,
                               const analysis::Transient& thermalization, bool equilibrium);

/// Columns of an observation of the overlap of two replicas, and their quantities, from `first_column` of the series on.
std::vector<Column> overlap_columns();
std::vector<Quantity> estimate_overlap(const SwendsenWangConfig& config, const Series& series, std::size_t first_column,
                                       bool equilibrium);

/// Whether the error of the row that the job names is no larger than its target, and known to be so: from at least 400 of
/// the longest autocorrelation time of the table.
bool reaches_target(const SwendsenWangConfig& config, std::uint64_t observations, const std::vector<Quantity>& table);

/// Bytes of temporary memory of estimate() for this number of observations.
std::uint64_t estimate_bytes(std::uint64_t observations);

/// Whether the observations are too few for reliable errors: fewer than 40, or than 50 of the longest autocorrelation time
/// of the table.
bool few_observations(std::uint64_t observations, const std::vector<Quantity>& table);

/// A sentence if the observations are few compared with the autocorrelation times in `table`, if the thermalization has
/// not ended, or if the spins of a lattice with couplings of both signs hardly moved against each other; else empty.
std::string remark_on_length(const SwendsenWangConfig& config, const Series& series,
                             const analysis::Transient& thermalization, const std::vector<Quantity>& table);

/// One sentence if the observables of a row lie outside their bounds, or if the clusters do not hold every site exactly
/// once; else empty.
std::string impossible_row(const SwendsenWangConfig& config, std::span<const Column> columns,
                           std::span<const double> row, std::uint64_t sites_in_clusters);

/// Time per update of a site, and updates per second, of all replicas.
std::vector<Figure> update_rates(const SwendsenWangConfig& config, std::uint64_t steps, double seconds);

}  // namespace strata::swendsen_wang
