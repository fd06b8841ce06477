// SPDX-License-Identifier: BSD-3-Clause
// The basis consists of Ritz vectors of earlier cycles and, after them, new directions; the projected matrix has
// columns for those vectors that H was applied to. The small eigenvalue problem is solved on rank 0, which also decides
// the next action. Where the basis is as large as the space nothing is ever discarded, and its eigenvalues are those of
// H.
#include "krylov/lowest_states.hpp"

#include <algorithm>

#include "comm/collectives.hpp"
#include "krylov/tridiagonal.hpp"

namespace strata::krylov {
namespace {

std::size_t at_most(std::size_t count, double dimension) {
    return static_cast<std::size_t>(std::min(static_cast<double>(count), dimension));
}

/// Relative norm below which the remainder of an orthogonalisation is orthogonal to a few digits only.
double cancellation(const HermitianOperator& op) { return op.space().precision() == Precision::single ? 1e-3 : 1e-10; }

/// Smallest residual that rounding allows, relative to the scale of energies. Levels that it mixes stay unresolved.
double smallest_residual(const HermitianOperator& op) {
    return op.space().precision() == Precision::single ? 2e-6 : 5e-14;
}

}  // namespace

std::size_t LowestStatesSolver::n_states(const LowestStatesOptions& options, double dimension) {
    return at_most(options.n_states, dimension);
}

std::size_t LowestStatesSolver::max_basis(const LowestStatesOptions& options, double dimension) {
    const std::size_t states = n_states(options, dimension), block = options.block;
    const std::size_t chosen = options.max_basis != 0 ? options.max_basis : 2 * states + block + 20;
    return at_most(std::max(chosen, states + 2 * block + 2), dimension);
}

LowestStatesSolver::LowestStatesSolver(HermitianOperator& op, const LowestStatesOptions& options, Timers& timers)
    : op_(op),
      options_(options),
      n_states_(n_states(options, op.dimension())),
      max_basis_(max_basis(options, op.dimension())),
      timers_(timers),
      projected_(max_basis_ * max_basis_),
      energies_(n_states_),
      residuals_(n_states_, -1.0),
      unconfirmed_(n_states_) {}

void LowestStatesSolver::allocate() {
    op_.space().reserve_basis(max_basis_);
    for (std::size_t i = 0; i < max_basis_; ++i) basis_.push_back(op_.space().vector());
}

void LowestStatesSolver::initialise() {
    s_ = SolverState();
    std::ranges::fill(projected_, 0);
    std::ranges::fill(energies_, 0.0);
    std::ranges::fill(residuals_, -1.0);
    for (std::size_t i = 0; i < std::min(options_.block, max_basis_); ++i) append_random();
}

void LowestStatesSolver::add_basis(std::vector<DistributedArray>& arrays) {
    for (std::size_t i = 0; i < max_basis_; ++i) op_.add_state("basis-" + std::to_string(i), basis_[i], arrays);
}

void LowestStatesSolver::add_fields(Record& record) {
    record.field("steps", s_.steps).field("found", s_.found).field("size", s_.size).field("applied", s_.applied);
    record.field("random", s_.random).field("confirming", s_.confirming).field("examined", s_.examined);
    record.field("scale", s_.scale).field("width", s_.width).field("next-energy", s_.next_energy);
    record.field("whole-space", s_.whole_space).field("multiplicity", s_.multiplicity);
    record.field("more", s_.more)
        .field("unresolved", s_.unresolved)
        .field("unconfirmed-residual", s_.unconfirmed_residual);
}

void LowestStatesSolver::add_matrices(std::vector<DistributedArray>& arrays) {
    const std::span<double> projected(reinterpret_cast<double*>(projected_.data()), 2 * projected_.size());
    arrays.push_back(Record("projected").field("matrix", projected).array());  // pairs (re, im)
    arrays.push_back(Record("energies").field("energies", energies_).array());
    arrays.push_back(Record("energies-before").field("energies", unconfirmed_).array());
    arrays.push_back(Record("residuals").field("residuals", residuals_).array());
}

void LowestStatesSolver::step() {
    expand();
    const Timers::Scope scope = timers_.scope("projected matrix");
    ritz_pairs();
    Next next = decide();
    broadcast(op_.comm(), next);
    switch (next) {
        case Next::expand: break;
        case Next::restart: restart(pairs_to_keep()); break;
        case Next::confirm: confirm(); break;
        case Next::accept: accept();
    }
    ++s_.steps;
}

/// Appends x, normalised, to the basis, to which it has been orthogonalised. `scale` is its norm before that, `norm`
/// returns the norm of x. False if the basis is full or nothing but rounding remains.
bool LowestStatesSolver::append(DistributedVector& x, double scale, double& norm) {
    norm = op_.space().norm(x);
    if (s_.size == max_basis_ || norm <= 1e-12 * scale) return false;
    DistributedVector& next = basis_[s_.size];
    op_.space().axpby(1 / norm, x, 0, x, next);
    if (norm <= cancellation(op_) * scale) {  // the remainder is orthogonal only up to the rounding of x
        op_.space().orthogonalise(basis_, s_.size, next);
        const double rest = op_.space().norm(next);
        if (rest < 0.5) return false;  // nothing but rounding
        op_.space().axpby(1 / rest, next, 0, next, next);
    }
    ++s_.size;
    return true;
}

void LowestStatesSolver::append_random() {
    DistributedVector& x = op_.w();
    op_.draw(x, s_.random);
    ++s_.random;
    const double before = op_.space().norm(x);
    op_.space().orthogonalise(basis_, s_.size, x);
    double norm = 0;
    append(x, before, norm);
}

/// Applies H to the first basis vector without a column in the projected matrix, and appends the residual's direction.
void LowestStatesSolver::expand() {
    const Timers::Scope scope = timers_.scope("basis");
    if (s_.applied == s_.size) append_random();
    const std::size_t j = s_.applied, row = s_.size;
    const PairProducts products = op_.apply(basis_[j]);
    if (s_.width == 0) s_.width = std::sqrt(products.ww / products.vv);
    const std::vector<Complex> h = op_.space().orthogonalise(basis_, row, op_.w());
    for (std::size_t i = 0; i < row; ++i) projected(i, j) = h[i];
    // overwrites the row, which may still hold the couplings of a residual's direction that a random vector replaced
    for (std::size_t i = 0; i < j; ++i) projected(j, i) = std::conj(h[i]);
    double norm = 0;
    if (append(op_.w(), std::sqrt(products.ww) + 1e-300, norm)) projected(row, j) = norm;
    ++s_.applied;
}

/// Computes the eigenpairs of the projected matrix, and the energies and residual estimates of the states.
void LowestStatesSolver::ritz_pairs() {
    const std::size_t n = s_.applied;
    std::vector<Complex> matrix(n * n);
    for (std::size_t j = 0; j < n; ++j)
        for (std::size_t i = 0; i < n; ++i) matrix[j * n + i] = (projected(i, j) + std::conj(projected(j, i))) / 2.0;
    DensePairs pairs = hermitian_pairs(op_.comm(), n, std::move(matrix));
    ritz_values_ = std::move(pairs.values);
    ritz_vectors_ = std::move(pairs.vectors);
    s_.whole_space = static_cast<double>(n) >= op_.dimension() ? 1 : 0;
    const double lowest = ritz_values_[0], offset = op_.offset();
    s_.scale = std::max({std::abs(lowest + offset - op_.constant()), std::abs(lowest), s_.width, op_.least_scale()});
    for (std::size_t i = 0; i < n_states_; ++i) {
        energies_[i] = i < n ? ritz_values_[i] : std::abs(energies_[0]) + s_.scale;
        residuals_[i] = i < n ? residual_estimate(i) : s_.scale;
    }
    if (n > n_states_) s_.next_energy = ritz_values_[n_states_] + offset;
}

/// Norm of the residual of a Ritz pair, from its couplings to the vectors that H was not applied to.
double LowestStatesSolver::residual_estimate(std::size_t pair) const {
    const std::size_t n = s_.applied;
    double squares = 0;
    for (std::size_t t = n; t < s_.size; ++t) {
        Complex component = 0;
        for (std::size_t j = 0; j < n; ++j) component += projected_[t * max_basis_ + j] * ritz_vectors_[pair * n + j];
        squares += std::norm(component);
    }
    return std::sqrt(squares);
}

LowestStatesSolver::Next LowestStatesSolver::decide() const {
    if (converged()) return confirmed() ? Next::accept : Next::confirm;
    const bool full = s_.size == max_basis_ && static_cast<double>(max_basis_) < op_.dimension();
    return full ? Next::restart : Next::expand;
}

/// Whether all states have converged by their estimates, and the next Ritz pair is known to be none of them.
bool LowestStatesSolver::converged() const {
    const auto small = [&](double residual) { return residual <= estimate_margin * tolerance(); };
    return s_.applied >= n_states_ && std::ranges::all_of(residuals_, small) && levels_are_resolved() &&
           beyond_is_known();
}

Levels LowestStatesSolver::compare(double distance, double residuals) const {
    return compare_levels(distance, residuals, basis_rounding(op_.space().precision()), s_.scale, op_.least_coupling());
}

/// Whether neighbours among the states belong to one level or to clearly different ones, as far as rounding allows.
bool LowestStatesSolver::levels_are_resolved() const {
    for (std::size_t i = 1; i < n_states_; ++i) {
        const double residuals = residuals_[i] + residuals_[i - 1];
        if (residuals > 2 * smallest_residual(op_) * s_.scale &&
            compare(energies_[i] - energies_[i - 1], residuals) == Levels::unresolved)
            return false;
    }
    return true;
}

/// Number of computed states in the level of the lowest one.
std::size_t LowestStatesSolver::degenerate_with_lowest() const {
    std::size_t count = 1;
    while (count < n_states_ &&
           compare(energies_[count] - energies_[0], residuals_[count] + residuals_[0]) == Levels::same)
        ++count;
    return count;
}

/// Whether the first Ritz pair beyond n_states is known well enough: so well that no state of their levels hides in it
/// or, if it belongs to the level of the last of them, that this is certain.
bool LowestStatesSolver::beyond_is_known() const {
    if (whole_space()) return true;
    if (s_.applied <= n_states_) return false;
    const double estimate = residual_estimate(n_states_), distance = ritz_values_[n_states_] - energies_.back();
    if (estimate <= smallest_residual(op_) * s_.scale) return true;
    if (estimate <= std::min(std::sqrt(options_.tolerance) * s_.scale, clear_distance * distance)) return true;
    return estimate <= estimate_margin * tolerance() && compare(distance, estimate + residuals_.back()) == Levels::same;
}

/// Smallest distance between neighbouring states of different levels; infinite without such.
double LowestStatesSolver::least_distance() const {
    double least = INFINITY;
    for (std::size_t i = 1; i < n_states_; ++i) {
        const double distance = energies_[i] - energies_[i - 1];
        if (compare(distance, residuals_[i] + residuals_[i - 1]) == Levels::apart) least = std::min(least, distance);
    }
    return least;
}

/// Whether the energies have not changed since a random vector joined, or the basis spans the space.
bool LowestStatesSolver::confirmed() const {
    if (whole_space()) return true;
    if (s_.confirming == 0) return false;
    const double change = 10 * s_.unconfirmed_residual + basis_rounding(op_.space().precision()) * s_.scale;
    for (std::size_t i = 0; i < n_states_; ++i)
        if (std::abs(energies_[i] - unconfirmed_[i]) > change) return false;
    return true;
}

/// Number of Ritz pairs that a restart keeps: the states and half of the others.
std::size_t LowestStatesSolver::pairs_to_keep() const {
    const std::size_t n = s_.applied, others = n - std::min(n, n_states_);
    return std::clamp<std::size_t>(n_states_ + others / 2, 1, std::max<std::size_t>(n, 2) - 1);
}

/// Replaces the basis by the lowest `kept` Ritz vectors, followed by the directions of the residuals.
void LowestStatesSolver::restart(std::size_t kept) {
    const std::size_t n = s_.applied, rest = s_.size - n;
    kept = std::min(kept, n);
    const std::vector<Complex> c(ritz_vectors_.begin(), ritz_vectors_.begin() + static_cast<std::ptrdiff_t>(kept * n));
    std::vector<Complex> coupling(rest * kept);
    for (std::size_t t = 0; t < rest; ++t)
        for (std::size_t i = 0; i < kept; ++i)
            for (std::size_t j = 0; j < n; ++j)
                coupling[t * kept + i] += projected(n + t, j) * ritz_vectors_[i * n + j];
    op_.space().rotate(basis_, n, c, kept);
    for (std::size_t t = 0; t < rest; ++t) std::swap(basis_[kept + t], basis_[n + t]);
    std::ranges::fill(projected_, 0);
    for (std::size_t i = 0; i < kept; ++i) projected(i, i) = ritz_values_[i];
    for (std::size_t t = 0; t < rest; ++t)
        for (std::size_t i = 0; i < kept; ++i) projected(kept + t, i) = coupling[t * kept + i];
    s_.applied = kept;
    s_.size = kept + rest;
}

/// Continues the search from the converged states and a random vector that replaces the directions of their residuals.
void LowestStatesSolver::confirm() {
    unconfirmed_ = energies_;
    s_.unconfirmed_residual = std::min(max_residual(), 0.01 * least_distance());
    s_.confirming = 1;
    restart(n_states_);
    s_.size = s_.applied;
    append_random();
}

/// Ends the search: determines the multiplicity of the lowest level and makes the states the first basis vectors.
void LowestStatesSolver::accept() {
    s_.found = 1;
    const std::size_t next = s_.multiplicity = degenerate_with_lowest();
    if (next < s_.applied) {
        const Levels levels = compare(ritz_values_[next] - energies_[0], residual_estimate(next) + residuals_[0]);
        s_.unresolved = levels == Levels::unresolved ? 1 : 0;
        s_.more = next == n_states_ && levels == Levels::same ? 1 : 0;
    }
    restart(n_states_);
}

void LowestStatesSolver::examine(std::size_t i) {
    const PairProducts products = op_.apply(basis_[i]);
    energies_[i] = products.vw / products.vv;
    residuals_[i] = std::sqrt(op_.space().axpby_norm(1, op_.w(), -energies_[i], basis_[i], nullptr));
    s_.examined = i + 1;
    if (s_.examined == n_states_ && s_.more == 0 && mixes_levels()) s_.unresolved = 1;
}

/// Whether true residuals of the lowest level or of the next state are too large for their distance. They may lie above
/// the estimates by which accept() has separated the levels: by rounding, and because confirm() drops the directions of
/// the residuals that a loose tolerance leaves.
bool LowestStatesSolver::mixes_levels() const {
    constexpr double negligible = 0.1;
    const std::size_t next = s_.multiplicity, compared = std::min(next + 1, n_states_);
    const double above = next < n_states_ ? energies_[next] : s_.next_energy - op_.offset();
    const double largest =
        *std::max_element(residuals_.begin(), residuals_.begin() + static_cast<std::ptrdiff_t>(compared));
    return largest > negligible * (above - energies_[0]);
}

std::vector<ComputedLevel> LowestStatesSolver::levels() const {
    std::vector<ComputedLevel> all;
    for (std::size_t i = 0; i < n_states_; ++i) {
        const std::size_t first = all.empty() ? 0 : all.back().first;
        if (i > 0 && compare(energies_[i] - energies_[first], residuals_[i] + residuals_[first]) == Levels::same)
            ++all.back().count;
        else
            all.push_back({i, 1, false});
    }
    for (ComputedLevel& level : all) level.resolved = is_resolved(level);
    return all;
}

/// The first state beyond all computed ones is known by its Ritz value, with a residual that beyond_is_known() bounds.
bool LowestStatesSolver::is_resolved(const ComputedLevel& level) const {
    const std::size_t last = level.first + level.count - 1;
    double residual = 0;
    for (std::size_t i = level.first; i <= last; ++i) residual = std::max(residual, residuals_[i]);
    const auto apart = [&](double distance, double other) {
        return compare(distance, residual + other) == Levels::apart && residual <= clear_distance * distance;
    };
    if (level.first > 0 && !apart(energies_[level.first] - energies_[level.first - 1], residuals_[level.first - 1]))
        return false;
    if (last + 1 < n_states_) return apart(energies_[last + 1] - energies_[last], residuals_[last + 1]);
    return static_cast<double>(n_states_) >= op_.dimension() ||
           apart(s_.next_energy - op_.offset() - energies_[last], tolerance());
}

std::vector<double> LowestStatesSolver::energies() const {
    std::vector<double> all = energies_;
    for (double& e : all) e += op_.offset();
    return all;
}

double LowestStatesSolver::max_residual() const { return *std::ranges::max_element(residuals_); }

}  // namespace strata::krylov
