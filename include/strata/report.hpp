// SPDX-License-Identifier: BSD-3-Clause
// The report of a run, for the screen, the result file and JSON. Complete on rank 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "strata/config.hpp"
#include "strata/record.hpp"

namespace strata {

/// Wall seconds of one phase over the ranks.
struct PhaseTime {
    std::string name;
    double seconds = 0;       ///< mean over ranks
    double seconds_most = 0;  ///< seconds of the slowest rank
    std::uint64_t calls = 0;
};

/// A fact about the build or the machine, e.g. {"compiler", "GNU 12.2.0"}.
struct Fact {
    std::string name;
    std::string value;
};

struct Report {
    std::string version;
    Config config;         ///< resolved keys and name of the application
    std::string job_text;  ///< content of the job file
    int ranks = 1;
    int threads = 1;          ///< per rank
    std::string backend;      ///< e.g. "cpu avx512"
    bool complete = false;    ///< true if all steps are done
    std::uint64_t steps = 0;  ///< steps done, over all parts of the run
    std::uint64_t total_steps = 0;
    double seconds = 0;  ///< wall time of the steps of this part of the run
    std::vector<Quantity> quantities;
    std::uint64_t rows_left_out = 0;  ///< rows at the start of the series that the quantities do not include
    std::string remark;               ///< remark on the quantities for the reader; may be empty
    std::optional<int> exit_code;     ///< exit code of a complete run; none: incomplete, or a file of layout version 2
    std::string sentence;             ///< requirement that the complete run does not meet; empty if it meets all
    std::vector<PhaseTime> timers;
    std::vector<Figure> performance;
    std::vector<Fact> provenance;  ///< version, commit, compiler, packages, hosts, start and end in UTC
    std::string state_hash;        ///< 16 hexadecimal digits
    /// Reason for which the result file could not be written; empty if it was written, or not requested.
    std::string unsaved;
};

}  // namespace strata
