// SPDX-License-Identifier: BSD-3-Clause
// Machine files have the syntax of job files: one section, [machine], with a name and one positive number per key.
#include "prediction/machine.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

#include "cli/job_file.hpp"
#include "kernels/bandwidth.hpp"
#include "strata/config.hpp"
#include "strata/error.hpp"
#include "strata/memory.hpp"

namespace strata::prediction {
namespace {

struct Row {
    const char* name;
    double Machine::*member;
    double unit;  ///< factor of the file's value
    const char* unit_name;
};
constexpr Row rows[] = {
    {"nodes", &Machine::nodes, 1, "nodes of a partition"},
    {"cores", &Machine::cores, 1, "cores of a node"},
    {"core-speed", &Machine::core_speed, 1, "times the reference core"},
    {"core-bandwidth", &Machine::core_bandwidth, 1e9, "GB/s of memory by one core"},
    {"node-bandwidth", &Machine::node_bandwidth, 1e9, "GB/s of memory by all cores"},
    {"memory", &Machine::memory, 1e9, "GB of a node"},
    {"latency", &Machine::latency, 1e-6, "us between nodes"},
    {"injection", &Machine::injection, 1e9, "GB/s that a node sends"},
    {"inner-latency", &Machine::inner_latency, 1e-6, "us within a node"},
    {"inner-bandwidth", &Machine::inner_bandwidth, 1e9, "GB/s of a rank within a node"},
};

/// The value of an entry, or 0 with a sentence in `errors`.
double value_of(const cli::JobFile& file, const cli::JobEntry& entry, const Row& row, cli::InputErrors& errors) {
    double value = 0;
    const bool whole = row.member == &Machine::nodes || row.member == &Machine::cores;
    if (parse_real(entry.value, value) && value >= 1e-6 && value <= 1e9 && (!whole || value == std::floor(value)))
        return value * row.unit;
    errors.add(file.at(entry.line) + entry.key + " = " + cli::printable(entry.value) + " must be " +
               (whole ? "an integer from 1 to 1e9 (" : "a number from 1e-6 to 1e9 (") + row.unit_name + ").");
    return 0;
}

}  // namespace

Machine parse_machine(std::string name, std::string_view text) {
    cli::InputErrors errors;
    const cli::JobFile file = cli::parse_job(std::move(name), std::string(text), errors);
    Machine machine;
    std::vector<std::string> known = {"machine.name"}, found;
    for (const Row& row : rows) known.push_back(std::string("machine.") + row.name);
    for (const cli::JobEntry& entry : file.entries) {
        if (std::ranges::count(found, entry.key) > 0)
            errors.add(file.at(entry.line) + cli::printable(entry.key) + " is given twice.");
        found.push_back(entry.key);
        if (entry.key == "machine.name") machine.name = cli::printable(entry.value);
        for (const Row& row : rows)
            if (entry.key == std::string("machine.") + row.name)
                machine.*row.member = value_of(file, entry, row, errors);
        if (std::ranges::count(known, entry.key) == 0)
            errors.add(file.at(entry.line) + cli::printable(entry.key) + " is no key of a machine file." +
                       cli::suggestion(entry.key, known));
    }
    for (const std::string& key : known)
        if (std::ranges::count(found, key) == 0) errors.add(file.name + " lacks " + key + ".");
    errors.throw_if_any();
    return machine;
}

Machine read_machine(const std::string& path) {
    std::string error;
    const std::string text = cli::read_text(path, error);
    if (!error.empty()) throw Error(ExitCode::bad_input, "The machine file '" + cli::printable(path) + "' " + error);
    return parse_machine(path, text);
}

Machine reference_machine(int cores) {
    Machine machine;
    const double factor = std::max(1.0, cores / machine.cores);
    machine.cores *= factor;
    machine.node_bandwidth *= factor;
    return machine;
}

Machine this_machine() {
    Machine machine;
    machine.name = "nodes like this machine, joined by an assumed network of 200 Gb/s and 2 us";
    machine.cores = std::max(1U, std::thread::hardware_concurrency());
    constexpr std::size_t probe = std::size_t{256} << 20;
    machine.core_bandwidth = read_bandwidth(1, probe);
    machine.node_bandwidth = std::max(machine.core_bandwidth, read_bandwidth(static_cast<int>(machine.cores), probe));
    machine.memory = static_cast<double>(available_memory());
    return machine;
}

}  // namespace strata::prediction
