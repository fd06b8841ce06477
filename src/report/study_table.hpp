// SPDX-License-Identifier: BSD-3-Clause
// Results of a study, as a table and as CSV.
#pragma once

#include <string>

#include "report/table.hpp"
#include "strata/study.hpp"

namespace strata::report {

/// The table of one point is result_table(), that of a scan has the scanned keys and the quantities that are single
/// numbers, with a row for every point, or for every group of replicas if keys are averaged; long tables are truncated.
/// Below the table: failures, remarks and the names of quantities that are lists.
std::string study_table(const Study& study, Colour colour);

/// All points and all numbers, below a line of names: point, keys, exit_code, then Q and Q_error; members of lists as
/// Q[0].
std::string study_csv(const Study& study);
/// The rows of the series of all points in full digits, a column for each of their columns; those of a scan begin with the
/// number of the point and its keys. Fields of columns that a point does not have are empty.
std::string series_csv(const Study& study);

/// The same for groups of replicas: the group, its keys, and the mean and error of each number. Throw Error(bad_input)
/// where there are no averages.
std::string averages_csv(const Study& study);
std::string average_series_csv(const Study& study);

}  // namespace strata::report
