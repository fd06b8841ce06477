// SPDX-License-Identifier: BSD-3-Clause
// Lanczos applications, run to their end over a number of ranks.
#pragma once

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "krylov/lowest_states_report.hpp"
#include "lanczos/run/factory.hpp"
#include "lanczos/run/task.hpp"
#include "support/lattice_specs.hpp"
#include "support/runs.hpp"
#include "support/spin_model.hpp"
#include "support/world.hpp"

namespace strata::lanczos {

inline LanczosConfig with_momentum(LanczosConfig c, std::vector<std::int64_t> m, Parity parity = Parity::any) {
    c.symmetry = {Momenta::one, std::move(m), parity};
    return c;
}

inline LanczosConfig with_flux(LanczosConfig c, std::vector<double> flux) {
    c.lattice.flux = std::move(flux);
    return c;
}

inline LanczosConfig config(const std::string& type, std::vector<std::int64_t> extents, int up, int down, double u) {
    LanczosConfig c;
    c.lattice = lattice_spec(type, std::move(extents));
    c.up = up;
    c.down = down;
    c.u = {u};
    c.max_steps = 400;
    c.tolerance = 1e-10;
    return c;
}

inline LanczosConfig single(const std::string& type, std::vector<std::int64_t> extents, int particles, double v) {
    LanczosConfig c = config(type, std::move(extents), particles, 0, 0);
    c.model = ModelType::fermions;
    c.v = v;
    return c;
}

inline LanczosConfig spins(const std::string& type, std::vector<std::int64_t> extents, int up) {
    LanczosConfig c = single(type, std::move(extents), up, 0);
    set_spins(c);
    return c;
}

/// Maker of Hamiltonian operators on the CPU.
inline MakeHamiltonian on_cpu(const Communicator& comm = world()) { return hamiltonian_maker(comm, nullptr); }

/// Allocates and initialises an application and runs all steps on `threads` threads; returns the observed rows.
inline Series run(Application& system, int threads = 1) {
    omp_set_num_threads(threads);
    const Series series = run_whole(system);
    EXPECT_EQ(system.shortfall(), "");
    return series;
}

inline Quantity quantity(const Application& system, const Series& series, const std::string& name) {
    return quantity(system.results(series), name);
}

inline std::vector<double> values(const Application& system, const Series& series, const std::string& name) {
    return quantity(system, series, name).value;
}

/// Expects this number of states of the lowest energy: a script that reads `degeneracy` must not get a lower bound.
inline void expect_degeneracy(const Application& system, const Series& series, double states, krylov::Count count) {
    const std::vector<Quantity> all = system.results(series);
    const bool bounded = std::ranges::any_of(all, [](const Quantity& q) { return q.name == "degeneracy-at-least"; });
    const double degeneracy = quantity(all, "degeneracy").value[0];
    EXPECT_EQ(bounded, count == krylov::Count::at_least);
    if (bounded) {
        EXPECT_TRUE(std::isnan(degeneracy));
        EXPECT_EQ(quantity(all, "degeneracy-at-least").value[0], states);
    } else {
        EXPECT_EQ(degeneracy, states);
    }
}

/// The plan of this rank among all ranks, one thread each.
inline LanczosPlan plan(const LanczosConfig& c) { return {c, world().size(), world().rank(), 1}; }

/// Whether numbers have the same bits, absent ones (NaN) too.
inline bool same_bits(std::span<const double> a, std::span<const double> b) {
    return std::ranges::equal(a, b, {}, std::bit_cast<std::uint64_t, double>, std::bit_cast<std::uint64_t, double>);
}

/// Expects the same rows and named quantities of a job on all ranks as on one rank with two threads.
template <class System>
void expect_same_bits(const LanczosConfig& c, std::initializer_list<const char*> names) {
    const Communicator self = Communicator::alone();
    System together(plan(c), on_cpu()), alone(LanczosPlan(c, 1, 0, 2), on_cpu(self));
    const Series series = run(together), expected = run(alone, 2);
    EXPECT_TRUE(same_bits(series.values(), expected.values()));
    for (const char* name : names)
        EXPECT_TRUE(same_bits(values(together, series, name), values(alone, expected, name))) << name;
}

}  // namespace strata::lanczos
