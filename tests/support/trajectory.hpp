// SPDX-License-Identifier: BSD-3-Clause
// Comparison of the application on all ranks with the reference sweep (plain_ising.hpp): same spins and same
// observations after every sweep.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <type_traits>

#include "comm/collectives.hpp"
#include "strata/application.hpp"
#include "support/packed_state.hpp"
#include "support/plain_ising.hpp"
#include "support/world.hpp"
#include "swendsen_wang/run/parallel_tempering.hpp"
#include "swendsen_wang/state/observation.hpp"

namespace strata::swendsen_wang {

inline SwendsenWangConfig job(std::vector<std::uint64_t> extents, double beta, Merge merge) {
    SwendsenWangConfig c;
    c.extents = std::move(extents);
    c.beta = beta;
    c.sweeps = 5;
    c.seed = 77;
    c.start = Start::hot;
    c.merge = merge;
    c.simd = "auto";
    return c;
}

/// Antiferromagnets, random signs, open and antiperiodic boundaries.
inline std::vector<SwendsenWangConfig> coupling_jobs(Merge merge) {
    using enum Boundary;
    SwendsenWangConfig square = job({45, 37}, 0.7, merge), cube = job({9, 10, 19}, 0.5, merge);
    square.boundaries = {open, antiperiodic};
    square.opposite = 0.3;
    square.disorder_seed = 5;
    cube.boundaries = {antiperiodic, periodic, open};
    cube.coupling = -1;
    std::vector<SwendsenWangConfig> all = {square, cube};
    square.boundaries = {periodic, open};
    square.coupling = -0.8;
    cube.boundaries = {open, antiperiodic, antiperiodic};
    cube.opposite = 0.5;
    all.push_back(square);
    all.push_back(cube);
    return all;
}

/// Updates of single spins, alone and before clusters: fields, random signs, all boundaries, partial tiles.
inline std::vector<SwendsenWangConfig> metropolis_jobs() {
    using enum Boundary;
    const auto make = [](std::vector<std::uint64_t> extents, double beta, Update update, double field) {
        SwendsenWangConfig c = job(std::move(extents), beta, Merge::automatic);
        c.update = update;
        c.field = field;
        c.measure_every = 2;
        return c;
    };
    std::vector<SwendsenWangConfig> all = {
        make({40, 32}, 0.44, Update::metropolis, 0), make({146, 50}, 0.4, Update::mixed, 0),
        make({10, 12, 18}, 0.22, Update::metropolis, -0.3), make({2, 36}, 0.2, Update::metropolis, 0.1)};
    SwendsenWangConfig c = make({45, 37}, 0.6, Update::metropolis, 0.25);
    c.boundaries = {open, open};
    c.opposite = 0.3;
    c.disorder_seed = 5;
    all.push_back(c);
    c = make({10, 9, 18}, 0.3, Update::mixed, 0);
    c.boundaries = {antiperiodic, open, periodic};
    c.coupling = -1.2;
    c.opposite = 0.5;
    all.push_back(c);
    c = make({10, 12, 17}, 0.3, Update::metropolis, 1.5);
    c.boundaries = {periodic, antiperiodic, open};
    c.coupling = -0.7;
    all.push_back(c);
    return all;
}

/// Clusters in a weak field and in a strong one of the other direction: random signs, all boundaries, partial tiles, and
/// single spins before the clusters.
inline std::vector<SwendsenWangConfig> ghost_jobs(Merge merge) {
    std::vector<SwendsenWangConfig> all;
    for (const double field : {-0.02, 0.6}) {
        for (const SwendsenWangConfig& c : coupling_jobs(merge)) all.push_back(c);
        for (const double beta : {0.44068679350977147, 0.7}) all.push_back(job({45, 37}, beta, merge));
        for (const double beta : {0.15, 0.4}) all.push_back(job({9, 10, 19}, beta, merge));
        all.push_back(job({146, 50}, 0.4, merge));
        all.back().update = Update::mixed;
        for (SwendsenWangConfig& c : all)
            if (c.field == 0) c.field = field;
    }
    return all;
}

inline std::vector<std::uint64_t> all_words(Application& system) {
    std::vector<std::uint64_t> all;
    for (const DistributedArray& array : system.state()) {
        const std::vector<std::uint64_t> mine = packed<std::uint64_t>(array);
        std::ranges::copy(gather(world(), std::span<const std::uint64_t>(mine)), std::back_inserter(all));
    }
    return all;
}

/// (q sum_a (N_a / N)^2 - 1) / (q - 1) of states.
inline double squared_shares(const std::vector<std::uint8_t>& states, int q) {
    std::vector<double> sites(static_cast<std::size_t>(q));
    for (const std::uint8_t state : states) sites.at(state) += 1;
    double sum = 0;
    for (const double n : sites) sum += std::pow(n / static_cast<double>(states.size()), 2);
    return (q * sum - 1) / (q - 1);
}

/// Potts models of powers of two and of other numbers of states, open axes and partial tiles among them.
inline std::vector<SwendsenWangConfig> potts_jobs(Merge merge) {
    std::vector<SwendsenWangConfig> all;
    for (const int states : {3, 4, 7, 256})
        for (const double beta : {0.7, 1.3, 3.0}) {
            all.push_back(job({45, 37}, beta, merge));
            all.back().states = states;
            all.push_back(job({9, 10, 19}, beta, merge));
            all.back().states = states;
            all.back().boundaries = {Boundary::open, Boundary::periodic,
                                     beta > 1 ? Boundary::open : Boundary::periodic};
        }
    return all;
}

/// Runs `system`, made for `config` and not yet allocated, together with the reference sweep.
inline void expect_plain_trajectory(Application& system, const SwendsenWangConfig& config) {
    system.allocate();
    system.initialise();
    PlainIsing plain(config.extents, config.seed, config.couplings(), config.states);
    for (std::uint64_t site = 0; site < plain.sites(); ++site) {
        const auto at = plain.position(site);
        plain.up()[site] = start_word(config.seed, at.tile) >> at.bit & 1;
    }
    if (config.states > 2) plain.start_hot();
    const auto n = static_cast<double>(plain.sites());
    for (std::uint64_t sweep = 0; sweep < config.sweeps; ++sweep) {
        std::vector<double> row;
        system.step(sweep);
        if (system.observes(sweep)) system.observe(row);
        if (config.has_metropolis()) plain.metropolis(sweep, config.reduced_coupling(), config.beta * config.field);
        const std::vector<std::uint8_t> before = plain.up();
        const PlainIsing::Observed expected = plain.sweep(sweep, config.bond().threshold, config.ghost());
        if (config.update == Update::metropolis) plain.up() = before;
        const std::vector<std::uint64_t> words = all_words(system);
        const bool differs = world().is_root() && words != plain.words();
        ASSERT_EQ(all_max(world(), differs ? 1 : 0), 0U)
            << "other spins after sweep " << sweep;  // no rank goes on alone
        if (!world().is_root()) continue;
        if (!system.observes(sweep)) continue;
        double squares = 0, fourths = 0, largest = 0;
        for (std::uint64_t size : expected.cluster_sizes) {
            squares += static_cast<double>(size * size);
            fourths += std::pow(static_cast<double>(size) / n, 4);
            largest = std::max(largest, static_cast<double>(size));
        }
        ASSERT_EQ(row.size(), system.columns().size());
        EXPECT_NEAR(row[energy_column], (expected.energy - config.relative_field() * expected.magnetisation) / n,
                    1e-14);
        if (config.field != 0) {
            EXPECT_NEAR(row[signed_magnetisation], expected.magnetisation / n, 1e-14);
        }
        if (config.improves_in_field()) {
            double bound = 0, free_squares = squares;
            for (std::uint64_t size : expected.bound_sizes) {
                bound += static_cast<double>(size);
                free_squares -= static_cast<double>(size * size);
            }
            EXPECT_NEAR(row[improved_magnetisation], (config.field > 0 ? bound : -bound) / n, 1e-14);
            EXPECT_NEAR(row[improved_magnetisation_2], (bound * bound + free_squares) / n / n, 1e-14);
        }
        const double m2 =
            config.states == 2 ? std::pow(expected.magnetisation / n, 2) : squared_shares(before, config.states);
        EXPECT_NEAR(row[absolute_magnetisation], std::sqrt(m2), 1e-14);
        EXPECT_NEAR(row[magnetisation_2], m2, 1e-14);
        EXPECT_NEAR(row[magnetisation_4], m2 * m2, 1e-14);
        EXPECT_NEAR(row[cluster_2], squares / n / n, 1e-15);
        EXPECT_NEAR(row[cluster_4], fourths, 1e-13);
        EXPECT_NEAR(row[largest_cluster], largest / n, 1e-15);
        EXPECT_NEAR(row[cluster_count], static_cast<double>(expected.cluster_sizes.size()) / n, 1e-15);
    }
}

/// A run with parallel tempering that is made step by step.
template <class Backend>
struct TemperingRun {
    TemperingRun(const Communicator& comm, const SwendsenWangConfig& config,
                 const BackendOptions<Backend>& options = {})
        : system(comm,
                 SwendsenWangPlan(config, comm.size(), comm.rank(), 1,
                                  std::is_same_v<Backend, Cuda> ? BackendKind::cuda : BackendKind::cpu),
                 options) {
        system.allocate();
        system.initialise();
    }
    void steps(std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t step = first; step < last; ++step) {
            system.step(step);
            if (system.observes(step)) system.observe(rows);
        }
    }
    ParallelTempering<Backend> system;
    std::vector<double> rows;
};

inline SwendsenWangConfig tempering_job(std::size_t temperatures, std::vector<std::uint64_t> extents, Merge merge) {
    SwendsenWangConfig c = job(std::move(extents), 0, merge);
    c.opposite = 0.5;
    c.disorder_seed = 9;
    c.sweeps = 24;
    c.measure_every = 2;
    c.exchange_every = 3;
    c.overlap = temperatures % 2 == 0;
    for (std::size_t t = 0; t < temperatures; ++t) c.betas.push_back(1 / (0.5 + 0.3 * static_cast<double>(t)));
    c.beta = c.betas.front();
    return c;
}

}  // namespace strata::swendsen_wang
