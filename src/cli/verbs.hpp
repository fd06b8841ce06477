// SPDX-License-Identifier: BSD-3-Clause
// The verbs and switches of the command line. The parser, the help, the manual page and the completion of bash all read
// these tables.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace strata::cli {

enum class Verb {
    help,
    version,
    run,
    plan,
    resume,
    measure,
    show,
    plot,
    fit,
    scale,
    keys,
    example,
    selftest,
    manual,
    completion
};
enum class Operand { none, optional, needed };
enum class Keys { refused, taken };
/// What the operands of a verb are, for the completion.
enum class Names { none, jobs, checkpoints, results, applications, verbs };

struct VerbRow {
    const char* name;
    Verb verb;
    const char* synopsis;      ///< what follows the name
    const char* summary;       ///< one line of the help
    const char* operand_name;  ///< e.g. "a job file"
    Operand operand;
    Keys keys;  ///< whether keys of a job may be set
    std::size_t max_operands;
    Names names;
};

struct SwitchRow {
    const char* name;
    const char* value;    ///< name of its value; empty: it takes none
    const char* verbs;    ///< names of the verbs that take it, separated by blanks; empty: all
    const char* meaning;  ///< one line of the help
};

std::span<const VerbRow> verb_rows();
std::span<const SwitchRow> switch_rows();
std::vector<std::string> verb_names();
std::vector<std::string> switch_names();
/// True if the verb takes the switch.
bool takes(const VerbRow& verb, const SwitchRow& row);

}  // namespace strata::cli
