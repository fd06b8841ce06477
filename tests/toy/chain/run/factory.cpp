// SPDX-License-Identifier: BSD-3-Clause
// What the registry asks of an application before one is made: keys, rules between them, memory, exact results.
#include <cmath>

#include "chain/run/chain.hpp"

namespace strata::chain {
namespace {

ChainConfig resolve(const Config& config) {
    return {config.count("lattice.extent"), config.real("model.coupling"), config.count("run.sweeps"),
            config.count("run.seed")};
}

std::vector<Key> keys() {
    using enum ValueType;
    using enum KeyRole;
    return {Key{"lattice.extent", integer, "", "sites", "Sites of the ring, an even number.", physics, 8, 1e9}.required(
                "give the number of sites, e.g. lattice.extent = 64."),
            {"model.coupling", real, "0.5", "", "K = J / (k_B T) of neighbours.", physics, 0, 100},
            {"run.sweeps", integer, "1000", "", "Updates of all sites.", length, 1, 4e9}};
}

std::vector<std::string> validate(const Config& config) {
    if (config.integer("lattice.extent") % 2 == 0) return {};
    return {config.cite("lattice.extent") + " is odd; the sites of even and odd index are updated in turn."};
}

std::unique_ptr<Application> make(const Communicator& comm, const Config& config, int, const DeviceBinding*) {
    return std::make_unique<Chain>(comm, ChainPlan(resolve(config), comm.size(), comm.rank()));
}

Forecast forecast(const Config& config, const RunLayout& layout, BackendKind) {
    const ChainPlan plan(resolve(config), layout.ranks, 0);
    const auto traffic = [] { return std::vector<std::string>{"network: 2 words per rank and half a sweep"}; };
    return {{"Ising ring"}, plan.memory, traffic, plan.config.sweeps, "sweeps", 0};
}

std::vector<Oracle> oracles() {
    const double t = std::tanh(0.5);
    return {{"ring of 64 sites, energy",
             "application = chain\n[lattice]\nextent = 64\n[run]\nsweeps = 20000\nseed = 3\n", "energy",
             -t * (1 + std::pow(t, 62)) / (1 + std::pow(t, 64))}};
}

}  // namespace

ApplicationEntry entry() {
    return {.name = "chain",
            .title = "the Ising ring by the heat bath",
            .example = "application = chain\n[lattice]\nextent = 64\n[run]\nsweeps = 2000\n",
            .keys = keys,
            .validate = validate,
            .make = make,
            .forecast = forecast,
            .oracles = oracles,
            .backends = {BackendKind::cpu}};
}

}  // namespace strata::chain
