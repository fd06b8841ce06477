// SPDX-License-Identifier: BSD-3-Clause
// The command line: a verb, what it acts on, switches, and overrides --section.key=value.
#pragma once

#include <string>
#include <vector>

#include "cli/input_errors.hpp"
#include "cli/job.hpp"

namespace strata::cli {

enum class Verb { help, version, run, plan, resume, show, keys, selftest };

struct Arguments {
    Verb verb = Verb::help;
    std::string operand;  ///< job file, checkpoint, result file or application; may be empty
    std::vector<Override> overrides;
    bool quiet = false;
    bool json = false;
    int plan_ranks = 0;      ///< of `plan`: for how many ranks; 0: not given, one
    bool verb_help = false;  ///< `strata run --help`
};

/// Reads the command line. What is wrong becomes a error; keys are judged later, with those of the job's application.
Arguments parse_arguments(int argc, const char* const* argv, InputErrors& errors);

}  // namespace strata::cli
