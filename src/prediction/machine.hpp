// SPDX-License-Identifier: BSD-3-Clause
// A cluster of equal nodes in a few numbers, from a machine file (jobs/machines) or from this machine.
#pragma once

#include <string>
#include <string_view>

namespace strata::prediction {

/// The defaults are the machine on which the applications' rates were measured, with an assumed network.
struct Machine {
    std::string name = "two cores of a Zen 4 server, joined by an assumed network of 200 Gb/s and 2 us";
    double nodes = 1e9;             ///< nodes of the largest partition
    double cores = 2;               ///< per node
    double core_speed = 1;          ///< in units of the reference core
    double core_bandwidth = 28e9;   ///< bytes per second that one core reads from memory
    double node_bandwidth = 35e9;   ///< the same of all cores of a node
    double memory = 16e9;           ///< bytes per node
    double latency = 2e-6;          ///< seconds of a message between nodes, with what sending and receiving take
    double injection = 25e9;        ///< bytes per second that a node sends
    double inner_latency = 0.5e-6;  ///< seconds of a message within a node
    double inner_bandwidth = 5e9;   ///< bytes per second that a rank sends within its node
};

/// The machine of a file. Throws Error(bad_input) with a sentence for each value that is missing, wrong or unknown.
Machine parse_machine(std::string file, std::string_view text);
Machine read_machine(const std::string& path);

/// The defaults with at least this number of cores per node, which share its bandwidth as those of the default do.
Machine reference_machine(int cores);

/// Nodes like this machine, whose memory bandwidth is measured, joined by the assumed network.
Machine this_machine();

}  // namespace strata::prediction
