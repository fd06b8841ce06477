// SPDX-License-Identifier: BSD-3-Clause
// The result file NAME.h5: /job, /series, /results, /timers, /performance; /job/files/KEY is the content of a file that
// the job names. The file is small, so that rank 0 rewrites it completely at each flush and replaces it atomically: a
// reader of a running job never meets a lock or an incomplete table. A digest over the whole content protects every
// version.
#pragma once

#include <string>

#include "strata/record.hpp"
#include "strata/report.hpp"

namespace strata::io {

/// Version of the layout of result files that are written, and the oldest that is read: from version 3 on a file holds
/// the exit code of a complete run.
constexpr int result_format = 3, oldest_result_format = 2;

/// Writes the report and the series of a run. Called on one rank. Throws Error(file); an existing file does not change
/// then.
void write_result(const std::string& path, const Report& report, const Series& series);

/// Reads the parts of a result file that `strata show` prints: quantities, timers, performance, job, hash. The Config
/// has the keys as text. Throws Error(file), also for a file that was changed since it was written.
Report read_result(const std::string& path);

/// Whether a file exists and is a checkpoint, of which a folder of results has one beside each. Throws Error(file) for
/// files that are not HDF5.
bool is_checkpoint(const std::string& path);

/// The report as JSON, in the layout of jobs/README.md.
std::string to_json(const Report& report);

}  // namespace strata::io
