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
#include "swendsen_wang/run/point.hpp"

namespace strata::swendsen_wang {

/// Names of quantities that have no error although the run is in equilibrium, and the most that one of them lacks.
struct Withheld {
    std::vector<std::string> names;
    Lack lack;

    void add(const std::string& name, const Lack& lack);
};

/// Table of the temperature (or its inverse) and the estimated quantities, with errors if the run is in equilibrium; empty
/// without observations. `withheld` receives those without one although it is. In two dimensions energy and specific heat have their exact values as reference.
std::vector<Quantity> estimate(const SwendsenWangConfig& config, const Series& series,
                               const analysis::Transient& thermalization, bool equilibrium, Withheld& withheld);

/// Columns of an observation of the overlap of two replicas, and their quantities, from `first_column` of the series on.
std::vector<Column> overlap_columns();
std::vector<Quantity> estimate_overlap(const SwendsenWangConfig& config, const Series& series, std::size_t first_column,
                                       bool equilibrium, Withheld& withheld);

/// Bytes of temporary memory of estimate() for this number of observations.
std::uint64_t estimate_bytes(std::uint64_t observations);

/// One sentence if the observables of a row lie outside their bounds, or if the clusters do not hold every site exactly
/// once; else empty.
std::string impossible_row(const SwendsenWangConfig& config, std::span<const Column> columns,
                           std::span<const double> row, std::uint64_t sites_in_clusters);

/// Time per update of a site, and updates per second, of all replicas. Single clusters have changed `changed_sites` sites,
/// 0 if that is not counted.
std::vector<Figure> update_rates(const SwendsenWangConfig& config, std::uint64_t steps, double seconds,
                                 std::uint64_t changed_sites = 0);

}  // namespace strata::swendsen_wang
