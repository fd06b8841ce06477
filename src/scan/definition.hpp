// SPDX-License-Identifier: BSD-3-Clause
// Section [scan] of a job and the points that it declares. Every key of the application may have several values there:
//
//   [scan]
//   model.u = 0:8:0.5                   a range start:stop:step, stop included
//   model.temperature = log:0.1:10:21   21 values with equal ratios
//   lattice.type = ring, chain          a list
//   lattice.extents = 16,16; 32,32      a list of lists
//   run.seed = 1:20:1                   replicas: points that differ only in a seed are averaged
//   together = model.u, model.v         these keys are walked in step
//   seeds = different                   every point has a seed of its own: run.seed plus its number
//   start = previous                    every point starts from the final state of the one before it
//   file = points.txt                   a table: names of keys, then a line of values for every point
#pragma once

#include <string>
#include <vector>

#include "cli/input_errors.hpp"
#include "cli/job.hpp"
#include "strata/scan.hpp"

namespace strata::scan {

/// Maximum number of points of one job.
constexpr std::size_t max_points = 100000;

/// One line of [scan], or one option of the command line.
struct Entry {
    std::string key;  ///< name of the application's key, without "scan."
    std::string value;
    std::string origin;  ///< "command line" or "FILE:LINE"
};

/// The key with that name; null if there is none.
const Key* find_key(const std::vector<Key>& keys, const std::string& name);

/// Removes the entries of [scan] that name keys of the application from the job and from the overrides, and returns
/// them; entries of the command line replace those of the file.
std::vector<Entry> take_entries(cli::JobFile& job, std::vector<cli::Override>& overrides, cli::InputErrors& errors);

/// The values of one entry, in the form that the program reads.
std::vector<std::string> values_of(const Key& key, const std::string& text, std::string& error);

/// Builds the scan from the entries and the settings scan.together, scan.file, scan.average, scan.seeds and scan.start
/// of the job, for an application with these keys. Errors are added to `errors`.
Scan define(const std::vector<Entry>& entries, const cli::JobFile& job, const std::vector<cli::Override>& overrides,
            const std::vector<Key>& keys, cli::InputErrors& errors);

/// The Config of one point: `base` with the values of the point.
Config config_of(const Config& base, const Scan& scan, std::size_t point);

/// A scan as text and back, for the broadcast from rank 0 and for the result file. from_text throws Error(file).
std::string to_text(const Scan& scan);
Scan from_text(const std::string& text, const std::vector<Key>& keys);

}  // namespace strata::scan
