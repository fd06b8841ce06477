// SPDX-License-Identifier: BSD-3-Clause
// A sweep of the Ising ring and its energy, which is known exactly: with t = tanh K and N sites, E / (N J) =
// -t (1 + t^(N-2)) / (1 + t^N) (Ising, Z. Phys. 31, 253 (1925)).
#include "chain/run/chain.hpp"

#include <cmath>

#include "analysis/estimate.hpp"
#include "comm/collectives.hpp"
#include "strata/rng.hpp"

namespace strata::chain {
namespace {

constexpr std::uint32_t purpose = 0x544F5921;  // of the random numbers: no other application uses it

/// A number from 0 to 1 that belongs to one update of one site.
double uniform(std::uint64_t seed, std::uint64_t site, std::uint64_t update) {
    const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
    const Philox4x32 r = philox(seed, {low(site), low(site >> 32), low(update), purpose});
    return static_cast<double>((std::uint64_t{r[1]} << 32 | r[0]) >> 11) * 0x1p-53;
}

double exact_energy(const ChainConfig& c) {
    const double t = std::tanh(c.coupling), n = static_cast<double>(c.sites);
    return -t * (1 + std::pow(t, n - 2)) / (1 + std::pow(t, n));
}

}  // namespace

ChainPlan::ChainPlan(const ChainConfig& chosen, int ranks, int rank)
    : config(chosen),
      sites(equal_part(chosen.sites, static_cast<std::uint64_t>(ranks), static_cast<std::uint64_t>(rank))) {
    for (int up = 0; up <= 2; ++up) up_probability[up] = 1 / (1 + std::exp(-4 * config.coupling * (up - 1)));
    memory.host.push_back({"spins", 8 * sites.size()});
    memory.checkpoint_bytes = 8 * config.sites;
}

Chain::Chain(const Communicator& comm, const ChainPlan& plan) : comm_(comm), plan_(plan), halo_(1, comm) {}

std::vector<std::string> Chain::description() const {
    return {"Ising ring of " + std::to_string(plan_.config.sites) + " sites, heat bath"};
}

void Chain::initialise() {
    for (std::uint64_t& spin : spins_) spin = 1;
}

std::vector<DistributedArray> Chain::state() {
    return {host_array({"spins", ElementType::u64, plan_.config.sites, 1}, plan_.sites, spins_.data(), 1)};
}

void Chain::exchange_borders() {
    const Timers::Scope scope = timers_.scope("halo");
    halo_.to_previous().data()[0] = spins_.data()[0];
    halo_.to_next().data()[0] = spins_.data()[spins_.size() - 1];
    halo_.start();
    halo_.finish();
}

void Chain::update(std::uint64_t parity, std::uint64_t step) {
    const Timers::Scope scope = timers_.scope("update");
    const std::uint64_t n = spins_.size();
    std::uint64_t* spins = spins_.data();
    for (std::uint64_t i = (plan_.sites.first + parity) % 2; i < n; i += 2) {
        const std::uint64_t left = i == 0 ? halo_.from_previous().data()[0] : spins[i - 1];
        const std::uint64_t right = i + 1 == n ? halo_.from_next().data()[0] : spins[i + 1];
        const double u = uniform(plan_.config.seed, plan_.sites.first + i, step);
        spins[i] = u < plan_.up_probability[left + right] ? 1 : 0;
    }
}

void Chain::step(std::uint64_t step) {
    for (std::uint64_t parity : {0, 1}) {
        exchange_borders();
        update(parity, step);
    }
}

void Chain::observe(std::vector<double>& rows) {
    exchange_borders();
    std::uint64_t unequal = 0;  // pairs of a site and its right neighbour
    for (std::uint64_t i = 0; i < spins_.size(); ++i) {
        const bool last = i + 1 == spins_.size();
        unequal += spins_.data()[i] ^ (last ? halo_.from_next().data()[0] : spins_.data()[i + 1]);
    }
    rows.push_back(2 * static_cast<double>(all_sum(comm_, unequal)) / static_cast<double>(plan_.config.sites) - 1);
}

std::string Chain::broken_invariant(std::span<const double> row) const {
    return std::abs(row[0]) <= 1 ? "" : "the energy per site is " + std::to_string(row[0]) + " J, beyond 1.";
}

std::vector<Quantity> Chain::results(const Series& series) const {
    if (series.rows() == 0) return {};
    const analysis::Estimate e = analysis::gamma_method(series.column(0, 0, series.rows()));
    return {{"energy", "J", "energy per site", {e.value}, {e.error}, {e.tau}, {exact_energy(plan_.config)}}};
}

std::vector<Figure> Chain::performance(std::uint64_t steps, double seconds) const {
    const double updates = static_cast<double>(steps) * static_cast<double>(plan_.config.sites);
    return {{"ns_per_site_update", 1e9 * seconds / updates, "ns", "time per update of a site"}};
}

}  // namespace strata::chain
