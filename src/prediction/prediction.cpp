// SPDX-License-Identifier: BSD-3-Clause
// Ranks are placed one after another on full nodes. Bytes of neighbours leave a node at its two ends only; bytes to all
// ranks leave it in proportion to the ranks that are elsewhere.
#include "prediction/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace strata::prediction {
namespace {

/// Seconds in which the bytes of a rank and of its node are sent.
double sending_time(const Machine& machine, const Work& work, double ranks, double on_node) {
    const bool one_node = ranks <= on_node;
    const double outside = one_node                              ? 0
                           : work.pattern == Pattern::neighbours ? 1 / on_node
                                                                 : (ranks - on_node) / (ranks - 1);
    const double between = on_node * work.sent_bytes * outside / machine.injection;
    const double within = work.shares_memory ? 0 : work.sent_bytes * (1 - outside) / machine.inner_bandwidth;
    return between + within;
}

}  // namespace

double Prediction::base() const { return std::hypot(computation, memory); }

std::string Prediction::limit() const {
    const double even = base() - imbalance;
    const std::pair<double, const char*> parts[] = {{even, computation >= memory ? "computation" : "memory bandwidth"},
                                                    {imbalance, "imbalance"},
                                                    {serial, "serial part"},
                                                    {latency, "network latency"},
                                                    {network, "network volume"}};
    return std::ranges::max(parts, {}, [](const auto& part) { return part.first; }).second;
}

double ranks_per_node(const Machine& machine, int threads) {
    return std::max(1.0, std::floor(machine.cores / threads));
}

Prediction predict(const Machine& machine, const Work& work, int ranks, int threads) {
    const double on_node = std::min<double>(ranks, ranks_per_node(machine, threads));
    const double cores = std::min<double>(threads, machine.cores);
    Prediction p;
    p.nodes = std::ceil(ranks / on_node);
    p.computation = work.core_seconds / (machine.core_speed * cores);
    p.memory = work.memory_bytes / std::min(cores * machine.core_bandwidth, machine.node_bandwidth / on_node);
    p.serial = work.serial_seconds / machine.core_speed;
    p.imbalance = p.base() * (1 - 1 / work.imbalance);
    if (ranks == 1) return p;
    const double latency = p.nodes > 1 ? machine.latency : machine.inner_latency;
    p.latency = latency * (work.messages + work.collectives * std::ceil(std::log2(ranks)));
    p.network = sending_time(machine, work, ranks, on_node);
    return p;
}

}  // namespace strata::prediction
