// SPDX-License-Identifier: BSD-3-Clause
// Phases of a ground state: search (first pass), assembly (second pass), examination (one multiplication), and again for
// what is orthogonal to the states found. Components along them come back by rounding and grow like Ritz values outside
// of the spectrum converge; a bound of that growth tells when they are taken out again.
#include "lanczos/ground_state_solver.hpp"

#include <algorithm>
#include <cstdio>

#include "comm/collectives.hpp"
#include "lanczos/task.hpp"
#include "lanczos/tridiagonal.hpp"

namespace strata::lanczos {
namespace {

/// The recurrence's estimate must be so much below the tolerance that the true residual is not above it by rounding.
constexpr double margin = 0.5;
/// A Ritz value beyond the ground state belongs to another energy when its residual is so small beside their distance,
/// although some multiple of a further ground state may still hide in it.
constexpr double clear_distance = 1e-4;
/// States that are distinguished from the ground state need not be known better than this.
constexpr double finest_search = 1e-9;

std::string text_of(const char* format, auto... values) {
    char text[400];
    std::snprintf(text, sizeof text, format, values...);
    return text;
}

}  // namespace

GroundStateSolver::GroundStateSolver(HamiltonianOperator& hamiltonian, std::size_t max_states, Timers& timers)
    : hamiltonian_(hamiltonian),
      max_states_(max_states),
      timers_(timers),
      energies_(max_states),
      residuals_(max_states),
      state_(std::make_unique<SolverState>()) {}

void GroundStateSolver::allocate() {
    for (std::size_t i = 0; i < max_states_; ++i) states_.push_back(hamiltonian_.vector());
}

void GroundStateSolver::initialise() {
    *state_ = SolverState();
    std::ranges::fill(energies_, 0.0);
    std::ranges::fill(residuals_, 0.0);
    for (DistributedVector* v : {&hamiltonian_.v(), &hamiltonian_.w()}) hamiltonian_.clear(*v);
    for (DistributedVector& v : states_) hamiltonian_.clear(v);
}

void GroundStateSolver::add_state(std::vector<DistributedArray>& arrays) {
    for (std::size_t i = 0; i < max_states_; ++i)
        hamiltonian_.add_state(i == 0 ? "ground-state" : "ground-state-" + std::to_string(i + 1), states_[i], arrays);
    arrays.push_back(numbers_array(hamiltonian_.comm(), "coefficients", reinterpret_cast<double*>(state_.get()),
                                   sizeof(SolverState) / sizeof(double)));
    if (max_states_ == 0) return;
    arrays.push_back(numbers_array(hamiltonian_.comm(), "ground-energies", energies_.data(), max_states_));
    arrays.push_back(numbers_array(hamiltonian_.comm(), "ground-residuals", residuals_.data(), max_states_));
}

void GroundStateSolver::restored() {
    broadcast(hamiltonian_.comm(), *state_);
    for (std::vector<double>* numbers : {&energies_, &residuals_})
        broadcast_bytes(hamiltonian_.comm(), numbers->data(), max_states_ * sizeof(double), 0);
    for (DistributedVector& v : states_) hamiltonian_.restored(v);
}

bool GroundStateSolver::done() const {
    const auto limit = static_cast<double>(hamiltonian_.plan().config().max_steps);
    return phase() == Phase::over || (states() == 0 && phase() == Phase::search && state_->recurrence.steps >= limit);
}

std::uint64_t GroundStateSolver::total_steps() const {
    const LanczosConfig& c = hamiltonian_.plan().config();
    if (first_pass_iterations() > c.max_steps) return c.max_steps;  // lowered by a resume, which is then refused
    if (done()) return iterations();
    const auto passed = static_cast<std::uint64_t>(state_->recurrence.steps),
               length = static_cast<std::uint64_t>(state_->length);
    const std::uint64_t beyond = c.degeneracy ? steps_beyond() : 0;
    switch (phase()) {
        case Phase::search:
            return iterations() + (states() == 0 ? c.max_steps : beyond) - passed +
                   (states() < max_states_ ? c.max_steps + 1 + beyond : 0);
        case Phase::assembly: return iterations() + length - passed + 1 + beyond;
        default: return iterations() + 1 + beyond;
    }
}

/// What lies beyond a state is found in about as many steps as the state, unless its energy is close.
std::uint64_t GroundStateSolver::steps_beyond() const {
    return std::min(hamiltonian_.plan().config().max_steps, 3 * first_pass_iterations() + 30);
}

void GroundStateSolver::enter(Phase phase) {
    state_->phase = static_cast<double>(phase);
    state_->recurrence = {};
}

void GroundStateSolver::step() {
    switch (phase()) {
        case Phase::search: search(); break;
        case Phase::assembly: assemble(); break;
        default: examine();
    }
    ++state_->iterations;
}

/// The start vector: random, orthogonal to the states.
void GroundStateSolver::begin() {
    DistributedVector& q = hamiltonian_.w();
    hamiltonian_.draw(q, states());
    const double before = states() == 0 ? 0 : hamiltonian_.norm(q);
    hamiltonian_.orthogonalise(states_, states(), q);
    begin_recurrence(hamiltonian_, state_->recurrence);
    if (state_->recurrence.start_norm <= 1e-9 * before) state_->recurrence.exhausted = 1;
    state_->growth = 1;
}

/// A step of the recurrence in the space orthogonal to the states.
void GroundStateSolver::advance() {
    RecurrenceState& r = state_->recurrence;
    recurrence_step(hamiltonian_, r, state_->alpha, state_->beta);
    if (states() == 0) return;
    const auto k = static_cast<std::size_t>(r.steps) - 1;
    const double distance = std::abs(energies_[0] - hamiltonian_.sector().offset() - state_->alpha[k]);
    state_->growth *=
        std::max(1.0, (distance + (k == 0 ? 0 : state_->beta[k - 1])) / std::max(state_->beta[k], 1e-300));
    const double limit = hamiltonian_.plan().config().precision == Precision::single ? 30 : 1e5;
    if (state_->growth < limit) return;
    const Timers::Scope scope = timers_.scope("orthogonalisation");
    for (DistributedVector* v : {&hamiltonian_.v(), &hamiltonian_.w()})
        hamiltonian_.orthogonalise(states_, states(), *v, Passes::one);
    state_->growth = 1;
}

void GroundStateSolver::search() {
    RecurrenceState& r = state_->recurrence;
    if (r.steps == 0) begin();
    if (r.exhausted != 0) {  // the states are all there are
        state_->degeneracy = static_cast<double>(Degeneracy::complete);
        return enter(Phase::over);
    }
    advance();
    const Timers::Scope scope = timers_.scope("tridiagonal");
    const auto m = static_cast<std::size_t>(r.steps);
    const RitzPair pair = lowest_pair(hamiltonian_.comm(), {state_->alpha, m}, {state_->beta, m - 1});
    const double residual_estimate = state_->beta[m - 1] * std::abs(pair.vector.back());
    if (states() == 0)
        judge_first(pair.value, residual_estimate);
    else
        judge_beyond(pair.value, residual_estimate);
}

void GroundStateSolver::judge_first(double value, double residual_estimate) {
    state_->first_pass_iterations = state_->recurrence.steps;
    state_->energy = value + hamiltonian_.sector().offset();
    state_->residual_estimate = residual_estimate;
    const double width = std::hypot(state_->alpha[0], state_->beta[0]);
    state_->scale = std::max({std::abs(state_->energy), std::abs(value), width, 1e-300});
    if (state_->recurrence.exhausted == 0 && residual_estimate > margin * tolerance()) return;
    state_->found_out = 1;
    state_->length = state_->recurrence.steps;
    enter(max_states_ > 0 ? Phase::assembly : Phase::over);
}

void GroundStateSolver::judge_beyond(double value, double residual_estimate) {
    const double finest = std::min(tolerance(), hamiltonian_.plan().config().precision == Precision::single
                                                    ? tolerance()
                                                    : finest_search * state_->scale);
    const double distance = value + hamiltonian_.sector().offset() - energies_[0], same = 10 * finest + residuals_[0];
    state_->next = energies_[0] + distance;
    const auto decide = [&](Degeneracy degeneracy) {
        state_->degeneracy = static_cast<double>(degeneracy);
        enter(Phase::over);
    };
    if (distance < -same) return decide(Degeneracy::lower);  // a Ritz value is an upper bound
    const bool known = state_->recurrence.exhausted != 0 || residual_estimate <= margin * finest;
    const bool apart =
        distance > same && residual_estimate <= std::min(3e-5 * state_->scale, clear_distance * distance);
    if (apart || (known && distance > same)) return decide(Degeneracy::complete);
    if (!known) {
        if (state_->recurrence.steps >= static_cast<double>(steps_beyond())) decide(Degeneracy::undecided);
        return;
    }
    if (states() == max_states_) return decide(Degeneracy::more);
    state_->length = state_->recurrence.steps;
    enter(Phase::assembly);
}

/// The recurrence once more; what it makes goes into the next state.
void GroundStateSolver::assemble() {
    RecurrenceState& r = state_->recurrence;
    const auto length = static_cast<std::size_t>(state_->length), k = static_cast<std::size_t>(r.steps);
    if (k == 0 || ritz_vector_.size() != length)
        ritz_vector_ = lowest_pair(hamiltonian_.comm(), {state_->alpha, length}, {state_->beta, length - 1}).vector;
    if (k == 0) begin();
    advance();
    const Timers::Scope scope = timers_.scope("ground state");
    DistributedVector& state = states_[states()];
    hamiltonian_.axpby(ritz_vector_[k], hamiltonian_.v(), k == 0 ? 0 : 1, state, state);
    if (k + 1 == length) enter(Phase::examination);
}

/// Normalises the new state and multiplies it once: its energy and true residual.
void GroundStateSolver::examine() {
    const std::size_t i = states();
    DistributedVector& state = states_[i];
    hamiltonian_.orthogonalise(states_, i, state);
    hamiltonian_.axpby(1 / hamiltonian_.norm(state), state, 0, state, state);
    const TileSums sums = hamiltonian_.apply(state);
    const double value = sums.vw / sums.vv;
    residuals_[i] = std::sqrt(hamiltonian_.axpby_norm(1, hamiltonian_.w(), -value, state, nullptr));
    energies_[i] = value + hamiltonian_.sector().offset();
    if (i == 0) state_->energy = energies_[0];
    ++state_->found;
    enter(hamiltonian_.plan().config().degeneracy && converged() ? Phase::search : Phase::over);
}

double GroundStateSolver::residual() const {
    return states() == 0 ? NAN
                         : *std::max_element(residuals_.begin(), residuals_.begin() + static_cast<long>(states()));
}

bool GroundStateSolver::converged() const {
    return state_->found_out != 0 && (max_states_ == 0 || (states() > 0 && residual() <= tolerance()));
}

bool GroundStateSolver::whole_multiplet() const {
    return states() > 0 && (degeneracy() == Degeneracy::complete || degeneracy() == Degeneracy::undecided);
}

std::vector<Quantity> GroundStateSolver::results() const {
    std::vector<Quantity> q = {{"energy", "energy", "of the lowest state, total", {state_->energy}},
                               {"steps", "1", "of the first pass", {state_->first_pass_iterations}},
                               {"residual-estimate", "energy", "from the recurrence", {state_->residual_estimate}}};
    if (max_states_ == 0) return q;
    q.push_back({"converged", "1", "1: the true residual is below run.tolerance", {converged() ? 1.0 : 0.0}});
    if (states() == 0) return q;
    q.push_back({"residual", "energy", "norm of H x - E x, by multiplication", {residual()}});
    const bool known = degeneracy() == Degeneracy::complete || degeneracy() == Degeneracy::more;
    const double count = state_->found + (degeneracy() == Degeneracy::more ? 1 : 0);
    q.push_back({"degeneracy",
                 "1",
                 degeneracy() == Degeneracy::complete ? "of the lowest energy"
                 : degeneracy() == Degeneracy::more   ? "of the lowest energy, at least"
                                                      : "of the lowest energy: not decided",
                 {known ? count : NAN}});
    if (!std::isnan(state_->next))
        q.push_back({"next-energy", "energy", "roughly, of the lowest state beyond", {state_->next}});
    return q;
}

std::string GroundStateSolver::shortfall() const {
    const LanczosConfig& c = hamiltonian_.plan().config();
    if (degeneracy() == Degeneracy::lower)
        return text_of(
            "There is a state at %.12g, below the one that was found at %.12g. Repeat with another run.seed.",
            state_->next, state_->energy);
    if (converged() || c.allow_unconverged) return {};
    if (state_->found_out == 0)
        return text_of(
            "The energy has not converged in %.0f steps: its residual is about %.2g. Allow more with "
            "run.max-steps, or this with run.allow-unconverged = yes.",
            state_->first_pass_iterations, state_->residual_estimate);
    return text_of(
        "The residual of the ground state is %.2g, above run.tolerance (%.2g): rounding does not allow less. "
        "Choose a larger run.tolerance%s.",
        residual(), tolerance(), c.precision == Precision::single ? ", or double precision" : "");
}

std::string GroundStateSolver::remark() const {
    if (max_states_ == 0)
        return "Without run.vectors neither the true residual nor the degeneracy of the ground state is known.";
    if (states() == 0) return {};
    if (degeneracy() == Degeneracy::more)
        return text_of(
            "The ground state is degenerate, at least %.0f times: what depends on the mixture of these states is "
            "not given. With a larger run.states it is averaged over all of them.",
            state_->found + 1);
    if (degeneracy() == Degeneracy::undecided)
        return "Whether the ground state is degenerate is not known; if it is, expectation values depend on run.seed.";
    if (states() > 1)
        return text_of("Expectation values are averages over the %zu degenerate ground states.", states());
    return {};
}

}  // namespace strata::lanczos
