// SPDX-License-Identifier: BSD-3-Clause
// A run consists of the steps of the search and then one multiplication per state for its true residual.
#include "kronecker/run/eigenvalues.hpp"

#include "krylov/lowest_states_report.hpp"

namespace strata::kronecker {

Eigenvalues::Eigenvalues(const Communicator& comm, const KroneckerPlan& plan, const MakeOperator& make)
    : KroneckerTask(comm, plan, make),
      solver_(operator_, plan_.solver_options(), timers_),
      columns_(krylov::search_columns(solver_)) {}

void Eigenvalues::allocate() {
    operator_.allocate();
    solver_.allocate();
}

std::vector<DistributedArray> Eigenvalues::state() {
    std::vector<DistributedArray> arrays;
    solver_.add_basis(arrays);
    Record numbers("numbers");
    solver_.add_fields(numbers);
    arrays.push_back(numbers.array());
    solver_.add_matrices(arrays);
    return arrays;
}

std::uint64_t Eigenvalues::total_steps() const {
    return solver_.search_steps() + (solver_.found() ? solver_.n_states() : 0);
}

void Eigenvalues::step(std::uint64_t step) {
    if (step < solver_.search_steps()) return solver_.step();
    solver_.examine(step - solver_.search_steps());
}

void Eigenvalues::observe(std::vector<double>& rows) { krylov::append_search_row(solver_, rows); }

bool Eigenvalues::converged() const {
    return solver_.found() && solver_.examined() == solver_.n_states() && solver_.max_residual() <= solver_.tolerance();
}

std::string Eigenvalues::shortfall() const {
    if (converged() || plan_.config().allow_unconverged) return {};
    return krylov::search_shortfall(solver_, "run.lanczos-steps", plan_.config().precision);
}

std::string Eigenvalues::remark() const {
    if (!solver_.found() || !solver_.may_be_more()) return {};
    return "There may be further states of the lowest energy; ask for more run.states.";
}

std::vector<Quantity> Eigenvalues::results(const Series& series) const {
    if (series.rows() == 0) return {};
    const std::vector<double> energies = solver_.energies();
    const bool examined = solver_.examined() == solver_.n_states();
    const std::string name = examined ? "residual" : "residual-estimate";
    std::vector<Quantity> q = {{"energy", "energy", "lowest eigenvalue of C", {energies[0]}}};
    if (energies.size() > 1)
        q.push_back(
            Quantity{"energies", "energy", "of all requested states, each as often as it is degenerate", energies}.over(
                "state"));
    krylov::append_degeneracy(solver_, q);
    q.push_back({name, "energy", "largest norm of C x - E x", {solver_.max_residual()}});
    q.push_back({"steps", "1", "multiplications by C", {static_cast<double>(solver_.steps())}});
    q.push_back({"converged", "1", "1: all true residuals are below run.tolerance", {converged() ? 1.0 : 0.0}});
    for (Quantity& patches : patch_quantities()) q.push_back(std::move(patches));
    return q;
}

}  // namespace strata::kronecker
