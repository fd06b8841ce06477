// SPDX-License-Identifier: BSD-3-Clause
// The command line: a verb, its operand, switches, and overrides --section.key=value.
#pragma once

#include <string>
#include <vector>

#include "cli/input_errors.hpp"
#include "cli/job.hpp"
#include "cli/verbs.hpp"

namespace strata::cli {

enum class Form { table, json, csv };

struct Arguments {
    Verb verb = Verb::help;
    std::string operand;            ///< job file, checkpoint, result file or application; may be empty
    std::string word;               ///< part of the names or meanings of the keys that `keys` prints; empty: all
    std::vector<std::string> more;  ///< further result files of `show`
    std::vector<Override> overrides;
    bool quiet = false;
    Form form = Form::table;      ///< output format of `show`, `plan` and `keys`
    bool watch = false;           ///< `show` again and again until the job ends
    bool series = false;          ///< `show` prints the rows of the series as CSV
    bool averages = false;        ///< `show` prints means over replicas as CSV
    bool outputs = false;         ///< `keys` prints the outputs and not the keys
    std::vector<int> plan_ranks;  ///< numbers of ranks for `plan`; empty: not given, i.e. 1
    std::string machine;          ///< machine file for `plan` with several numbers of ranks; empty: this machine
    bool verb_help = false;       ///< `strata run --help`
    std::string help_of;          ///< verb or application whose help is asked for; empty: all
};

/// Parses the command line and adds its errors. Keys are checked later, against those of the job's application.
Arguments parse_arguments(int argc, const char* const* argv, InputErrors& errors);

}  // namespace strata::cli
