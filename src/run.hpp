// SPDX-License-Identifier: BSD-3-Clause
// The only loop: restore or initialise; step; observe; checkpoint by time, near the wall limit and on a signal; report.
#pragma once

#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "io/checkpoint_file.hpp"
#include "strata/application.hpp"
#include "strata/config.hpp"
#include "strata/report.hpp"

namespace strata {

enum class Verbosity { full, table_only, silent };

/// What a run is besides its application.
struct RunOptions {
    Config config;
    std::string job_text;
    std::string stem;  ///< path of the run's files without endings; empty: nothing is written
    int threads = 1;
    Verbosity verbosity = Verbosity::full;
    double start = 0;  ///< monotonic_seconds() when the program began
    std::vector<Fact> provenance;
    Recording recording = {};  ///< rows that the series will have; none: not known

    std::string result_path() const { return stem + ".h5"; }
    std::string checkpoint_path() const { return stem + ".checkpoint.h5"; }
};

/// Runs to the end or to a clean stop, from `stored`, whose series it takes, if that is not null. The application is allocated already, and
/// restored if it has something to go on from.
/// Returns the report, complete on rank 0.
Report run(const Communicator& comm, Application& application, const RunOptions& options, io::StoredCheckpoint* stored);

}  // namespace strata
