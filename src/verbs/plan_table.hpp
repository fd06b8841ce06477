// SPDX-License-Identifier: BSD-3-Clause
// The table of `strata plan` with several numbers of ranks, or with a machine file.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "prediction/machine.hpp"
#include "study/study_source.hpp"

namespace strata {

/// Predictions on `ranks` (empty: 1) with backend.threads threads each, as a table, CSV or JSON. A number of ranks that the
/// application refuses has its sentence in place of numbers. Throws Error(bad_input) for a scan, for an application
/// without a count of its work, and if all numbers of ranks are refused.
std::string plan_table(const Study& study, const std::vector<int>& ranks, const prediction::Machine& machine,
                       cli::Form form);

/// The same for a scan, at the rates of the reference machine: its groups of ranks, and the time of all points, which is
/// that of the longest one at least. Throws Error(bad_input) if all numbers of ranks are refused.
std::string scan_table(const Study& study, const std::vector<int>& ranks, cli::Form form);

}  // namespace strata
