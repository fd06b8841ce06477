// SPDX-License-Identifier: BSD-3-Clause
// From the series to the table: means by the Gamma method, functions of means by the jackknife.
#pragma once

#include <string>
#include <vector>

#include "strata/record.hpp"
#include "swendsen_wang/plan.hpp"

namespace strata::swendsen_wang {

/// Quantities for every scan point that has observations; the scanned coordinate comes first. In two dimensions energy
/// and specific heat have their exact values beside them.
std::vector<Quantity> estimate(const SwendsenWangPlan& plan, const Series& series);

/// Memory that the estimates of a point with so many observations take for a while.
std::uint64_t estimate_bytes(std::uint64_t observations);

/// A sentence about the points of such a table whose observations are few for their autocorrelation times; empty if
/// there are none.
std::string remark_on_length(const SwendsenWangPlan& plan, const Series& series, const std::vector<Quantity>& table);

}  // namespace strata::swendsen_wang
