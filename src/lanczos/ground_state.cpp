// SPDX-License-Identifier: BSD-3-Clause
// Phases of a ground state: search (first pass), assembly (second pass), examination (one multiplication), and again for
// what is orthogonal to the states found. Components along them come back by rounding and grow like Ritz values outside
// of the spectrum converge; a bound of that growth tells when they are taken out again.
#include "lanczos/ground_state.hpp"

#include <algorithm>
#include <cstdio>

#include "comm/collectives.hpp"
#include "lanczos/system.hpp"
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

GroundState::GroundState(Engine& engine, std::size_t max_states, Timers& timers)
    : engine_(engine),
      max_states_(max_states),
      timers_(timers),
      energies_(max_states),
      residuals_(max_states),
      n_(std::make_unique<Numbers>()) {}

void GroundState::allocate() {
    for (std::size_t i = 0; i < max_states_; ++i) states_.push_back(engine_.vector());
}

void GroundState::initialise() {
    *n_ = Numbers();
    std::ranges::fill(energies_, 0.0);
    std::ranges::fill(residuals_, 0.0);
    for (Vector* v : {&engine_.f(), &engine_.q()}) engine_.clear(*v);
    for (Vector& v : states_) engine_.clear(v);
}

void GroundState::add_state(std::vector<DistributedArray>& arrays) {
    for (std::size_t i = 0; i < max_states_; ++i)
        engine_.add_state(i == 0 ? "ground-state" : "ground-state-" + std::to_string(i + 1), states_[i], arrays);
    arrays.push_back(numbers_array(engine_.comm(), "coefficients", reinterpret_cast<double*>(n_.get()),
                                   sizeof(Numbers) / sizeof(double)));
    if (max_states_ == 0) return;
    arrays.push_back(numbers_array(engine_.comm(), "ground-energies", energies_.data(), max_states_));
    arrays.push_back(numbers_array(engine_.comm(), "ground-residuals", residuals_.data(), max_states_));
}

void GroundState::restored() {
    broadcast(engine_.comm(), *n_);
    for (std::vector<double>* numbers : {&energies_, &residuals_})
        broadcast_bytes(engine_.comm(), numbers->data(), max_states_ * sizeof(double), 0);
    for (Vector& v : states_) engine_.restored(v);
}

bool GroundState::done() const {
    const auto limit = static_cast<double>(engine_.plan().config().max_steps);
    return phase() == Phase::over || (states() == 0 && phase() == Phase::search && n_->recurrence.steps >= limit);
}

std::uint64_t GroundState::total_steps() const {
    const LanczosConfig& c = engine_.plan().config();
    if (iterations() > c.max_steps) return c.max_steps;  // lowered by a resume, which is then refused
    if (done()) return made();
    const auto passed = static_cast<std::uint64_t>(n_->recurrence.steps),
               length = static_cast<std::uint64_t>(n_->length);
    const std::uint64_t beyond = c.degeneracy ? steps_beyond() : 0;
    switch (phase()) {
        case Phase::search:
            return made() + (states() == 0 ? c.max_steps : beyond) - passed +
                   (states() < max_states_ ? c.max_steps + 1 + beyond : 0);
        case Phase::assembly: return made() + length - passed + 1 + beyond;
        default: return made() + 1 + beyond;
    }
}

/// What lies beyond a state is found in about as many steps as the state, unless its energy is close.
std::uint64_t GroundState::steps_beyond() const {
    return std::min(engine_.plan().config().max_steps, 3 * iterations() + 30);
}

void GroundState::enter(Phase phase) {
    n_->phase = static_cast<double>(phase);
    n_->recurrence = {};
}

void GroundState::step() {
    switch (phase()) {
        case Phase::search: search(); break;
        case Phase::assembly: assemble(); break;
        default: examine();
    }
    ++n_->made;
}

/// The start vector: random, orthogonal to the states.
void GroundState::begin() {
    Vector& q = engine_.q();
    engine_.draw(q, states());
    const double before = states() == 0 ? 0 : engine_.norm(q);
    engine_.orthogonalise(states_, states(), q);
    begin_recurrence(engine_, n_->recurrence);
    if (n_->recurrence.start_norm <= 1e-9 * before) n_->recurrence.exhausted = 1;
    n_->growth = 1;
}

/// A step of the recurrence in the space orthogonal to the states.
void GroundState::advance() {
    RecurrenceState& r = n_->recurrence;
    recurrence_step(engine_, r, n_->alpha, n_->beta);
    if (states() == 0) return;
    const auto k = static_cast<std::size_t>(r.steps) - 1;
    const double distance = std::abs(energies_[0] - engine_.sector().offset() - n_->alpha[k]);
    n_->growth *= std::max(1.0, (distance + (k == 0 ? 0 : n_->beta[k - 1])) / std::max(n_->beta[k], 1e-300));
    const double limit = engine_.plan().config().precision == Precision::single ? 30 : 1e5;
    if (n_->growth < limit) return;
    const Timers::Scope scope = timers_.scope("orthogonalisation");
    for (Vector* v : {&engine_.f(), &engine_.q()}) engine_.orthogonalise(states_, states(), *v, Passes::one);
    n_->growth = 1;
}

void GroundState::search() {
    RecurrenceState& r = n_->recurrence;
    if (r.steps == 0) begin();
    if (r.exhausted != 0) {  // the states are all there are
        n_->degeneracy = static_cast<double>(Degeneracy::complete);
        return enter(Phase::over);
    }
    advance();
    const Timers::Scope scope = timers_.scope("tridiagonal");
    const auto m = static_cast<std::size_t>(r.steps);
    const RitzPair pair = lowest_pair(engine_.comm(), {n_->alpha, m}, {n_->beta, m - 1});
    const double estimate = n_->beta[m - 1] * std::abs(pair.vector.back());
    if (states() == 0)
        judge_first(pair.value, estimate);
    else
        judge_beyond(pair.value, estimate);
}

void GroundState::judge_first(double value, double estimate) {
    n_->iterations = n_->recurrence.steps;
    n_->energy = value + engine_.sector().offset();
    n_->estimate = estimate;
    const double width = std::hypot(n_->alpha[0], n_->beta[0]);
    n_->scale = std::max({std::abs(n_->energy), std::abs(value), width, 1e-300});
    if (n_->recurrence.exhausted == 0 && estimate > margin * tolerance()) return;
    n_->found_out = 1;
    n_->length = n_->recurrence.steps;
    enter(max_states_ > 0 ? Phase::assembly : Phase::over);
}

void GroundState::judge_beyond(double value, double estimate) {
    const double finest = std::min(
        tolerance(), engine_.plan().config().precision == Precision::single ? tolerance() : finest_search * n_->scale);
    const double distance = value + engine_.sector().offset() - energies_[0], same = 10 * finest + residuals_[0];
    n_->next = energies_[0] + distance;
    const auto decide = [&](Degeneracy degeneracy) {
        n_->degeneracy = static_cast<double>(degeneracy);
        enter(Phase::over);
    };
    if (distance < -same) return decide(Degeneracy::lower);  // a Ritz value is an upper bound
    const bool known = n_->recurrence.exhausted != 0 || estimate <= margin * finest;
    const bool apart = distance > same && estimate <= std::min(3e-5 * n_->scale, clear_distance * distance);
    if (apart || (known && distance > same)) return decide(Degeneracy::complete);
    if (!known) {
        if (n_->recurrence.steps >= static_cast<double>(steps_beyond())) decide(Degeneracy::undecided);
        return;
    }
    if (states() == max_states_) return decide(Degeneracy::more);
    n_->length = n_->recurrence.steps;
    enter(Phase::assembly);
}

/// The recurrence once more; what it makes goes into the next state.
void GroundState::assemble() {
    RecurrenceState& r = n_->recurrence;
    const auto length = static_cast<std::size_t>(n_->length), k = static_cast<std::size_t>(r.steps);
    if (k == 0 || ritz_vector_.size() != length)
        ritz_vector_ = lowest_pair(engine_.comm(), {n_->alpha, length}, {n_->beta, length - 1}).vector;
    if (k == 0) begin();
    advance();
    const Timers::Scope scope = timers_.scope("ground state");
    Vector& state = states_[states()];
    engine_.combine_only(ritz_vector_[k], engine_.f(), k == 0 ? 0 : 1, state, state);
    if (k + 1 == length) enter(Phase::examination);
}

/// Normalises the new state and multiplies it once: its energy and true residual.
void GroundState::examine() {
    const std::size_t i = states();
    Vector& state = states_[i];
    engine_.orthogonalise(states_, i, state);
    engine_.combine_only(1 / engine_.norm(state), state, 0, state, state);
    const TileSums sums = engine_.apply(state);
    const double value = sums.fq / sums.ff;
    residuals_[i] = std::sqrt(engine_.combine(1, engine_.q(), -value, state, nullptr));
    energies_[i] = value + engine_.sector().offset();
    if (i == 0) n_->energy = energies_[0];
    ++n_->found;
    enter(engine_.plan().config().degeneracy && converged() ? Phase::search : Phase::over);
}

double GroundState::residual() const {
    return states() == 0 ? NAN
                         : *std::max_element(residuals_.begin(), residuals_.begin() + static_cast<long>(states()));
}

bool GroundState::converged() const {
    return n_->found_out != 0 && (max_states_ == 0 || (states() > 0 && residual() <= tolerance()));
}

bool GroundState::whole_multiplet() const {
    return states() > 0 && (degeneracy() == Degeneracy::complete || degeneracy() == Degeneracy::undecided);
}

std::vector<Quantity> GroundState::results() const {
    std::vector<Quantity> q = {{"energy", "energy", "of the lowest state, total", {n_->energy}},
                               {"steps", "1", "of the first pass", {n_->iterations}},
                               {"residual-estimate", "energy", "from the recurrence", {n_->estimate}}};
    if (max_states_ == 0) return q;
    q.push_back({"converged", "1", "1: the true residual is below run.tolerance", {converged() ? 1.0 : 0.0}});
    if (states() == 0) return q;
    q.push_back({"residual", "energy", "norm of H x - E x, by multiplication", {residual()}});
    const bool known = degeneracy() == Degeneracy::complete || degeneracy() == Degeneracy::more;
    const double count = n_->found + (degeneracy() == Degeneracy::more ? 1 : 0);
    q.push_back({"degeneracy",
                 "1",
                 degeneracy() == Degeneracy::complete ? "of the lowest energy"
                 : degeneracy() == Degeneracy::more   ? "of the lowest energy, at least"
                                                      : "of the lowest energy: not decided",
                 {known ? count : NAN}});
    if (!std::isnan(n_->next))
        q.push_back({"next-energy", "energy", "roughly, of the lowest state beyond", {n_->next}});
    return q;
}

std::string GroundState::shortfall() const {
    const LanczosConfig& c = engine_.plan().config();
    if (degeneracy() == Degeneracy::lower)
        return text_of(
            "There is a state at %.12g, below the one that was found at %.12g. Repeat with another run.seed.", n_->next,
            n_->energy);
    if (converged() || c.allow_unconverged) return {};
    if (n_->found_out == 0)
        return text_of(
            "The energy has not converged in %.0f steps: its residual is about %.2g. Allow more with "
            "run.max-steps, or this with run.allow-unconverged = yes.",
            n_->iterations, n_->estimate);
    return text_of(
        "The residual of the ground state is %.2g, above run.tolerance (%.2g): rounding does not allow less. "
        "Choose a larger run.tolerance%s.",
        residual(), tolerance(), c.precision == Precision::single ? ", or double precision" : "");
}

std::string GroundState::remark() const {
    if (max_states_ == 0)
        return "Without run.vectors neither the true residual nor the degeneracy of the ground state is known.";
    if (states() == 0) return {};
    if (degeneracy() == Degeneracy::more)
        return text_of(
            "The ground state is degenerate, at least %.0f times: what depends on the mixture of these states is "
            "not given. With a larger run.states it is averaged over all of them.",
            n_->found + 1);
    if (degeneracy() == Degeneracy::undecided)
        return "Whether the ground state is degenerate is not known; if it is, expectation values depend on run.seed.";
    if (states() > 1)
        return text_of("Expectation values are averages over the %zu degenerate ground states.", states());
    return {};
}

}  // namespace strata::lanczos
