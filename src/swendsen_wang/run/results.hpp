// SPDX-License-Identifier: BSD-3-Clause
// Estimates from the series: means by the Gamma method, functions of means by the jackknife.
#pragma once

#include <string>
#include <vector>

#include "strata/record.hpp"
#include "swendsen_wang/state/plan.hpp"

namespace strata::swendsen_wang {

/// Table of the temperature (or its inverse) and the estimated quantities; empty without observations. In two
/// dimensions energy and specific heat have their exact values as reference.
std::vector<Quantity> estimate(const SwendsenWangPlan& plan, const Series& series);

/// Bytes of temporary memory of estimate() for this number of observations.
std::uint64_t estimate_bytes(std::uint64_t observations);

/// A sentence if the observations are few compared with the autocorrelation times in `table`, or if the spins of a
/// lattice with couplings of both signs hardly moved against each other; else empty.
std::string remark_on_length(const SwendsenWangPlan& plan, const Series& series, const std::vector<Quantity>& table);

}  // namespace strata::swendsen_wang
