// SPDX-License-Identifier: BSD-3-Clause
// Sectors of momentum and parity on the ranks of a run: all energies of one sector, and systems whose sectors together
// must have the spectrum without symmetries (support/dense_sector.hpp).
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "lanczos/physics/make_model.hpp"
#include "lanczos/physics/symmetries.hpp"
#include "lanczos/run/lowest_states.hpp"
#include "support/dense_sector.hpp"
#include "support/lanczos_runs.hpp"

namespace strata::lanczos {

/// All energies of a sector, computed by operators of the given maker; empty if the sector has no state.
inline std::vector<double> energies_of(LanczosConfig c, const MakeHamiltonian& make = on_cpu()) {
    const Model model = make_model(c);
    const double states =
        OrbitCounts::states(*make_symmetry_group(c.symmetry, model), model, {c.up, c.down, c.conserved});
    if (states == 0) return {};
    c.states = static_cast<std::uint64_t>(states);
    c.max_steps = 3000;
    LowestStates system(plan(c), make);
    EXPECT_EQ(plan(c).dimension(), states);
    const Series series = run(system);
    EXPECT_LT(values(system, series, "residual")[0], 1e-8);
    return values(system, series, "energies");
}

inline void expect_spectrum(std::vector<double> found, const LanczosConfig& c) {
    const std::string what = c.lattice.type + " of " + std::to_string(make_model(c).lattice.sites);
    const DenseSector dense(c);
    std::ranges::sort(found);
    ASSERT_EQ(found.size(), dense.size()) << what;
    for (std::size_t n = 0; n < found.size(); ++n) EXPECT_NEAR(found[n], dense.energy(n), 1e-10) << what << " " << n;
}

inline void append(std::vector<double>& all, const std::vector<double>& more) {
    all.insert(all.end(), more.begin(), more.end());
}

/// Systems with translations: rings, tori, several sites per cell, flux and complex amplitudes.
inline std::vector<LanczosConfig> translated_systems() {
    LanczosConfig extended = config("ring", {5}, 2, 3, 4);
    extended.v = 0.7;
    extended.potential = {0.3};
    return {config("ring", {6}, 3, 3, 4),
            config("ring", {4}, 1, 2, 4),
            config("ring", {6}, 2, 5, -3),
            extended,
            config("square", {3, 2}, 2, 2, 4),
            config("tilted", {2, 1}, 2, 3, 3),
            config("triangular", {3, 2}, 1, 3, 5),
            config("honeycomb", {2, 1}, 2, 2, 4),
            config("honeycomb", {3, 1}, 2, 1, 4),
            config("kagome", {1, 2}, 2, 3, 2),
            with_flux(config("ring", {5}, 2, 2, 4), {0.9}),
            with_flux(config("square", {2, 2}, 2, 1, 4), {0.7, -1.1}),
            config("checkerboard", {2, 2}, 1, 2, 3)};
}

/// Lowest energy in the Krylov space of a random vector after `steps` steps, or where the space ends before.
inline double lowest_energy(HamiltonianOperator& op, std::size_t steps) {
    op.draw(op.w(), 0);
    krylov::RecurrenceState state;
    krylov::begin_recurrence(op, state);
    std::vector<double> alpha(steps), beta(steps);
    while (state.steps < steps && state.exhausted == 0) krylov::recurrence_step(op, state, alpha, beta);
    return krylov::lowest_pair({alpha.data(), state.steps}, {beta.data(), state.steps - 1}).value + op.offset();
}

}  // namespace strata::lanczos
