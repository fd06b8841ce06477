// SPDX-License-Identifier: BSD-3-Clause
// The tables of verbs and switches, in the order of the help.
#include "cli/verbs.hpp"

#include <limits>

namespace strata::cli {
namespace {

constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();

constexpr VerbRow verbs[] = {
    {"run", Verb::run, "JOB.ini [--section.key=value ...]", "run a job; any key can be overridden", "a job file",
     Operand::needed, Keys::taken, 1, Names::jobs},
    {"plan", Verb::plan, "JOB.ini [--ranks=1,16,256] [--machine=FILE] [--csv | --json]",
     "predicted memory, traffic and time; runs nothing", "a job file", Operand::needed, Keys::taken, 1, Names::jobs},
    {"resume", Verb::resume, "NAME.checkpoint.h5 [...]", "go on, on any number of ranks; a scan from its NAME.h5",
     "a checkpoint", Operand::needed, Keys::taken, 1, Names::checkpoints},
    {"measure", Verb::measure, "NAME.checkpoint.h5 --section.key=value ...",
     "other quantities of the final state of a run, without running again", "a checkpoint", Operand::needed,
     Keys::taken, 1, Names::checkpoints},
    {"show", Verb::show, "NAME.h5 ... [--json | --csv | --series] [--watch]",
     "results of finished or running jobs or scans; of many files a table", "a result file", Operand::needed,
     Keys::refused, any_number, Names::results},
    {"plot", Verb::plot, "NAME.h5 ... [PICTURE] [--what=energy]",
     "a figure of one or several results; strata plot --help lists what it can show", "a result file", Operand::needed,
     Keys::refused, any_number, Names::results},
    {"fit", Verb::fit, "SCAN.h5 ... [--tc=VALUE]",
     "T_c and exponents from a scan of swendsen-wang over sizes; strata fit --help", "the result of a scan",
     Operand::needed, Keys::refused, any_number, Names::results},
    {"scale", Verb::scale, "JOB.ini --ranks=1,2,4 [--weak]",
     "measures how a job scales over ranks and threads; strata scale --help", "a job file", Operand::needed,
     Keys::taken, 1, Names::jobs},
    {"keys", Verb::keys, "[APPLICATION [WORD]] [--run.task=... | --outputs] [--json]",
     "every key, or those about a word or for a value of a key: type, default, meaning; or the outputs",
     "an application", Operand::optional, Keys::taken, 2, Names::applications},
    {"example", Verb::example, "[APPLICATION | JOB]",
     "a short job of an application, or a ready job, for example > my.ini; without a name a list", "an application",
     Operand::optional, Keys::refused, 1, Names::applications},
    {"selftest", Verb::selftest, "", "exact oracles on this machine, in under a minute", "", Operand::none,
     Keys::refused, 0, Names::none},
    {"help", Verb::help, "[VERB | APPLICATION]", "this text, that of one verb, or the keys of an application", "",
     Operand::optional, Keys::refused, 1, Names::verbs},
    {"manual", Verb::manual, "[APPLICATION]", "the manual page, for example | man -l -", "", Operand::optional,
     Keys::refused, 1, Names::applications},
    {"completion", Verb::completion, "", "completion for bash: source <(strata completion)", "", Operand::none,
     Keys::refused, 0, Names::none},
    {"version", Verb::version, "", "version, build and devices", "", Operand::none, Keys::refused, 0, Names::none},
};

constexpr SwitchRow rows[] = {
    {"application", "NAME", "run plan resume", "runs the lattice and model of a job by another method"},
    {"ranks", "N,...", "plan", "numbers of ranks that need not exist; several give a table"},
    {"machine", "FILE", "plan", "predicts for the nodes and network that the file describes"},
    {"json", "", "show plan keys", "everything as JSON for programs"},
    {"csv", "", "show plan", "all numbers in full digits, one line for each file or point"},
    {"series", "", "show", "the rows of the series of one file as CSV, e.g. of a spectrum or over time"},
    {"averages", "", "show", "of a scan with --csv or --series: means over replicas with errors, in place of points"},
    {"watch", "", "show", "shows a running job again and again until it ends"},
    {"outputs", "", "keys", "quantities, series and arrays with units and definitions, from small runs"},
    {"quiet", "", "", "prints the result table only"},
    {"help", "", "", "the help of a verb"},
    {"version", "", "", "version, build and devices"},
};

}  // namespace

std::span<const VerbRow> verb_rows() { return verbs; }
std::span<const SwitchRow> switch_rows() { return rows; }

std::vector<std::string> verb_names() {
    std::vector<std::string> names;
    for (const VerbRow& row : verbs) names.emplace_back(row.name);
    return names;
}

std::vector<std::string> switch_names() {
    std::vector<std::string> names;
    for (const SwitchRow& row : rows) names.emplace_back(row.name);
    return names;
}

bool takes(const VerbRow& verb, const SwitchRow& row) {
    const std::string among = " " + std::string(row.verbs) + " ";
    return row.verbs[0] == '\0' || among.find(" " + std::string(verb.name) + " ") != std::string::npos;
}

}  // namespace strata::cli
