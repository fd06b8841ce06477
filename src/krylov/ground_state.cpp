// SPDX-License-Identifier: BSD-3-Clause
// Phases of a ground state: search (first pass), assembly (second pass), examination (one multiplication); then the
// same phases in the space orthogonal to the states computed so far. Components along these states reappear by rounding
// and by the residuals of the states, and grow as Ritz values outside of the spectrum converge; a bound of that growth
// decides when they are subtracted again. Rank 0 decides where a phase ends and broadcasts it at the end of the step.
#include "krylov/ground_state.hpp"

#include <algorithm>

#include "comm/collectives.hpp"
#include "krylov/levels.hpp"
#include "krylov/tridiagonal.hpp"

namespace strata::krylov {
namespace {

/// Largest residual limit of a search for further states, relative to the scale of energies, in double precision: a
/// loose tolerance is replaced by it, so that near levels are distinguished.
constexpr double finest_search = 1e-9;
/// Smallest residual, relative to the scale of energies, that a recurrence with two working vectors reaches. Levels
/// that it mixes stay unresolved.
double smallest_recurrence_residual(const HermitianOperator& op) {
    return op.space().precision() == Precision::single ? 2e-6 : 1e-12;
}
/// Growth of components along the computed states, relative to rounding, at which they are subtracted again.
double max_growth(const HermitianOperator& op) { return op.space().precision() == Precision::single ? 30 : 1e5; }
/// Component along a computed state, because this is no exact one, at which it is subtracted again: larger ones would
/// grow to a copy of the state, which looks like a second one of its level.
constexpr double max_component = 1e-3;

}  // namespace

GroundStateSolver::GroundStateSolver(HermitianOperator& op, const GroundStateOptions& options, Timers& timers)
    : op_(op),
      options_(options),
      timers_(timers),
      energies_(options.max_states),
      residuals_(options.max_states),
      alpha_(std::max<std::size_t>(options.max_steps, options.max_coefficients)),
      beta_(alpha_.size()) {}

void GroundStateSolver::allocate() {
    op_.space().reserve_basis(options_.max_states);
    for (std::size_t i = 0; i < options_.max_states; ++i) states_.push_back(op_.space().vector());
    kept_.reserve(options_.kept_vectors);
}

void GroundStateSolver::initialise() {
    s_ = SolverState();
    kept_alpha_.clear();
    for (std::vector<double>* numbers : {&alpha_, &beta_, &energies_, &residuals_}) std::ranges::fill(*numbers, 0.0);
    for (DistributedVector* x : {&op_.v(), &op_.w()}) op_.space().clear(*x);
    for (DistributedVector& x : states_) op_.space().clear(x);
}

void GroundStateSolver::add_state(std::vector<DistributedArray>& arrays, const std::string& prefix) {
    for (std::size_t i = 0; i < options_.max_states; ++i)
        op_.add_state(prefix + (i == 0 ? "ground-state" : "ground-state-" + std::to_string(i + 1)), states_[i], arrays);
    Record record(prefix + "coefficients");
    record.field("phase", s_.phase).field("steps", s_.steps).field("states", s_.states);
    record.field("degeneracy", s_.degeneracy).field("iterations", s_.iterations).field("pass-length", s_.pass_length);
    record.field("energy", s_.energy).field("residual-estimate", s_.residual_estimate).field("scale", s_.scale);
    record.field("energy-converged", s_.energy_converged).field("next-energy", s_.next_energy);
    record.field("resolution", s_.resolution).field("growth", s_.growth);
    add_fields(record, s_.recurrence);
    record.field("alpha", alpha_).field("beta", beta_);
    arrays.push_back(record.array());
    if (options_.max_states == 0) return;
    arrays.push_back(Record(prefix + "ground-energies").field("energies", energies_).array());
    arrays.push_back(Record(prefix + "ground-residuals").field("residuals", residuals_).array());
}

bool GroundStateSolver::done() const {
    return phase() == Phase::over ||
           (states() == 0 && phase() == Phase::search && s_.recurrence.steps >= options_.max_steps);
}

std::uint64_t GroundStateSolver::total_steps() const {
    const std::uint64_t max_steps = options_.max_steps, passed = s_.recurrence.steps;
    if (iterations() > max_steps) return max_steps;  // lowered by a resume, which is then refused
    if (done()) return steps();
    const std::uint64_t beyond = options_.multiplet == MultipletSearch::on ? max_steps_beyond() : 0;
    switch (phase()) {
        case Phase::search:
            return steps() + (states() == 0 ? max_steps : beyond) - passed +
                   (states() < options_.max_states ? max_steps + 1 + beyond : 0);
        case Phase::assembly: return steps() + s_.pass_length - passed + 1 + beyond;
        default: return steps() + 1 + beyond;
    }
}

/// Limit of the steps of a search beyond the computed states: it needs about as many steps as the first pass, unless
/// the energies are close.
std::uint64_t GroundStateSolver::max_steps_beyond() const {
    return std::min<std::uint64_t>(options_.max_steps, 3 * iterations() + 30);
}

void GroundStateSolver::enter(Phase phase) {
    s_.phase = static_cast<std::uint64_t>(phase);
    s_.recurrence = {};
}

void GroundStateSolver::step() {
    switch (phase()) {
        case Phase::search: search(); break;
        case Phase::assembly: assemble(); break;
        default: examine();
    }
    ++s_.steps;
    broadcast(op_.comm(), s_);
}

/// Draws the start vector of a pass: random, orthogonal to the computed states.
void GroundStateSolver::begin() {
    op_.draw(op_.w(), states());
    const double before = states() == 0 ? 0 : op_.space().norm(op_.w());
    op_.space().orthogonalise(states_, states(), op_.w());
    begin_recurrence(op_, s_.recurrence);
    if (s_.recurrence.start_norm <= 1e-9 * before) s_.recurrence.exhausted = 1;
    s_.growth = 1;
    kept_alpha_.clear();
}

/// A step of the recurrence in the space orthogonal to the states.
void GroundStateSolver::advance() {
    recurrence_step(op_, s_.recurrence, alpha_, beta_);
    const std::size_t k = s_.recurrence.steps - 1;
    if (states() == 0) {
        if (k != kept_alpha_.size() || k >= options_.kept_vectors) return;
        if (k == kept_.size()) kept_.push_back(op_.space().vector());
        op_.space().copy(op_.v(), kept_[k]);
        kept_alpha_.push_back(alpha_[k]);
        return;
    }
    const double distance = std::abs(energies_[0] - alpha_[k]), beta = std::max(beta_[k], 1e-300);
    s_.growth *= std::max(1.0, (distance + (k == 0 ? 0 : beta_[k - 1])) / beta);
    s_.growth += residual() / beta / max_component * max_growth(op_);
    if (s_.growth < max_growth(op_)) return;
    const Timers::Scope scope = timers_.scope("orthogonalisation");
    for (DistributedVector* x : {&op_.v(), &op_.w()}) op_.space().orthogonalise(states_, states(), *x, Passes::one);
    s_.growth = 1;
}

void GroundStateSolver::search() {
    if (static_cast<double>(states()) >= op_.dimension()) return decide(Degeneracy::complete);  // they span the space
    if (s_.recurrence.steps == 0) begin();
    if (s_.recurrence.exhausted != 0) return decide(Degeneracy::complete);
    advance();
    const Timers::Scope scope = timers_.scope("tridiagonal");
    if (op_.comm().is_root()) judge();
}

/// On rank 0: computes the lowest Ritz pair so far and decides whether the pass ends with it.
void GroundStateSolver::judge() {
    const std::size_t m = s_.recurrence.steps;
    const RitzPair pair = lowest_pair({alpha_.data(), m}, {beta_.data(), m - 1});
    const double estimate = beta_[m - 1] * std::abs(pair.vector.back());
    if (states() == 0)
        judge_first(pair.value, estimate);
    else
        judge_beyond(pair.value, estimate);
}

/// Ends the first pass when the estimated residual is small enough; the last step that max_steps allows need only meet
/// the tolerance, not a smaller residual that refine() asked for.
void GroundStateSolver::judge_first(double value, double estimate) {
    s_.iterations = s_.recurrence.steps;
    s_.energy = value + op_.offset();
    s_.residual_estimate = estimate;
    const double width = std::hypot(alpha_[0], beta_[0]);
    s_.scale = std::max({std::abs(s_.energy - op_.constant()), std::abs(value), width, op_.least_scale()});
    const double first = std::min(resolved(), options_.first_residual * s_.scale);
    const double limit = s_.recurrence.steps < options_.max_steps ? first : tolerance();
    if (s_.recurrence.exhausted == 0 && estimate > estimate_margin * limit) return;
    s_.energy_converged = 1;
    s_.pass_length = s_.recurrence.steps;
    enter(options_.max_states > 0 ? Phase::assembly : Phase::over);
}

/// Compares the lowest Ritz value beyond the computed states with the level of the ground state: ends the search, adds
/// another state of that level, or repeats all with smaller residuals.
void GroundStateSolver::judge_beyond(double value, double estimate) {
    const double limit =
        op_.space().precision() == Precision::single ? resolved() : std::min(resolved(), finest_search * s_.scale);
    const double rounding = recurrence_rounding(op_.space().precision()) * s_.scale;
    const double distance = value - energies_[0], beyond = 10 * limit + residuals_[0];
    s_.next_energy = distance < -rounding ? NAN : s_.energy + std::max(distance, 0.0);
    if (distance < -beyond) {  // a Ritz value is an upper bound
        s_.next_energy = s_.energy + distance;
        return decide(Degeneracy::lower);
    }
    const bool clear = estimate <= clear_distance * distance;
    if (distance > beyond && clear && estimate <= 3e-5 * s_.scale) return decide(Degeneracy::complete);
    const Levels levels = compare_levels(distance, residuals_[0] + estimate,
                                         recurrence_rounding(op_.space().precision()), s_.scale, op_.least_coupling());
    const bool apart = levels == Levels::apart && distance > 0, known = estimate <= estimate_margin * limit;
    if (s_.recurrence.exhausted == 0 && (!known || (apart && !clear))) {
        if (s_.recurrence.steps >= max_steps_beyond()) decide(Degeneracy::undecided);
        return;
    }
    if (apart) return decide(Degeneracy::complete);
    if (levels != Levels::same) return refine(distance);
    if (states() == options_.max_states) return decide(Degeneracy::more);
    s_.pass_length = s_.recurrence.steps;
    enter(Phase::assembly);
}

/// Restarts the computation of all states with smaller residuals: a hundredth of the distance of the levels or of the
/// second-order splitting by the smallest terms, whichever is larger. Gives up where rounding forbids that.
void GroundStateSolver::refine(double distance) {
    const double split = op_.least_coupling() * op_.least_coupling() / s_.scale;
    const double needed = 0.01 * std::min(resolved(), std::max(std::abs(distance), split));
    if (needed < smallest_recurrence_residual(op_) * s_.scale) {
        s_.next_energy = NAN;
        return decide(Degeneracy::unresolved);
    }
    s_.resolution = needed;
    s_.energy_converged = 0;
    s_.states = 0;
    enter(Phase::search);
}

void GroundStateSolver::decide(Degeneracy degeneracy) {
    s_.degeneracy = static_cast<std::uint64_t>(degeneracy);
    enter(Phase::over);
}

/// A step of the second pass: adds another vector of the recurrence to the next state.
void GroundStateSolver::assemble() {
    const std::size_t length = s_.pass_length, k = s_.recurrence.steps;
    if (k == 0 || ritz_vector_.size() != length)
        ritz_vector_ = lowest_pair(op_.comm(), {alpha_.data(), length}, {beta_.data(), length - 1}).vector;
    const DistributedVector& x = repeated_vector(k);
    const Timers::Scope scope = timers_.scope("ground state");
    DistributedVector& state = states_[states()];
    op_.space().axpby(ritz_vector_[k], x, k == 0 ? 0 : 1, state, state);
    if (k + 1 == length) enter(Phase::examination);
}

/// Vector k of the first pass: one that was kept, or that of the recurrence, which is repeated. After a restart amid vectors
/// that had been kept the recurrence is repeated up to this one.
const DistributedVector& GroundStateSolver::repeated_vector(std::size_t k) {
    if (s_.pass_length <= kept_alpha_.size() &&
        std::equal(alpha_.begin(), alpha_.begin() + k + 1, kept_alpha_.begin())) {
        s_.recurrence.steps = k + 1;
        return kept_[k];
    }
    if (s_.recurrence.start_norm == 0) {
        begin();
        while (s_.recurrence.steps < k) advance();
    }
    advance();
    return op_.v();
}

/// Normalises the new state and multiplies it by H once, for its energy and true residual.
void GroundStateSolver::examine() {
    const std::size_t i = states();
    DistributedVector& state = states_[i];
    op_.space().orthogonalise(states_, i, state);
    op_.space().axpby(1 / op_.space().norm(state), state, 0, state, state);
    const RayleighQuotient quotient = op_.quotient(state, i == 0 ? s_.energy - op_.offset() : energies_[0]);
    residuals_[i] = quotient.residual;
    energies_[i] = quotient.value;
    if (i == 0) s_.energy = quotient.value + op_.offset();
    ++s_.states;
    enter(options_.multiplet == MultipletSearch::on && residual_converged() ? Phase::search : Phase::over);
}

double GroundStateSolver::residual() const {
    return states() == 0 ? NAN
                         : *std::max_element(residuals_.begin(), residuals_.begin() + static_cast<long>(states()));
}

bool GroundStateSolver::residual_converged() const {
    return energy_converged() && (options_.max_states == 0 || (states() > 0 && residual() <= tolerance()));
}

bool GroundStateSolver::converged() const {
    return residual_converged() && (!certified() || energy_error() <= energy_tolerance());
}

double GroundStateSolver::energy_bound() const {
    constexpr double sums = 1e-9;  // relative rounding of the norms
    return states() == 0 ? NAN : (1 + sums) * residuals_[0] + 2 * op_.quotient_rounding();
}

/// Temple's inequality, E - E_0 <= residual^2 / (E_1 - E), needs the next level E_1. The energy beyond, a Ritz value, is
/// above it by less than a tenth of the distance where it is known to be that of another level.
double GroundStateSolver::energy_error() const {
    const double bound = energy_bound(), gap = 0.9 * (s_.next_energy - s_.energy);
    if (states() != 1 || degeneracy() != Degeneracy::complete || !(gap > bound)) return bound;
    return bound * bound / gap + 2 * op_.quotient_rounding();
}

bool GroundStateSolver::whole_multiplet() const {
    return states() > 0 && (degeneracy() == Degeneracy::complete || degeneracy() == Degeneracy::undecided);
}

}  // namespace strata::krylov
