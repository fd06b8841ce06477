// SPDX-License-Identifier: BSD-3-Clause
// Steps of the search, then one multiplication for each state; observables are measured on states of the lowest energy.
#include "lanczos/run/lowest_states.hpp"

#include <algorithm>
#include <cmath>

#include "krylov/lowest_states_report.hpp"
#include "lanczos/run/ground_state_report.hpp"

namespace strata::lanczos {
namespace {

krylov::LowestStatesOptions solver_options(const LanczosConfig& c) {
    return {.n_states = c.states,
            .block = c.block,
            .max_basis = c.basis,
            .max_steps = c.max_steps,
            .tolerance = c.tolerance};
}

}  // namespace

std::uint64_t LowestStates::basis_size(const LanczosPlan& plan) {
    return krylov::LowestStatesSolver::max_basis(solver_options(plan.config()), plan.dimension());
}

LowestStates::LowestStates(const LanczosPlan& plan, const MakeHamiltonian& make)
    : LanczosTask(plan, make, basis_size(plan)),
      solver_(hamiltonian_, solver_options(plan_.config()), timers_),
      n_states_(solver_.n_states()),
      columns_(krylov::search_columns(solver_)),
      pairs_(std::make_unique<PairOccupations>()),
      measured_(std::make_unique<PairOccupations>()) {}

void LowestStates::allocate() {
    hamiltonian_.allocate();
    solver_.allocate();
}

void LowestStates::initialise() {
    solver_.initialise();
    *pairs_ = PairOccupations();
}

std::vector<DistributedArray> LowestStates::state() {
    std::vector<DistributedArray> arrays;
    solver_.add_basis(arrays);
    Record numbers("numbers");
    solver_.add_fields(numbers);
    pairs_->add_fields(numbers);
    arrays.push_back(numbers.array());
    solver_.add_matrices(arrays);
    return arrays;
}

std::uint64_t LowestStates::total_steps() const {
    const bool examines = solver_.found() && plan_.config().vectors;
    return solver_.search_steps() + (examines ? n_states_ : 0);
}

void LowestStates::step(std::uint64_t step) {
    if (step < solver_.search_steps()) return solver_.step();
    const std::size_t i = step - solver_.search_steps();
    solver_.examine(i);
    if (i >= solver_.multiplicity()) return;
    const Timers::Scope scope = timers_.scope("observables");
    measure(hamiltonian_, solver_.vector(i), *measured_);
    pairs_->add(*measured_);
}

bool LowestStates::converged() const {
    const bool known = solver_.examined() == n_states_ && solver_.max_residual() <= solver_.tolerance();
    return solver_.found() && (!plan_.config().vectors || known);
}

void LowestStates::observe(std::vector<double>& rows) { krylov::append_search_row(solver_, rows); }

std::string LowestStates::log_line(std::span<const double> row) const {
    return search_line(solver_.steps(), row[0], row.back(), solver_.found());
}

std::string LowestStates::shortfall() const {
    if (converged() || plan_.config().allow_unconverged) return {};
    return krylov::search_shortfall(solver_, "run.max-steps", plan_.config().precision);
}

std::string LowestStates::multiplet_remark() const {
    if (!plan_.config().vectors) return "Without run.vectors the true residuals are not known, only their estimates.";
    if (!solver_.found()) return {};
    if (solver_.may_be_more())
        return "There may be further states of the lowest energy: what depends on their mixture is not given. Ask for "
               "more run.states.";
    if (solver_.unresolved())
        return unresolved_remark(solver_.max_residual(),
                                 " A smaller run.tolerance resolves more, as far as rounding allows.");
    if (solver_.multiplicity() > 1)
        return "Expectation values are averages over the " + std::to_string(solver_.multiplicity()) +
               " degenerate states of the lowest energy.";
    return {};
}

std::vector<Quantity> LowestStates::results(const Series& series) const {
    if (series.rows() == 0) return {};
    const std::vector<double> energies = solver_.energies();
    std::vector<Quantity> q = {{"energy", "energy", "of the lowest state, total", {energies[0]}}};
    constexpr std::size_t shown = 16;  // energies with a quantity of their own; the list has all
    for (std::size_t i = 1; i < std::min(shown, n_states_); ++i)
        q.push_back({"energy-" + std::to_string(i), "energy", "of the next state", {energies[i]}});
    q.push_back(
        Quantity{"energies", "energy", "of all requested states, each as often as it is degenerate", energies}.over(
            "state"));
    krylov::append_degeneracy(solver_, q);
    if (!solver_.whole_space() || n_states_ < static_cast<std::size_t>(plan_.dimension()))
        q.push_back({"next-energy",
                     "energy",
                     "roughly, of the first state beyond",
                     {std::max(solver_.next_energy(), energies.back())}});
    const bool examined = plan_.config().vectors && solver_.examined() == n_states_;
    const std::string name = examined ? "residual" : "residual-estimate";
    q.push_back(Quantity{name + "s", "energy", "norms of H x - E x", solver_.residuals()}.over("state"));
    q.push_back({name, "energy", "the largest of them", {solver_.max_residual()}});
    q.push_back({"steps", "1", "multiplications by H", {static_cast<double>(solver_.steps())}});
    if (plan_.config().vectors)
        q.push_back({"converged", "1", "1: all true residuals are below run.tolerance", {converged() ? 1.0 : 0.0}});
    if (!examined || solver_.may_be_more() || solver_.unresolved()) return q;
    for (Quantity& correlation : correlation_results(plan_, pairs_->mean())) q.push_back(std::move(correlation));
    return q;
}

}  // namespace strata::lanczos
