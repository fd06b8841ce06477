// SPDX-License-Identifier: BSD-3-Clause
#include "lanczos/ground_state.hpp"

#include "comm/collectives.hpp"

namespace strata::lanczos {

std::uint64_t GroundState::other_vectors(const LanczosConfig& config) {
    return (config.vectors ? 1 : 0) + (config.density_matrix ? 2 : 0);
}

GroundState::GroundState(const Communicator& comm, const LanczosPlan& plan, const DeviceBinding* device)
    : LanczosTask(comm, plan, device, other_vectors(plan.config())),
      ground_(hamiltonian_, plan_.config().vectors ? 1 : 0, timers_),
      observables_(std::make_unique<Observables>()) {}

void GroundState::allocate() {
    hamiltonian_.allocate();
    ground_.allocate();
}

void GroundState::initialise() {
    ground_.initialise();
    *observables_ = Observables();
}

std::vector<DistributedArray> GroundState::state() {
    std::vector<DistributedArray> arrays;
    hamiltonian_.add_state("v", hamiltonian_.v(), arrays);
    hamiltonian_.add_state("w", hamiltonian_.w(), arrays);
    ground_.add_state(arrays);
    arrays.push_back(numbers_array(comm_, "observables", reinterpret_cast<double*>(observables_.get()),
                                   sizeof(Observables) / sizeof(double)));
    return arrays;
}

void GroundState::restored(std::uint64_t) {
    for (DistributedVector* v : {&hamiltonian_.v(), &hamiltonian_.w()}) hamiltonian_.restored(*v);
    ground_.restored();
    broadcast(comm_, *observables_);
}

/// Not of a degenerate ground state, where it depends on the mixture.
bool GroundState::wants_density_matrix() const {
    return plan_.config().density_matrix && (!ground_.done() || ground_.whole_multiplet());
}

std::uint64_t GroundState::total_steps() const {
    return ground_.total_steps() + (wants_density_matrix() ? DensityMatrix::steps(plan_) : 0);
}

void GroundState::step(std::uint64_t) {
    if (!ground_.done()) {
        ground_.step();
        if (!ground_.done() || !ground_.whole_multiplet()) return;
        const Timers::Scope scope = timers_.scope("observables");
        measure(hamiltonian_, ground_.vector(0), observables_->pairs);
        return;
    }
    DensityMatrix::step(static_cast<std::uint64_t>(observables_->hops_made), hamiltonian_, ground_.vector(0), device(),
                        timers_, observables_->re, observables_->im);
    ++observables_->hops_made;
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

void GroundState::observe_row(std::span<double> row) {
    row[0] = ground_.energy();
    row[1] = ground_.residual_estimate();
    row[2] = ground_.alpha();
    row[3] = ground_.beta();
}

std::vector<Quantity> GroundState::results(const Series& series) const {
    if (series.rows() == 0) return {};
    std::vector<Quantity> q = ground_.results();
    if (!ground_.done() || !ground_.whole_multiplet()) return q;
    for (Quantity& more : correlation_results(plan_, observables_->pairs)) q.push_back(std::move(more));
    if (plan_.config().density_matrix && observables_->hops_made == static_cast<double>(DensityMatrix::steps(plan_)) &&
        !plan_.model().lattice.torus.empty())
        for (Quantity& more : momentum_distribution(plan_, observables_->pairs, observables_->re, observables_->im))
            q.push_back(std::move(more));
    return q;
}

}  // namespace strata::lanczos
