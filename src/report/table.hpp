// SPDX-License-Identifier: BSD-3-Clause
// Tables of the results of a run.
#pragma once

#include <string>
#include <vector>

#include "strata/study.hpp"

namespace strata::report {

enum class Colour { off, on };

/// Rows below a head. Each column is as wide as its widest cell; the first one is left-aligned, the others
/// right-aligned.
std::string columns(const std::vector<std::vector<std::string>>& rows);

/// "-1.41482(12)": two digits of the error in units of the last digits shown. "1.25" if the error is 0 or not finite.
std::string value_with_error(double value, double error);

/// Quantities of one point with errors, tau_int, exact values and deviations, or one line per value of a coordinate.
std::string result_table(const PointRecord& point, Colour colour);

/// Phases with seconds and shares, then the performance figures.
std::string timer_table(const PointRecord& point);

/// A field of a CSV file, in quotes where its text needs them.
std::string csv_field(const std::string& text);

/// Seconds in readable units: "0.8 s", "3 min 20 s", "2 h 05 min", "1 d 03 h".
std::string human_time(double seconds);

}  // namespace strata::report
