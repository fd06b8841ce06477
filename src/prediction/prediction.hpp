// SPDX-License-Identifier: BSD-3-Clause
// Time of a step from counted work and a machine. The formula: computation and memory overlap in part,
// base = sqrt(computation^2 + memory^2); serial work, latencies and bytes between ranks are added to it.
#pragma once

#include <string>

#include "prediction/machine.hpp"
#include "strata/work.hpp"

namespace strata::prediction {

struct Prediction {
    double nodes = 1;
    double computation = 0, memory = 0;           ///< seconds, each alone
    double serial = 0, latency = 0, network = 0;  ///< seconds
    double imbalance = 0;                         ///< seconds of the base that an even distribution would save
    /// Time of the parts that overlap.
    double base() const;
    double seconds() const { return base() + serial + latency + network; }
    /// The part that takes longest, e.g. "memory bandwidth".
    std::string limit() const;
};

/// Ranks that a node holds, a core for each thread; at least 1.
double ranks_per_node(const Machine& machine, int threads);

Prediction predict(const Machine& machine, const Work& work, int ranks, int threads);

}  // namespace strata::prediction
