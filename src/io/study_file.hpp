// SPDX-License-Identifier: BSD-3-Clause
// The file NAME.h5 of a study. It is small, so that rank 0 rewrites it completely at each flush and replaces it
// atomically: a reader of a running job never meets a lock or an incomplete table. A digest over the whole content
// protects every version. One point has numbers in groups, many points have columns:
//
//   strata-result: /series, /results/QUANTITY/value, error, tau, reference, /timers, /performance, /job
//
//   strata-scan: /scan      point, a column for every scanned key, and for every quantity Q[point] or Q[point, member],
//                           with Q_error, Q_tau and Q_reference if there are any; `point` is a dimension scale, which
//                           xarray reads as a coordinate
//                /averages  the same over groups of replicas, where keys are averaged: KEY, replicas, Q, Q_error
//                /series    rows of all points, one after another: point, and a column for every observable
//                /points    state, exit code, sentence, remark, steps, seconds and state hash of every point
//                /timers, /performance  for every point
//                /job       also the texts from which the points are made; the file is what a scan is resumed from
#pragma once

#include <string>

#include "strata/study.hpp"

namespace strata::io {

/// Versions of the layout of results of one point that are written, and the oldest that is read: from version 3 on a
/// file holds the exit code of a complete run.
constexpr int result_format = 3, oldest_result_format = 2;
/// Version of the layout of scans.
constexpr int scan_format = 1;

/// True if `path` is an HDF5 file with the format name of a scan; its digest is not verified.
bool is_scan(const std::string& path);
/// Whether a file exists and is a checkpoint, of which a folder of results has one beside each. Throws Error(file) for
/// files that are not HDF5.
bool is_checkpoint(const std::string& path);

/// Writes the file. Called on one rank. Throws Error(file); an existing file does not change then.
void write_study(const std::string& path, const Study& study);

/// Reads the file: the Config has the keys as text, and the points of a scan are those of `points_text`. The series of
/// a single point is not read. Throws Error(file), also for a file that was changed since it was written.
Study read_study(const std::string& path);

/// The series of the result of a single point, whose file read_study() has checked. Throws Error(file).
Series read_series(const std::string& path);

/// The study as JSON, in the layout of jobs/README.md; of a scan with lists over points.
std::string to_json(const Study& study);

}  // namespace strata::io
