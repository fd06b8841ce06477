// SPDX-License-Identifier: BSD-3-Clause
#include "lanczos/ground_state.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "comm/collectives.hpp"
#include "lanczos/recurrence.hpp"
#include "lanczos/system.hpp"
#include "lanczos/tridiagonal.hpp"

namespace strata::lanczos {

GroundState::GroundState(Engine& engine, bool vector, Timers& timers)
    : engine_(engine), wants_vector_(vector), timers_(timers), n_(std::make_unique<Numbers>()) {}

void GroundState::allocate() {
    if (wants_vector_) vector_ = engine_.vector();
}

void GroundState::initialise() {
    *n_ = Numbers();
    engine_.clear(engine_.f());
    engine_.draw(engine_.q(), 0);
    n_->start_norm = engine_.norm(engine_.q());
}

void GroundState::add_state(std::vector<DistributedArray>& arrays) {
    if (wants_vector_) engine_.add_state("ground-state", vector_, arrays);
    arrays.push_back(numbers_array(engine_.comm(), "coefficients", reinterpret_cast<double*>(n_.get()),
                                   sizeof(Numbers) / sizeof(double)));
}

void GroundState::restored() {
    broadcast(engine_.comm(), *n_);
    if (wants_vector_) engine_.restored(vector_);
}

std::uint64_t GroundState::first_pass() const { return converged() ? made() : engine_.plan().config().max_steps; }

std::uint64_t GroundState::steps() const {
    const bool given_up = !converged() && made() == first_pass();
    return wants_vector_ && !given_up ? 2 * first_pass() + 1 : first_pass();
}

void GroundState::step(std::uint64_t step) {
    const std::uint64_t m = first_pass();
    if (step < m) {
        recurrence_step(engine_, step, n_->start_norm, n_->alpha, n_->beta);
        n_->steps = static_cast<double>(step + 1);
        const Timers::Scope scope = timers_.scope("tridiagonal");
        look_at_ritz_pair();
    } else if (step < 2 * m) {
        add_to_vector(step - m);
    } else {
        examine();
    }
}

void GroundState::look_at_ritz_pair() {
    const std::uint64_t m = made();
    const RitzPair pair = lowest_pair({n_->alpha, m}, {n_->beta, m - 1});
    n_->energy = pair.value + engine_.sector().offset();
    n_->estimate = n_->beta[m - 1] * std::abs(pair.vector.back());
    const double scale = std::max({std::abs(n_->energy), std::abs(pair.value), n_->beta[0], 1e-300});
    if (exhausted(m - 1, n_->alpha, n_->beta) || n_->estimate <= engine_.plan().config().tolerance * scale ||
        static_cast<double>(m) >= engine_.plan().dimension())
        n_->converged = 1;
}

/// The recurrence once more; what it makes goes into the ground state.
void GroundState::add_to_vector(std::uint64_t k) {
    const std::uint64_t m = first_pass();
    if (ritz_vector_.size() != m) ritz_vector_ = lowest_pair({n_->alpha, m}, {n_->beta, m - 1}).vector;
    if (k == 0) {
        engine_.clear(engine_.f());
        engine_.draw(engine_.q(), 0);
    }
    engine_.multiply(recurrence(k, n_->start_norm, n_->alpha, n_->beta));
    const Timers::Scope scope = timers_.scope("ground state");
    engine_.combine_only(ritz_vector_[k], engine_.f(), k == 0 ? 0 : 1, vector_, vector_);
}

/// Normalises the ground state and multiplies it once: its energy and true residual.
void GroundState::examine() {
    const double norm = engine_.norm(vector_);
    engine_.combine_only(1 / norm, vector_, 0, vector_, vector_);
    const TileSums sums = engine_.apply(vector_);
    const double value = sums.fq / sums.ff;
    n_->residual = std::sqrt(engine_.combine(1, engine_.q(), -value, vector_, nullptr));
    n_->energy = value + engine_.sector().offset();
}

std::string GroundState::shortfall() const {
    if (converged() || engine_.plan().config().allow_unconverged) return {};
    char text[200];
    std::snprintf(text, sizeof text,
                  "The energy has not converged in %llu steps: the residual is %.2g. Allow more with run.max-steps, or "
                  "this with run.allow-unconverged = yes.",
                  static_cast<unsigned long long>(made()), n_->estimate);
    return text;
}

}  // namespace strata::lanczos
