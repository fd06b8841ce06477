// SPDX-License-Identifier: BSD-3-Clause
// Quantities and sentences on a ground state and its multiplet, shared by the tasks that begin with one: the states of
// a sector and spectra.
#include "lanczos/run/ground_state_report.hpp"

#include <algorithm>
#include <cmath>

#include "krylov/lowest_states_report.hpp"
#include "strata/formatted.hpp"

namespace strata::lanczos {
namespace {

using krylov::Count;
using krylov::Degeneracy;
using krylov::GroundStateSolver;

/// Residual that the recurrence aims at for a certified energy, relative to the scale of energies: its estimate becomes so
/// small, although rounding leaves more of the true one.
constexpr double least_single_residual = 3e-7;

/// Number of states of the lowest energy that the search has seen; NaN if it has not decided that.
double known_states(const GroundStateSolver& solver) {
    const auto states = static_cast<double>(solver.states());
    if (solver.degeneracy() == Degeneracy::more) return states + 1;
    return solver.degeneracy() == Degeneracy::complete ? states : NAN;
}

}  // namespace

krylov::GroundStateOptions ground_state_options(const LanczosConfig& config, std::size_t max_states) {
    krylov::GroundStateOptions options = {
        .max_states = max_states,
        .max_steps = config.max_steps,
        .max_coefficients = max_steps,
        .tolerance = config.tolerance,
        .multiplet = config.degeneracy ? krylov::MultipletSearch::on : krylov::MultipletSearch::off};
    if (config.certified) {
        options.tolerance = default_single_tolerance;
        options.first_residual = least_single_residual;
        options.energy_tolerance = config.tolerance;
    }
    return options;
}

std::size_t kept_vectors(const LanczosPlan& plan, BackendKind backend) {
    constexpr std::uint64_t small = 128 << 10;  // bytes of a vector on all ranks
    constexpr std::uint64_t most = 100;         // sectors so small seldom need more steps
    if (backend != BackendKind::cpu || !plan.config().vectors || plan.all_vector_bytes() > small) return 0;
    return std::min(plan.config().max_steps, most);
}

StepCounts ground_state_steps(const LanczosPlan& plan) {
    const LanczosConfig& c = plan.config();
    const std::uint64_t passes = !c.vectors ? 1 : c.degeneracy ? 3 : 2, state = c.vectors ? 1 : 0;
    return {passes * c.max_steps + state,
            whole_steps(static_cast<double>(passes) * usual_search(plan) + static_cast<double>(state))};
}

std::vector<Quantity> ground_state_results(const GroundStateSolver& solver) {
    std::vector<Quantity> q = {{"energy", "energy", "of the lowest state, total", {solver.energy()}},
                               {"steps", "1", "of the first pass", {static_cast<double>(solver.iterations())}},
                               {"residual-estimate", "energy", "from the recurrence", {solver.residual_estimate()}}};
    if (solver.max_states() == 0) return q;
    q.push_back({"converged",
                 "1",
                 "1: the true residual, or energy-error where it is given, is below run.tolerance",
                 {solver.converged() ? 1.0 : 0.0}});
    if (solver.states() == 0) return q;
    if (solver.certified()) {
        q.push_back({"energy-bound", "energy", "a level lies within it of energy", {solver.energy_bound()}});
        q.push_back({"energy-error", "energy", "estimate of the error by the next level", {solver.energy_error()}});
    }
    q.push_back({"residual", "energy", "norm of H x - E x, by multiplication", {solver.residual()}});
    krylov::append_degeneracy(known_states(solver),
                              solver.degeneracy() == Degeneracy::complete ? Count::complete : Count::at_least, q);
    if (!std::isnan(solver.next_energy()) && solver.degeneracy() != Degeneracy::lower)
        q.push_back({"next-energy", "energy", "roughly, of the lowest state beyond", {solver.next_energy()}});
    return q;
}

std::string ground_state_shortfall(const GroundStateSolver& solver, const LanczosConfig& config) {
    if (solver.degeneracy() == Degeneracy::lower)
        return formatted(
            "There is a state at %.12g, below the one that was found at %.12g. Repeat with another run.seed.",
            solver.next_energy(), solver.energy());
    if (solver.converged() || config.allow_unconverged) return {};
    if (!solver.energy_converged())
        return formatted(
            "The energy has not converged in %.0f steps: its residual is about %.2g. Allow more with "
            "run.max-steps, or this with run.allow-unconverged = yes.",
            static_cast<double>(solver.iterations()), solver.residual_estimate());
    if (solver.certified() && solver.residual() <= solver.tolerance())
        return formatted(
            "The energy is known to %.2g, and run.tolerance is %.2g: %s. Choose a larger run.tolerance, or double "
            "precision.",
            solver.energy_error(), solver.energy_tolerance(),
            solver.degeneracy() == Degeneracy::complete
                ? "rounding of the vector in single precision does not allow less"
                : "the level is degenerate, or has others nearer than single precision resolves, which a sector of "
                  "symmetries may separate");
    return formatted(
        "The residual of the ground state is %.2g, above run.tolerance (%.2g): rounding does not allow less. "
        "Choose a larger run.tolerance%s.",
        solver.residual(), solver.tolerance(), config.precision == Precision::single ? ", or double precision" : "");
}

std::string unresolved_remark(double residual, const char* advice) {
    return formatted(
        "Levels nearer than the residual of %.1g cannot be told apart: the degeneracy is not known, and what depends "
        "on "
        "the mixture of states is not given.%s",
        residual, advice);
}

std::string ground_state_remark(const GroundStateSolver& solver) {
    if (solver.max_states() == 0)
        return formatted(
            "Without run.vectors neither the true residual nor the degeneracy of the ground state is known; the energy "
            "may be that of a level nearby, within run.tolerance (%.1g).",
            solver.tolerance());
    if (solver.degeneracy() == Degeneracy::unresolved)
        return unresolved_remark(solver.residual(), " A search for several states resolves more: run.states = 2.");
    if (solver.states() == 0) return {};
    if (solver.degeneracy() == Degeneracy::more)
        return formatted(
            "The ground state is degenerate, at least %.0f times: what depends on the mixture of these states is "
            "not given. With a larger run.states it is averaged over all of them.",
            static_cast<double>(solver.states()) + 1);
    if (solver.degeneracy() == Degeneracy::undecided)
        return formatted(
            "Whether the ground state is degenerate is not known; if it is, or if levels lie nearer than run.tolerance "
            "(%.1g), expectation values depend on run.seed.",
            solver.tolerance());
    if (solver.states() > 1)
        return formatted("Expectation values are averages over the %zu degenerate ground states.", solver.states());
    return {};
}

}  // namespace strata::lanczos
