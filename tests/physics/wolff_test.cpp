// SPDX-License-Identifier: BSD-3-Clause
// Single clusters against the Boltzmann distribution: how often each of the configurations of a small lattice occurs, by
// chi^2. Detailed balance of the first site, the growth and the new state, and that all configurations are reached.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/packed_state.hpp"
#include "support/plain_ising.hpp"
#include "support/world.hpp"
#include "swendsen_wang/run/swendsen_wang.hpp"

namespace strata::swendsen_wang {
namespace {

SwendsenWangConfig small(std::vector<std::uint64_t> extents, double beta) {
    SwendsenWangConfig c;
    c.extents = std::move(extents);
    c.beta = beta;
    c.update = Update::wolff;
    c.clusters_per_sweep = 40;  // an even number, which keeps the parity of single flips
    c.seed = 29;
    c.simd = "auto";
    return c;
}

/// Lattices with less than a thousand configurations.
std::vector<SwendsenWangConfig> lattices() {
    using enum Boundary;
    std::vector<SwendsenWangConfig> all;
    for (const double beta : {0.0, 0.01, 0.3, 0.5}) all.push_back(small({3, 3}, beta));
    all.push_back(small({3, 3}, 0.4));
    all.back().coupling = -1;
    all.push_back(small({3, 3}, 0.4));
    all.back().boundaries = {periodic, antiperiodic};
    all.push_back(small({3, 3}, 0.5));
    all.back().opposite = 0.5;
    all.back().disorder_seed = 3;
    all.back().boundaries = {open, periodic};
    all.push_back(small({2, 2, 2}, 0.15));
    for (const auto& [states, extents] :
         std::vector<std::pair<int, std::vector<std::uint64_t>>>{{3, {3, 2}}, {4, {2, 2}}, {5, {2, 2}}}) {
        all.push_back(small(extents, 0.4));
        all.back().states = states;
    }
    return all;
}

/// exp(-beta H) up to a factor. The state of site i is digit i of the number `configuration` in base q.
double weight(const SwendsenWangConfig& c, const PlainIsing& lattice, std::size_t configuration) {
    const auto q = static_cast<std::size_t>(c.states);
    std::vector<std::size_t> state;
    for (std::uint64_t site = 0; site < lattice.sites(); ++site, configuration /= q) state.push_back(configuration % q);
    int satisfied = 0;
    for (std::uint64_t site = 0; site < lattice.sites(); ++site)
        for (int axis = 0; axis < static_cast<int>(c.extents.size()); ++axis) {
            const int sign = lattice.coupling(site, axis);
            if (sign != 0 && (state[site] == state[lattice.neighbour(site, axis)]) == (sign > 0)) ++satisfied;
        }
    return std::exp((c.states == 2 ? 2 : 1) * c.reduced_coupling() * satisfied);
}

std::size_t configuration_of(const SwendsenWangConfig& c, const PlainIsing& lattice,
                             const std::vector<DistributedArray>& digits) {
    std::size_t configuration = 0;
    for (std::size_t k = 0; k < digits.size(); ++k) {
        const std::uint64_t word = packed<std::uint64_t>(digits[k]).at(0);
        std::size_t place = 1;
        for (std::uint64_t site = 0; site < lattice.sites(); ++site, place *= static_cast<std::size_t>(c.states))
            configuration += (word >> lattice.position(site).bit & 1) * place << k;
    }
    return configuration;
}

TEST(SingleClusters, HaveTheBoltzmannDistribution) {
    const std::vector<SwendsenWangConfig> all = lattices();
    for (std::size_t at = 0; at < all.size(); ++at) {
        if (at % static_cast<std::size_t>(world().size()) != static_cast<std::size_t>(world().rank())) continue;
        const SwendsenWangConfig& c = all[at];
        const PlainIsing lattice(c.extents, c.seed, c.couplings(), c.states);
        const Communicator alone = Communicator::alone();
        SwendsenWang<Cpu> system(alone, SwendsenWangPlan(c, 1, 0, 1));
        system.allocate();
        system.initialise();
        constexpr std::uint64_t samples = 50000;
        std::vector<double> count(static_cast<std::size_t>(std::lround(std::pow(c.states, lattice.sites()))));
        for (std::uint64_t step = 0; step < samples; ++step) {
            system.step(step);
            ++count.at(configuration_of(c, lattice, system.state()));
        }
        double z = 0, chi2 = 0;
        for (std::size_t i = 0; i < count.size(); ++i) z += weight(c, lattice, i);
        for (std::size_t i = 0; i < count.size(); ++i) {
            const double expected = samples * weight(c, lattice, i) / z;
            chi2 += (count[i] - expected) * (count[i] - expected) / expected;
        }
        const auto freedom = static_cast<double>(count.size() - 1);
        EXPECT_LT(std::abs(chi2 - freedom), 4 * std::sqrt(2 * freedom)) << "lattice " << at << ", chi^2 " << chi2;
    }
}

}  // namespace
}  // namespace strata::swendsen_wang
