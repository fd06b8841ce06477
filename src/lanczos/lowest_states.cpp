// SPDX-License-Identifier: BSD-3-Clause
// The basis holds Ritz vectors of earlier cycles, then new directions; columns of the projected matrix exist for those
// vectors that H was applied to. The small eigenvalue problem is solved on rank 0. Where the basis is as large as the
// sector nothing is ever thrown away, and its eigenvalues are those of H.
#include "lanczos/lowest_states.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "comm/collectives.hpp"
#include "lanczos/tridiagonal.hpp"

namespace strata::lanczos {
namespace {

/// Estimated residuals must be so much below the tolerance that the true ones are not above it by rounding.
constexpr double margin = 0.5;

/// As far as the dimension of the sector allows.
std::size_t n_states(const LanczosPlan& plan) {
    return static_cast<std::size_t>(std::min(static_cast<double>(plan.config().states), plan.dimension()));
}

void share(const Communicator& comm, std::vector<double>& numbers) {
    broadcast_bytes(comm, numbers.data(), numbers.size() * sizeof(double), 0);
}

}  // namespace

std::uint64_t LowestStates::basis_size(const LanczosPlan& plan) {
    const std::uint64_t states = n_states(plan), block = plan.config().block;
    const std::uint64_t chosen = plan.config().basis != 0 ? plan.config().basis : 2 * states + block + 20;
    const double room = plan.dimension();
    return static_cast<std::uint64_t>(std::min(static_cast<double>(std::max(chosen, states + 2 * block + 2)), room));
}

LowestStates::LowestStates(const Communicator& comm, const LanczosPlan& plan, const DeviceBinding* device)
    : LanczosTask(comm, plan, device, basis_size(plan)),
      n_states_(n_states(plan_)),
      max_basis_(basis_size(plan_)),
      state_(std::make_unique<SolverState>()),
      projected_(max_basis_ * max_basis_),
      energies_(n_states_, 0.0),
      residuals_(n_states_, -1.0),
      before_(n_states_, 0.0) {
    for (std::size_t i = 0; i < n_states_; ++i)
        columns_.push_back({i == 0 ? "energy" : "energy-" + std::to_string(i), "energy", "Ritz value after each step"});
    columns_.push_back({"residual-estimate", "energy", "largest of the states wanted"});
}

void LowestStates::allocate() {
    hamiltonian_.allocate();
    for (std::size_t i = 0; i < max_basis_; ++i) basis_.push_back(hamiltonian_.vector());
}

void LowestStates::initialise() {
    *state_ = SolverState();
    std::ranges::fill(projected_, 0);
    std::ranges::fill(energies_, 0.0);
    std::ranges::fill(residuals_, -1.0);
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(plan_.config().block, max_basis_); ++i) append_random();
}

std::vector<DistributedArray> LowestStates::state() {
    std::vector<DistributedArray> arrays;
    for (std::size_t i = 0; i < max_basis_; ++i)
        hamiltonian_.add_state("basis-" + std::to_string(i), basis_[i], arrays);
    const auto numbers = [&](const char* name, void* at, std::size_t size) {
        arrays.push_back(numbers_array(comm_, name, static_cast<double*>(at), size));
    };
    numbers("numbers", state_.get(), sizeof(SolverState) / sizeof(double));
    numbers("projected", projected_.data(), 2 * projected_.size());
    numbers("energies", energies_.data(), n_states_);
    numbers("energies-before", before_.data(), n_states_);
    numbers("residuals", residuals_.data(), n_states_);
    return arrays;
}

void LowestStates::restored(std::uint64_t) {
    broadcast(comm_, *state_);
    for (DistributedVector& v : basis_) hamiltonian_.restored(v);
    broadcast_bytes(comm_, projected_.data(), projected_.size() * sizeof(Complex), 0);
    for (std::vector<double>* numbers : {&energies_, &before_, &residuals_}) share(comm_, *numbers);
}

std::uint64_t LowestStates::total_steps() const {
    const bool examined = state_->found != 0 && plan_.config().vectors;
    return search_steps() + (examined ? n_states_ : 0);
}

void LowestStates::step(std::uint64_t step) {
    if (step >= search_steps()) return examine_state(step - search_steps());
    expand();
    state_->steps = static_cast<double>(step + 1);
    examine_pairs();
}

/// x, less what the basis has of it and normalised, as the next vector. False if nothing remains.
bool LowestStates::append(DistributedVector& x, double scale, double& norm) {
    norm = hamiltonian_.norm(x);
    if (count(state_->size) == max_basis_ || norm <= 1e-12 * scale) return false;
    hamiltonian_.axpby(1 / norm, x, 0, x, basis_[count(state_->size)]);
    ++state_->size;
    return true;
}

void LowestStates::append_random() {
    DistributedVector& x = hamiltonian_.w();
    hamiltonian_.draw(x, count(state_->random));
    ++state_->random;
    const double before = hamiltonian_.norm(x);
    hamiltonian_.orthogonalise(basis_, count(state_->size), x);
    double norm = 0;
    append(x, before, norm);
}

/// H on the first vector that it has not been applied to.
void LowestStates::expand() {
    const Timers::Scope scope = timers_.scope("basis");
    if (state_->applied == state_->size) append_random();
    const std::size_t j = count(state_->applied);
    const TileSums sums = hamiltonian_.apply(basis_[j]);
    if (state_->width == 0) state_->width = std::sqrt(sums.ww / sums.vv);
    DistributedVector& x = hamiltonian_.w();
    const std::vector<Complex> h = hamiltonian_.orthogonalise(basis_, count(state_->size), x);
    for (std::size_t i = 0; i < h.size(); ++i) projected(i, j) = h[i];
    // a random vector that took the place of a residual's direction finds that direction's couplings in its row
    for (std::size_t i = 0; i < j; ++i) projected(j, i) = std::conj(h[i]);
    double norm = 0;
    const std::size_t row = h.size();
    if (append(x, std::sqrt(sums.ww) + 1e-300, norm)) projected(row, j) = norm;
    ++state_->applied;
}

/// From the couplings to the directions that H was not applied to.
double LowestStates::residual_estimate(std::size_t pair) const {
    const std::size_t n = count(state_->applied), size = count(state_->size);
    double squares = 0;
    for (std::size_t t = n; t < size; ++t) {
        Complex component = 0;
        for (std::size_t j = 0; j < n; ++j) component += projected_[t * max_basis_ + j] * vectors_[pair * n + j];
        squares += std::norm(component);
    }
    return std::sqrt(squares);
}

/// Pairs of the projected matrix; convergence, another look with a random vector, or a restart.
void LowestStates::examine_pairs() {
    const Timers::Scope scope = timers_.scope("projected matrix");
    const std::size_t n = count(state_->applied), size = count(state_->size);
    std::vector<Complex> matrix(n * n);
    for (std::size_t j = 0; j < n; ++j)
        for (std::size_t i = 0; i < n; ++i) matrix[j * n + i] = (projected(i, j) + std::conj(projected(j, i))) / 2.0;
    DensePairs pairs = hermitian_pairs(comm_, n, std::move(matrix));
    values_ = std::move(pairs.values);
    vectors_ = std::move(pairs.vectors);
    state_->whole = static_cast<double>(n) >= plan_.dimension() ? 1 : 0;
    const double offset = plan_.sector().offset();
    state_->scale = std::max({std::abs(values_[0] + offset), std::abs(values_[0]), state_->width, 1e-300});
    bool all = n >= n_states_;
    for (std::size_t i = 0; i < n_states_; ++i) {
        energies_[i] = i < n ? values_[i] + offset : std::abs(energies_[0]) + state_->scale;
        residuals_[i] = i < n ? residual_estimate(i) : state_->scale;
        all = all && residuals_[i] <= margin * tolerance();
    }
    if (n > n_states_) state_->next = values_[n_states_] + offset;
    all = all && beyond_is_known();
    if (all && confirmed()) {
        restart(n_states_);
        state_->found = 1;
        state_->multiplicity = static_cast<double>(lowest_of(energies_));
    } else if (all) {
        before_ = energies_;
        state_->checked = 1;
        restart(n_states_);
        state_->size = state_->applied;  // directions of residuals give way to a random one
        append_random();
    } else if (size == max_basis_ && static_cast<double>(max_basis_) < plan_.dimension()) {
        restart(
            std::clamp<std::size_t>(n_states_ + (n - std::min(n, n_states_)) / 2, 1, std::max<std::size_t>(n, 2) - 1));
    }
}

/// States among those of the lowest energy.
std::size_t LowestStates::lowest_of(const std::vector<double>& energies) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(energies, [&](double e) { return e - energies[0] <= 20 * tolerance(); }));
}

/// The first state that is not wanted need be known only so well that it is none of those; if all that are wanted have
/// the same energy, so well that it does not belong to them either.
bool LowestStates::beyond_is_known() const {
    if (state_->whole != 0) return true;
    if (count(state_->applied) <= n_states_) return false;
    const double estimate = residual_estimate(n_states_), distance = state_->next - energies_[0];
    if (estimate <= margin * tolerance()) return true;
    if (lowest_of(energies_) == n_states_ && estimate > 0.01 * distance) return false;
    return estimate <= std::sqrt(plan_.config().tolerance) * state_->scale;
}

/// The energies have not changed since a random vector joined, or there is nothing outside of the basis.
bool LowestStates::confirmed() const {
    if (state_->whole != 0) return true;
    if (state_->checked == 0) return false;
    for (std::size_t i = 0; i < n_states_; ++i)
        if (std::abs(energies_[i] - before_[i]) > 10 * tolerance()) return false;
    return true;
}

/// Keeps the lowest pairs, as vectors, and the directions of the residuals.
void LowestStates::restart(std::size_t kept) {
    const std::size_t n = count(state_->applied), size = count(state_->size), rest = size - n;
    kept = std::min(kept, n);
    std::vector<Complex> c(vectors_.begin(), vectors_.begin() + static_cast<std::ptrdiff_t>(kept * n));
    std::vector<Complex> coupling(rest * kept);
    for (std::size_t t = 0; t < rest; ++t)
        for (std::size_t i = 0; i < kept; ++i)
            for (std::size_t j = 0; j < n; ++j) coupling[t * kept + i] += projected(n + t, j) * vectors_[i * n + j];
    hamiltonian_.rotate(basis_, n, c, kept);
    for (std::size_t t = 0; t < rest; ++t) std::swap(basis_[kept + t], basis_[n + t]);
    std::ranges::fill(projected_, 0);
    for (std::size_t i = 0; i < kept; ++i) projected(i, i) = values_[i];
    for (std::size_t t = 0; t < rest; ++t)
        for (std::size_t i = 0; i < kept; ++i) projected(kept + t, i) = coupling[t * kept + i];
    state_->applied = static_cast<double>(kept);
    state_->size = static_cast<double>(kept + rest);
}

/// True residual, and what can be measured if the state belongs to the lowest energy.
void LowestStates::examine_state(std::size_t i) {
    const TileSums sums = hamiltonian_.apply(basis_[i]);
    const double value = sums.vw / sums.vv;
    residuals_[i] = std::sqrt(hamiltonian_.axpby_norm(1, hamiltonian_.w(), -value, basis_[i], nullptr));
    energies_[i] = value + plan_.sector().offset();
    state_->examined = static_cast<double>(i + 1);
    if (i >= count(state_->multiplicity)) return;
    const Timers::Scope scope = timers_.scope("observables");
    PairOccupations pairs;
    measure(hamiltonian_, basis_[i], pairs);
    state_->pairs.add(pairs);
}

bool LowestStates::converged() const {
    return state_->found != 0 && (!plan_.config().vectors || (count(state_->examined) == n_states_ &&
                                                              *std::ranges::max_element(residuals_) <= tolerance()));
}

bool LowestStates::may_be_more() const {
    return count(state_->multiplicity) == n_states_ && state_->next - energies_[0] <= 20 * tolerance();
}

void LowestStates::observe_row(std::span<double> row) {
    std::ranges::copy(energies_, row.begin());
    row[n_states_] = *std::ranges::max_element(residuals_);
}

std::string LowestStates::shortfall() const {
    if (converged() || plan_.config().allow_unconverged) return {};
    char text[300];
    const double largest = *std::ranges::max_element(residuals_);
    if (state_->found == 0)
        std::snprintf(
            text, sizeof text,
            "Not all of the %zu states have converged in %.0f steps: the largest residual is about %.2g. Allow "
            "more with run.max-steps, or this with run.allow-unconverged = yes.",
            n_states_, state_->steps, largest);
    else
        std::snprintf(
            text, sizeof text,
            "The largest residual of the %zu states is %.2g, above run.tolerance (%.2g): rounding does not allow "
            "less. Choose a larger run.tolerance%s.",
            n_states_, largest, tolerance(),
            plan_.config().precision == Precision::single ? ", or double precision" : "");
    return text;
}

std::string LowestStates::remark() const {
    if (!plan_.config().vectors) return "Without run.vectors the true residuals are not known, only their estimates.";
    if (state_->found == 0) return {};
    if (may_be_more())
        return "There may be further states of the lowest energy: what depends on their mixture is not given. Ask for "
               "more run.states.";
    if (state_->multiplicity > 1)
        return "Expectation values are averages over the " + std::to_string(count(state_->multiplicity)) +
               " degenerate states of the lowest energy.";
    return {};
}

std::vector<Quantity> LowestStates::results(const Series& series) const {
    if (series.rows() == 0) return {};
    std::vector<Quantity> q = {{"energy", "energy", "of the lowest state, total", {energies_[0]}}};
    constexpr std::size_t shown = 16;  // in full; all are in the list
    for (std::size_t i = 1; i < std::min(shown, n_states_); ++i)
        q.push_back({"energy-" + std::to_string(i), "energy", "of the next state", {energies_[i]}});
    q.push_back({"energies", "energy", "of all states wanted, each as often as it is degenerate", energies_});
    if (state_->found != 0)
        q.push_back({"degeneracy",
                     "1",
                     may_be_more() ? "of the lowest energy, at least: ask for more run.states" : "of the lowest energy",
                     {state_->multiplicity}});
    if (state_->whole == 0 || n_states_ < static_cast<std::size_t>(plan_.dimension()))
        q.push_back({"next-energy", "energy", "roughly, of the first state beyond", {state_->next}});
    const bool examined = plan_.config().vectors && count(state_->examined) == n_states_;
    const char* name = examined ? "residual" : "residual-estimate";
    q.push_back({examined ? "residuals" : "residual-estimates", "energy", "norms of H x - E x", residuals_});
    q.push_back({name, "energy", "the largest of them", {*std::ranges::max_element(residuals_)}});
    q.push_back({"steps", "1", "multiplications by H", {state_->steps}});
    if (plan_.config().vectors)
        q.push_back({"converged", "1", "1: all true residuals are below run.tolerance", {converged() ? 1.0 : 0.0}});
    if (!examined || may_be_more()) return q;
    for (Quantity& correlation : correlation_results(plan_, state_->pairs.mean())) q.push_back(std::move(correlation));
    return q;
}

}  // namespace strata::lanczos
