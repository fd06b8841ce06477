// SPDX-License-Identifier: BSD-3-Clause
// Estimates from the series: means by the Gamma method, functions of means by the jackknife.
#pragma once

#include <string>
#include <vector>

#include "analysis/estimate.hpp"
#include "strata/record.hpp"
#include "swendsen_wang/job/config.hpp"

namespace strata::swendsen_wang {

/// Rows of the thermalization that the job leaves to the program; none for other jobs.
analysis::Transient thermalization(const SwendsenWangConfig& config, const Series& series);

/// Table of the temperature (or its inverse) and the estimated quantities; empty without observations. In two
/// dimensions energy and specific heat have their exact values as reference.
std::vector<Quantity> estimate(const SwendsenWangConfig& config, const Series& series,
                               const analysis::Transient& thermalization);

/// Whether the error of the row that the job names is no larger than its target, and known to be so: from at least 400 of
/// the longest autocorrelation time of the table.
bool reaches_target(const SwendsenWangConfig& config, std::uint64_t observations, const std::vector<Quantity>& table);

/// Bytes of temporary memory of estimate() for this number of observations.
std::uint64_t estimate_bytes(std::uint64_t observations);

/// A sentence if the observations are few compared with the autocorrelation times in `table`, if the thermalization has
/// not ended, or if the spins of a lattice with couplings of both signs hardly moved against each other; else empty.
std::string remark_on_length(const SwendsenWangConfig& config, const Series& series,
                             const analysis::Transient& thermalization, const std::vector<Quantity>& table);

}  // namespace strata::swendsen_wang
