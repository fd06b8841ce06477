// SPDX-License-Identifier: BSD-3-Clause
// Steps of the solver until it is done, the last of which also measures the correlations; then one step for every
// element of the density matrix, and for every expectation value of [observables].
#include "lanczos/run/ground_state.hpp"

namespace strata::lanczos {
namespace {

krylov::GroundStateOptions options_of(const LanczosPlan& plan, BackendKind backend) {
    krylov::GroundStateOptions options = ground_state_options(plan.config(), plan.config().vectors ? 1 : 0);
    options.kept_vectors = kept_vectors(plan, backend);
    return options;
}

}  // namespace

GroundState::GroundState(const LanczosPlan& plan, const MakeHamiltonian& make)
    : LanczosTask(plan, make),
      solver_(hamiltonian_, options_of(plan_, backend_kind()), timers_),
      pairs_(std::make_unique<PairOccupations>()),
      entanglement_(plan_, timers_),
      density_matrix_(plan_, make, timers_),
      means_(plan_, make, timers_),
      fidelity_(plan_, make, timers_) {}

MemoryPrediction GroundState::memory() const {
    MemoryPrediction m = LanczosTask::memory();
    fidelity_.add_memory(m);
    return m;
}

void GroundState::allocate() {
    hamiltonian_.allocate();
    solver_.allocate();
    fidelity_.allocate();
}

void GroundState::initialise() {
    solver_.initialise();
    *pairs_ = PairOccupations();
    entanglement_.initialise();
    density_matrix_.initialise();
    means_.initialise();
    fidelity_.initialise();
}

std::vector<DistributedArray> GroundState::state() {
    std::vector<DistributedArray> arrays;
    add_working_pair(hamiltonian_, "", arrays);
    solver_.add_state(arrays);
    Record record("observables");
    pairs_->add_fields(record);
    entanglement_.add_fields(record);
    density_matrix_.add_fields(record);
    means_.add_fields(record);
    arrays.push_back(record.array());
    fidelity_.add_state(arrays);
    return arrays;
}

/// The density matrix is omitted if the whole multiplet is not known, since it depends on the mixture of states.
bool GroundState::wants_density_matrix() const {
    return plan_.config().density_matrix && (!solver_.done() || solver_.whole_multiplet());
}

/// Nor are expectation values given then.
bool GroundState::wants_means() const { return !solver_.done() || solver_.whole_multiplet(); }

/// The product with a second ground state needs one state, not a multiplet.
bool GroundState::wants_fidelity() const {
    return fidelity_.exists() && (!solver_.done() || solver_.degeneracy() == krylov::Degeneracy::complete);
}

std::uint64_t GroundState::total_steps() const {
    return solver_.total_steps() + (wants_fidelity() ? fidelity_.total_steps() : 0) +
           (wants_density_matrix() ? density_matrix_.total_steps() : 0) + (wants_means() ? means_.total_steps() : 0);
}

void GroundState::step(std::uint64_t) {
    if (solver_.done()) {
        if (wants_fidelity() && !fidelity_.complete()) return fidelity_.step(solver_.vector(0), hamiltonian_.space());
        if (wants_density_matrix() && !density_matrix_.complete()) return density_matrix_.step(solver_.vector(0));
        return means_.step(solver_.vector(0));
    }
    solver_.step();
    if (solver_.done()) measure_state();
}

void GroundState::measure_state() {
    if (!solver_.whole_multiplet()) return;
    const Timers::Scope scope = timers_.scope("observables");
    measure(hamiltonian_, solver_.vector(0), *pairs_);
    entanglement_.measure(hamiltonian_, solver_.vector(0));
}

std::vector<DistributedArray> GroundState::final_state(const std::vector<ArrayShape>& stored) {
    initialise();
    std::vector<DistributedArray> arrays;
    add_final_state(solver_, stored, arrays);
    return arrays;
}

std::optional<std::uint64_t> GroundState::begin_with_final_state(std::uint64_t) {
    if (!solver_.done()) return {};
    measure_state();
    return solver_.steps();
}

const std::vector<Column>& GroundState::columns() const {
    static const std::vector<Column> all = {
        {"energy", "energy", "lowest Ritz value after each step"},
        {"residual-estimate", "energy", "norm of H x - E x of its vector, from the recurrence"},
        {"alpha", "energy", "diagonal of the tridiagonal matrix, without the shift"},
        {"beta", "energy", "its off-diagonal"},
    };
    return all;
}

void GroundState::observe(std::vector<double>& rows) {
    rows.insert(rows.end(), {solver_.energy(), solver_.residual_estimate(), solver_.alpha(), solver_.beta()});
}

std::string GroundState::log_line(std::span<const double> row) const {
    return search_line(solver_.iterations(), row[0], row[1], solver_.energy_converged());
}

std::string GroundState::shortfall() const {
    const std::string error = ground_state_shortfall(solver_, plan_.config());
    return error.empty() && wants_fidelity() ? fidelity_.shortfall() : error;
}

std::string GroundState::remark() const {
    std::string remark = of_sector(ground_state_remark(solver_));
    const std::string of_both = fidelity_.remark();
    return remark + (remark.empty() || of_both.empty() ? "" : " ") + of_both;
}

std::vector<Quantity> GroundState::results(const Series& series) const {
    if (series.rows() == 0) return {};
    std::vector<Quantity> q = ground_state_results(solver_);
    if (!solver_.done() || !solver_.whole_multiplet()) return q;
    for (Quantity& more : correlation_results(plan_, *pairs_)) q.push_back(std::move(more));
    for (Quantity& more : entanglement_.results()) q.push_back(std::move(more));
    if (wants_fidelity())
        for (Quantity& more : fidelity_.results()) q.push_back(std::move(more));
    if (means_.complete())
        for (Quantity& mean : means_.results()) q.push_back(std::move(mean));
    if (plan_.config().density_matrix && density_matrix_.complete() && !plan_.model().lattice.torus.empty())
        for (Quantity& more : momentum_distribution(plan_, *pairs_, density_matrix_)) q.push_back(std::move(more));
    return q;
}

}  // namespace strata::lanczos
