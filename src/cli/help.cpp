// SPDX-License-Identifier: BSD-3-Clause
// Texts of the help. The table of keys is made from their declarations, so that it cannot differ from the keys that the
// program accepts.
#include "cli/help.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>

#include "cli/applicability.hpp"

namespace strata::cli {
namespace {

std::string padded(std::string text, std::size_t width) {
    if (text.size() < width) text.append(width - text.size(), ' ');
    return text;
}

/// The number in six digits, or in 15 if six are not exact.
std::string short_number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    double shown = 0;
    if (!parse_real(text, shown) || shown != value) std::snprintf(text, sizeof text, "%.15g", value);
    return text;
}

std::string joined_choices(const Key& key) {
    std::string choices;
    for (const std::string& choice : key.choices) choices += (choices.empty() ? "" : " | ") + choice;
    return choices;
}

std::string switch_line(const SwitchRow& row) {
    const std::string name = "--" + std::string(row.name) + (row.value[0] == '\0' ? "" : "=" + std::string(row.value));
    return "  " + padded(name, 20) + row.meaning + "\n";
}

}  // namespace

std::string section_of(const Key& key) { return key.name.substr(0, key.name.find('.')); }

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
        case ValueType::integer: return "integer" + range + (key.choices.empty() ? "" : " | " + joined_choices(key));
        case ValueType::real: return std::string("number") + range;
        case ValueType::integers: return std::string("integers or start:stop:step") + range;
        case ValueType::reals: return std::string("numbers or start:stop:step") + range;
        case ValueType::yes_no: return "yes | no";
        case ValueType::duration: return "time, e.g. 10min";
        case ValueType::text: return "text";
        case ValueType::file: return "path of a file";
        case ValueType::terms: return "terms, or path of a file";
        case ValueType::choice: break;
    }
    return joined_choices(key);
}

std::string default_text(const Key& key) {
    return !key.default_value.empty() ? key.default_value : key.demand.empty() ? "none" : "none, must be given";
}

std::vector<Key> by_section(std::vector<Key> keys) {
    const std::vector<std::string> order = {"lattice", "model",  "sector",     "state", "run",
                                            "backend", "output", "checkpoint", "scan"};
    const auto rank = [&](const Key& k) { return std::ranges::find(order, section_of(k)) - order.begin(); };
    std::ranges::stable_sort(keys, {}, rank);
    return keys;
}

std::string examples_text() {
    return "  mpirun -n 2 strata run jobs/ising-2d-critical.ini\n"
           "  mpirun -n 4 strata run jobs/ising-2d-critical.ini --lattice.extents=4096,4096 --run.sweeps=500\n"
           "  strata plan jobs/ising-3d-critical.ini --ranks=64\n"
           "  strata keys lanczos momentum\n"
           "  strata run jobs/heisenberg-ladder.ini --application=dmrg\n"
           "  mpirun -n 4 strata run jobs/hubbard-ring.ini --scan.model.u=0:8:0.5\n"
           "  mpirun -n 8 strata resume out/ising-2d-critical.checkpoint.h5 --run.sweeps=20000\n"
           "  strata measure out/heisenberg-ladder.checkpoint.h5 --observables.file=ops.txt\n"
           "  strata show out/*.h5 --csv\n";
}

std::string signals_text() {
    return "Signals: USR1 writes a checkpoint; USR2, TERM and INT finish the step, write a checkpoint and leave with "
           "0;\n"
           "a second INT ends at once. mpirun of Open MPI kills the ranks 1 s after TERM or INT: send it USR2, or set\n"
           "OMPI_MCA_odls_base_sigkill_timeout=120 before.\n"
           "Exit codes: 0 done or cleanly stopped, 2 bad input, 3 does not fit, 4 file trouble, 5 numerical failure,\n"
           "70 internal.\n";
}

std::string usage(const std::vector<ApplicationTitle>& applications) {
    std::string text = "strata: lattice codes on one MPI runtime\n\n";
    for (const VerbRow& row : verb_rows())
        text += "  " + padded("strata " + std::string(row.name) + " " + row.synopsis, 50) + " " + row.summary + "\n";
    text += "\nSwitches:\n";
    for (const SwitchRow& row : switch_rows()) text += switch_line(row);
    text += "\nApplications:\n";
    for (const ApplicationTitle& a : applications) text += "  " + padded(a.name, 16) + a.title + "\n";
    return text + "\nExamples:\n" + examples_text() + "\n" + signals_text();
}

std::string verb_usage(const VerbRow& verb) {
    std::string text = "strata " + std::string(verb.name) + " " + verb.synopsis + "\n  " + verb.summary + "\n";
    for (const SwitchRow& row : switch_rows())
        if (takes(verb, row)) text += switch_line(row);
    if (verb.keys == Keys::taken) text += "  " + padded("--section.key=value", 20) + "any key of strata keys\n";
    return text;
}

bool contains_word(const std::string& text, const std::string& word) {
    const auto lower = [](std::string of) {
        std::ranges::transform(of, of.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        return of;
    };
    return lower(text).find(lower(word)) != std::string::npos;
}

std::vector<Key> keys_about(const std::string& word, std::vector<Key> keys) {
    const auto named = [&](const Key& key) { return key.name == word; };
    if (const auto whole = std::ranges::find_if(keys, named); whole != keys.end()) return {*whole};
    std::erase_if(keys, [&](const Key& key) {
        return !contains_word(key.name + " " + key.meaning + " " + joined(key.choices), word);
    });
    return keys;
}

std::string key_table(const std::string& application, const std::vector<Key>& keys, const std::string& example) {
    std::string text = "Keys of " + application +
                       ". In a job file they stand below their [section]; on the command line\n" +
                       "write --section.key=value.\n";
    std::string section;
    for (const Key& key : by_section(keys)) {
        if (section_of(key) != section) {
            section = section_of(key);
            text += "\n[" + section + "]\n";
            if (section == "scan")
                text +=
                    padded("", 19) +
                    "Every key that decides what is computed may stand here with its section and several values:\n" +
                    padded("", 19) +
                    "model.u = 0:8:0.5, model.u = log:0.1:10:21 or lattice.type = ring, chain; values that\n" +
                    padded("", 19) +
                    "are lists are separated by semicolons: lattice.extents = 16,16; 32,32. All combinations\n" +
                    padded("", 19) + "are points of one job, which runs over groups of ranks.\n";
        }
        const std::string short_name = key.name.substr(section.size() + 1), condition = condition_text(key);
        text += "  " + padded(short_name, 16) + " " + type_text(key) + "; default " + default_text(key) +
                (key.unit.empty() ? "" : "; unit " + key.unit) + "\n" + padded("", 19) + key.meaning + "\n" +
                (condition.empty() ? "" : padded("", 19) + "Only with " + condition + ".\n");
    }
    if (!example.empty()) text += "\nExample job:\n\n" + example;
    return text;
}

}  // namespace strata::cli
