// SPDX-License-Identifier: BSD-3-Clause
// Output of a scan on rank 0 before its first point and after its last one.
#pragma once

#include <string>

#include "job_source.hpp"
#include "preflight.hpp"
#include "run.hpp"
#include "scan_layout.hpp"
#include "strata/scan.hpp"

namespace strata {

/// Prints the points of a scan and the distribution of the ranks over them.
void print_scan_head(const Job& job, const ScanLayout& layout, const Machine& machine, const ScanReport& report);
/// Prints the table of a scan, the name of its file, and how it ended.
void print_scan_end(const RunOptions& options, const ScanReport& report);

/// The scanned keys, e.g. "200 points: model.u (20) x run.seed (10)".
std::string points_text(const Scan& scan);

}  // namespace strata
