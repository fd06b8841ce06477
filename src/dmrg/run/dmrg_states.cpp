// SPDX-License-Identifier: BSD-3-Clause
// Transition from one state to the next, and the results of several states. Since a state is orthogonal to
// approximations of the lower ones, its energy can be below its level by as much as theirs are above their levels. The
// eigenvalues of H in the space of all states are upper bounds (E. A. Hylleraas, B. Undheim, Z. Phys. 65, 759 (1930);
// J. K. L. MacDonald, Phys. Rev. 43, 830 (1933)).
#include <algorithm>
#include <cmath>
#include <numeric>

#include "dmrg/run/dmrg.hpp"
#include "krylov/tridiagonal.hpp"
#include "strata/error.hpp"

namespace strata::dmrg {
namespace {

using Complex = std::complex<double>;

/// Product of two n x n matrices, stored column by column.
std::vector<Complex> product(std::size_t n, const std::vector<Complex>& a, const std::vector<Complex>& b) {
    std::vector<Complex> c(n * n);
    for (std::size_t j = 0; j < n; ++j)
        for (std::size_t k = 0; k < n; ++k)
            for (std::size_t i = 0; i < n; ++i) c[j * n + i] += a[k * n + i] * b[j * n + k];
    return c;
}

/// Eigenvalues of H in the space of vectors with the overlap matrix S, i.e. of S^(-1/2) H S^(-1/2), ascending.
/// Collective.
std::vector<double> ritz_values(const Communicator& comm, std::size_t n, const std::vector<Complex>& h,
                                const std::vector<Complex>& s) {
    constexpr double smallest = 1e-3;
    const krylov::DensePairs pairs = krylov::hermitian_pairs(comm, n, s);
    if (pairs.values[0] < smallest)
        throw Error(ExitCode::numerical,
                    "The states that were found are not independent: ask for a larger M or for "
                    "fewer run.states.");
    std::vector<Complex> root(n * n);
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t i = 0; i < n; ++i)
                root[j * n + i] +=
                    pairs.vectors[k * n + i] * std::conj(pairs.vectors[k * n + j]) / std::sqrt(pairs.values[k]);
    return krylov::hermitian_pairs(comm, n, product(n, product(n, root, h), root)).values;
}

}  // namespace

void Dmrg::end_state() {
    const auto state = static_cast<std::size_t>(table_.finished);
    const auto last = static_cast<std::size_t>(history_.sweeps) - 1;
    double error = control_.error_estimate();
    for (std::size_t k = 0; k < state; ++k)
        error = std::max(error, table_.errors[k] + measured(k)[energy_among_measured()] - table_.energies[k]);
    table_.converged[state] = decision_.converged ? 1 : 0;
    table_.energies[state] = half_.energy;
    table_.errors[state] = error;
    table_.truncations[state] = history_.truncations[last];
    table_.states[state] = history_.states[last];
    std::ranges::copy(entropies_, table_.entropies.begin() + static_cast<std::ptrdiff_t>(state * entropies_.size()));
    std::ranges::copy(spectra_, table_.spectra.begin() + static_cast<std::ptrdiff_t>(state * spectra_.size()));
    keep_measured(state);
    ++table_.finished;
    if (table_.finished == n_states()) return compare_states();
    found_.push_back(PackedState::of(dmrg_.chain()));
    dmrg_.exclude_state();
    first_sweep_ += history_.sweeps;
    history_ = {};
    begin_state();
}

void Dmrg::keep_measured(std::size_t state) {
    std::ranges::copy(measured_, table_.measured.begin() + static_cast<std::ptrdiff_t>(state * measured_.size()));
}

void Dmrg::compare_states() {
    if (n_states() == 1) return;
    const Timers::Scope scope = timers_.scope("measurement");
    const std::size_t parts = model().end_states();  // i times a state is another real one
    std::vector<Measurement> states;
    for (const Overlaps& o : dmrg_.excluded()) states.emplace_back(model(), dmrg_.algebra(), o.found());
    const FoundState last(model(), dmrg_.chain());
    states.emplace_back(model(), dmrg_.algebra(), last);
    if (model().complex) states.emplace_back(model(), dmrg_.algebra(), last.times_imaginary_unit(model()));
    const std::size_t n = states.size();
    std::vector<Complex> h(n * n), s(n * n);
    for (std::size_t j = 0; j < n; ++j)
        for (std::size_t i = 0; i <= j; ++i) {
            const Measurement::Elements e = states[i].between(states[j]);
            h[j * n + i] = h[i * n + j] = e.energy;
            s[j * n + i] = s[i * n + j] = e.overlap;
            if (i / parts != j / parts) table_.largest_overlap = std::max(table_.largest_overlap, std::abs(e.overlap));
        }
    const std::vector<double> values = ritz_values(comm_, n, h, s);
    table_.ritz.clear();
    for (std::size_t k = 0; k < n; k += parts) table_.ritz.push_back(values[k]);
}

std::vector<std::size_t> Dmrg::states_by_energy() const {
    std::vector<std::size_t> order(table_.finished);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t k) { return table_.energies[k]; });
    return order;
}

/// Errors of the energies, by energy; at least the distance to the upper bound, because both are energies of the same
/// state.
std::vector<double> Dmrg::errors_by_energy() const {
    const std::vector<std::size_t> order = states_by_energy();
    std::vector<double> errors;
    for (std::size_t r = 0; r < order.size(); ++r) {
        errors.push_back(table_.errors[order[r]]);
        if (n_states() > 1 && table_.finished == n_states())
            errors[r] = std::max(errors[r], std::abs(table_.energies[order[r]] - table_.ritz[r]));
    }
    return errors;
}

/// The lowest state, by its rank in energy, for which run.tolerance was not reached. This is also shown by an upper
/// bound that differs too much from the energy of a converged search.
std::optional<std::size_t> Dmrg::unresolved_state() const {
    const double tolerance = plan_.config().tolerance;
    const std::vector<std::size_t> order = states_by_energy();
    for (std::size_t r = 0; r < order.size(); ++r) {
        const double above = n_states() == 1 ? 0 : table_.energies[order[r]] - table_.ritz[r];
        if (table_.converged[order[r]] == 0 || above > tolerance || -above > measured_truncation * tolerance) return r;
    }
    return std::nullopt;
}

/// [rank in energy] number of the level, from 0: successive energies that differ by less than their errors belong to
/// one level.
std::vector<std::size_t> Dmrg::levels_by_energy() const {
    const std::vector<std::size_t> order = states_by_energy();
    const std::vector<double> errors = errors_by_energy();
    std::vector<std::size_t> levels(order.size());
    for (std::size_t r = 1; r < order.size(); ++r) {
        const double below = table_.energies[order[r - 1]], gap = table_.energies[order[r]] - below;
        const double rounding = 1e-10 * std::max(1.0, std::abs(below));
        levels[r] = levels[r - 1] + (gap > errors[r] + errors[r - 1] + rounding ? 1 : 0);
    }
    return levels;
}

/// Measured values averaged over all states of a level: the averages do not depend on the mixture of these states.
std::vector<double> Dmrg::mean_measured(std::size_t rank) const {
    const std::vector<std::size_t> order = states_by_energy(), levels = levels_by_energy();
    const auto members = static_cast<double>(std::ranges::count(levels, levels[rank]));
    std::vector<double> mean(measured_values());
    for (std::size_t r = 0; r < order.size(); ++r)
        for (std::size_t i = 0; i < mean.size() && levels[r] == levels[rank]; ++i)
            mean[i] += measured(order[r])[i] / members;
    return mean;
}

std::vector<Quantity> Dmrg::results_of_states() const {
    const std::vector<std::size_t> order = states_by_energy(), levels = levels_by_energy();
    const auto by_energy = [&](const std::vector<double>& of_states) {
        std::vector<double> values;
        for (std::size_t k : order) values.push_back(of_states[k]);
        return values;
    };
    const std::vector<double> energies = by_energy(table_.energies), errors = errors_by_energy();
    std::vector<double> gaps, gap_errors;
    for (std::size_t i = 1; i < order.size(); ++i) {
        gaps.push_back(energies[i] - energies[0]);
        gap_errors.push_back(errors[i] + errors[0]);
    }
    std::vector<Quantity> q = {{"energy", "energy", "of the lowest state", {energies[0]}, {errors[0]}}};
    const auto add_list = [&](const std::string& name, const std::string& unit, const std::string& meaning,
                              const std::vector<double>& values, const std::vector<double>& error,
                              const std::string& axis) {
        q.push_back(Quantity{name, unit, meaning, values, error}.over(axis));
    };
    add_list("energies", "energy", "of the states, each the lowest of its superblocks in the last half sweep", energies,
             errors, "state");
    if (!gaps.empty())
        add_list("gaps", "energy", "above the lowest state, within the sector " + plan_.sector(), gaps, gap_errors,
                 "gap");
    if (table_.finished == n_states()) {
        add_list("measured-energies", "energy",
                 "lowest values of <H> in the space of all states that are kept; upper bounds of the lowest levels",
                 table_.ritz, {}, "state");
        q.push_back({"largest-overlap", "1", "between two states that are kept", {table_.largest_overlap}});
    }
    add_list("truncation-errors", "1", "largest weights discarded in the last half sweeps",
             by_energy(table_.truncations), {}, "state");
    add_list("states", "1", "largest numbers of states kept", by_energy(table_.states), {}, "state");
    const std::size_t bonds = entropies_.size();
    std::vector<double> degeneracies;
    for (const std::size_t level : levels)
        degeneracies.push_back(static_cast<double>(std::ranges::count(levels, level)));
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::string suffix = i == 0 ? "" : "-state-" + std::to_string(i);
        if (degeneracies[i] == 1)
            add_entanglement(std::span(table_.entropies).subspan(order[i] * bonds, bonds),
                             std::span(table_.spectra).subspan(order[i] * spectra_.size(), spectra_.size()), suffix, q);
        add_measured(mean_measured(i), suffix, q);
    }
    add_list("degeneracies", "1", "states of the level of each state, among those that were found", degeneracies, {},
             "state");
    return q;
}

}  // namespace strata::dmrg
