// SPDX-License-Identifier: BSD-3-Clause
// Help is made from the tables of verbs and keys, so that it cannot differ from what the program accepts.
#include "cli/help.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/applicability.hpp"

namespace strata::cli {
namespace {

std::string padded(std::string text, std::size_t width) {
    if (text.size() < width) text.append(width - text.size(), ' ');
    return text;
}

/// In six digits, or in all where six are not the number.
std::string short_number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    double shown = 0;
    if (!parse_real(text, shown) || shown != value) std::snprintf(text, sizeof text, "%.15g", value);
    return text;
}

std::string type_text(const Key& key) {
    std::string range;
    const bool low = std::isfinite(key.minimum), high = std::isfinite(key.maximum) && key.maximum < 1e18;
    if (key.type == ValueType::integer || key.type == ValueType::integers || key.type == ValueType::real ||
        key.type == ValueType::reals) {
        if (low && high)
            range = " " + short_number(key.minimum) + ".." + short_number(key.maximum);
        else if (low)
            range = " >= " + short_number(key.minimum);
    }
    switch (key.type) {
        case ValueType::integer: return std::string("integer") + range;
        case ValueType::real: return std::string("number") + range;
        case ValueType::integers: return std::string("integers") + range;
        case ValueType::reals: return std::string("numbers or start:stop:step") + range;
        case ValueType::yes_no: return "yes | no";
        case ValueType::duration: return "time, e.g. 10min";
        case ValueType::text: return "text";
        case ValueType::file: return "path of a file";
        case ValueType::choice: break;
    }
    std::string choices;
    for (const std::string& choice : key.choices) choices += (choices.empty() ? "" : " | ") + choice;
    return choices;
}

std::string section_of(const Key& key) { return key.name.substr(0, key.name.find('.')); }

}  // namespace

std::string usage(const std::vector<ApplicationTitle>& applications) {
    std::string text =
        "strata: lattice codes on one MPI runtime\n\n"
        "  strata run JOB.ini [--section.key=value ...]   run a job; any key can be overridden\n"
        "  strata plan JOB.ini [--ranks=64]               predicted memory, traffic and time; runs nothing\n"
        "  strata resume NAME.checkpoint.h5 [...]         go on, on any number of ranks\n"
        "  strata show NAME.h5 [--json]                   results of a finished or running job\n"
        "  strata keys [APPLICATION]                      every key: type, default, unit, meaning\n"
        "  strata selftest                                exact oracles on this machine, in under a minute\n"
        "  strata help [APPLICATION] | --help | --version\n\n"
        "  --application=NAME runs the lattice and model of a job by another method; --quiet prints the result table "
        "only.\n\n"
        "Applications:\n";
    for (const ApplicationTitle& a : applications) text += "  " + padded(a.name, 16) + a.title + "\n";
    text +=
        "\nExamples:\n"
        "  mpirun -n 2 strata run jobs/ising-2d-critical.ini\n"
        "  mpirun -n 4 strata run jobs/ising-2d-critical.ini --lattice.extents=4096,4096 --run.sweeps=500\n"
        "  strata plan jobs/ising-3d-critical.ini --ranks=64\n"
        "  strata run jobs/heisenberg-ladder.ini --application=dmrg\n"
        "  mpirun -n 8 strata resume out/ising-2d-critical.checkpoint.h5 --run.sweeps=20000\n\n"
        "Signals: USR1 writes a checkpoint; USR2, TERM and INT finish the step, write a checkpoint and leave with 0;\n"
        "a second INT ends at once. mpirun of Open MPI kills the ranks 1 s after TERM or INT: send it USR2, or set\n"
        "OMPI_MCA_odls_base_sigkill_timeout=120 before.\n"
        "Exit codes: 0 done or cleanly stopped, 2 bad input, 3 does not fit, 4 file trouble, 5 numerical failure,\n"
        "70 internal.\n";
    return text;
}

std::string key_table(const std::string& application, const std::vector<Key>& keys, const std::string& example) {
    std::string text = "Keys of " + application +
                       ". In a job file they stand below their [section]; on the command line\n" +
                       "write --section.key=value.\n";
    std::string section;
    std::vector<Key> sorted = keys;
    const std::vector<std::string> order = {"lattice", "model",   "sector", "state",
                                            "run",     "backend", "output", "checkpoint"};
    const auto rank = [&](const Key& k) { return std::ranges::find(order, section_of(k)) - order.begin(); };
    std::ranges::stable_sort(sorted, {}, rank);
    for (const Key& key : sorted) {
        if (section_of(key) != section) {
            section = section_of(key);
            text += "\n[" + section + "]\n";
        }
        const std::string short_name = key.name.substr(section.size() + 1), condition = condition_text(key);
        text += "  " + padded(short_name, 16) + " " + type_text(key) + "; default " +
                (!key.default_value.empty() ? key.default_value
                 : key.demand.empty()       ? "none"
                                            : "none, must be given") +
                (key.unit.empty() ? "" : "; unit " + key.unit) + "\n" + padded("", 19) + key.meaning + "\n" +
                (condition.empty() ? "" : padded("", 19) + "Only with " + condition + ".\n");
    }
    if (!example.empty()) text += "\nExample job:\n\n" + example;
    return text;
}

}  // namespace strata::cli
