// SPDX-License-Identifier: BSD-3-Clause
// The result file NAME.h5: /job, /series, /results, /timers, /performance; /job/files/KEY is the content of a file that
// the job names. It is small and rank 0 holds all of it, so each flush writes it whole and puts it in place: a reader
// of a running job never finds a lock or half a table. A digest over all of it vouches for every flush.
#pragma once

#include <string>

#include "strata/record.hpp"
#include "strata/report.hpp"

namespace strata::io {

/// Version of the layout of result files.
constexpr int result_format = 2;

/// Writes the whole report of a run. Called on one rank. Throws Error(file); an earlier file stays good then.
void write_result(const std::string& path, const Report& report, const Series& series);

/// What `strata show` needs of a result file: quantities, timers, performance, job, hash. The Config holds the keys as
/// text. Throws Error(file), also for a file that was changed since it was written.
Report read_result(const std::string& path);

/// The report as JSON, as jobs/README.md describes it.
std::string to_json(const Report& report);

}  // namespace strata::io
