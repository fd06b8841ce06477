// SPDX-License-Identifier: BSD-3-Clause
// The file NAME.h5 of a scan, rewritten completely and replaced atomically like a result file:
//
//   /scan      point, a column for every scanned key, and for every quantity Q[point] or Q[point, member], with
//              Q_error, Q_tau and Q_reference if there are any; `point` is a dimension scale, which xarray reads as a
//              coordinate
//   /averages  the same over groups of replicas, where keys are averaged: KEY, replicas, Q, Q_error
//   /series    rows of all points, one after another: point, and a column for every observable
//   /points    state, exit code, sentence, remark, steps, seconds and state hash of every point
//   /timers, /performance  for every point; /job as in a result file, and the text from which the points are made
//
// The file is also what a scan is resumed from.
#pragma once

#include <string>

#include "strata/scan.hpp"

namespace strata::io {

/// Version of the layout of scan files.
constexpr int scan_format = 1;

/// True if `path` is an HDF5 file with the format name of a scan; its digest is not verified.
bool is_scan(const std::string& path);

/// Upper bound of the size of the file.
std::uint64_t scan_file_bytes(const ScanReport& report);

/// Writes the file. Called on one rank. Throws Error(file); an existing file does not change then.
void write_scan(const std::string& path, const ScanReport& report);

/// Reads everything except the Config and the Scan, whose texts are returned in `job` and `points_text`. Throws
/// Error(file), also for a file that was changed since it was written.
ScanReport read_scan(const std::string& path);

/// The report as JSON, in the layout of jobs/README.md, with lists over points.
std::string to_json(const ScanReport& report);

}  // namespace strata::io
