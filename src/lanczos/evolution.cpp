// SPDX-License-Identifier: BSD-3-Clause
// Rows of the result are equally spaced in time; between two of them lie as many equal pieces as the error bound asks for.
// Only psi is kept in checkpoints: a piece that was interrupted is begun again.
#include "lanczos/evolution.hpp"

#include <algorithm>
#include <cmath>

#include "comm/collectives.hpp"
#include "lanczos/operators.hpp"

namespace strata::lanczos {
namespace {

/// Of the norm, in one piece of time.
double piece_tolerance(Precision precision) { return precision == Precision::single ? 1e-7 : 1e-12; }
/// How far the norm may be from 1 before the state is not believed: rounding adds up over many pieces.
double norm_tolerance(Precision precision) { return precision == Precision::single ? 1e-3 : 1e-8; }

std::uint64_t bits(const std::vector<std::int64_t>& sites) {
    std::uint64_t occupation = 0;
    for (std::int64_t site : sites) occupation |= std::uint64_t{1} << site;
    return occupation;
}

}  // namespace

Evolution::Evolution(const Communicator& comm, const LanczosPlan& plan, const DeviceBinding* device)
    : LanczosTask(comm, plan, device, plan.config().evolution.krylov + 2),
      krylov_(plan_.config().evolution.krylov),
      alpha_(krylov_),
      beta_(krylov_),
      state_(std::make_unique<SolverState>()),
      pairs_(std::make_unique<PairOccupations>()) {
    columns_ = {{"time", "1/energy", "hbar = 1"},
                {"energy", "energy", "expectation value; it is conserved"},
                {"norm", "1", "of the state; it is conserved"},
                {"loschmidt-echo", "1", "|<psi(0)|psi(t)>|^2"}};
    const bool two = plan_.model().spin_components == 2;
    if (two) columns_.push_back({"double-occupancy", "1", "mean of n_up n_down over the sites"});
    for (int i = 0; i < plan_.model().lattice.sites; ++i)
        columns_.push_back({(two ? "occupation-up-" : "occupation-") + std::to_string(i), "1", "of a site"});
    for (int i = 0; i < plan_.model().lattice.sites && two; ++i)
        columns_.push_back({"occupation-down-" + std::to_string(i), "1", "of a site"});
}

std::vector<std::string> Evolution::description() const {
    std::vector<std::string> lines = LanczosTask::description();
    lines.push_back("motion in " + std::to_string(plan_.config().evolution.steps) +
                    " steps of time, by Krylov spaces of " + std::to_string(krylov_) + " vectors");
    return lines;
}

void Evolution::allocate() {
    hamiltonian_.allocate();
    psi_ = hamiltonian_.vector();
    first_ = hamiltonian_.vector();
    for (std::size_t i = 0; i < krylov_; ++i) basis_.push_back(hamiltonian_.vector());
}

void Evolution::initialise() {
    const auto& e = plan_.config().evolution;
    set_state(hamiltonian_, bits(e.up), bits(e.down), psi_);
    hamiltonian_.copy(psi_, first_);
    *state_ = SolverState();
    recurrence_ = {};
    iterations_ = 0;
}

std::vector<DistributedArray> Evolution::state() {
    std::vector<DistributedArray> arrays;
    hamiltonian_.add_state("psi", psi_, arrays);
    arrays.push_back(numbers_array(comm_, "progress", reinterpret_cast<double*>(state_.get()),
                                   sizeof(SolverState) / sizeof(double)));
    return arrays;
}

void Evolution::restored(std::uint64_t step) {
    hamiltonian_.restored(psi_);
    broadcast(comm_, *state_);
    const auto& e = plan_.config().evolution;
    set_state(hamiltonian_, bits(e.up), bits(e.down), first_);
    recurrence_ = {};
    iterations_ = step;
}

std::uint64_t Evolution::total_steps() const {
    const auto& e = plan_.config().evolution;
    const double rows = static_cast<double>(e.steps) + 1 - state_->rows_due;  // ahead
    if (rows < 0) return 0;  // evolution.steps was lowered by a resume, which is then refused
    const double piece = state_->piece > 0 ? state_->piece : e.step;
    const double pieces =
        state_->rows_due == 0 ? rows - 1 : rows * std::ceil(e.step / piece - 1e-9) - std::floor(state_->done / piece);
    const double multiplications = std::max(0.0, pieces) * static_cast<double>(krylov_) - recurrence_.steps;
    return iterations_ + (state_->rows_due == 0 ? 1 : 0) +
           static_cast<std::uint64_t>(rows == 0 ? 0 : std::max(1.0, multiplications));
}

void Evolution::step(std::uint64_t) {
    ++iterations_;
    if (state_->rows_due == 0) {
        state_->rows_due = 1;
        return;
    }
    const auto k = static_cast<std::size_t>(recurrence_.steps);
    if (k == 0) {
        hamiltonian_.copy(psi_, hamiltonian_.w());
        begin_recurrence(hamiltonian_, recurrence_);
    }
    recurrence_step(hamiltonian_, recurrence_, alpha_, beta_);
    const Timers::Scope scope = timers_.scope("Krylov space");
    hamiltonian_.copy(hamiltonian_.v(), basis_[k]);
    if (k + 1 == krylov_ || recurrence_.exhausted != 0) finish_piece();
}

/// (exp(-i T t))_i1 times the norm of psi.
std::vector<Complex> Evolution::coefficients(const TridiagonalPairs& pairs, double t) const {
    const std::size_t size = pairs.values.size();
    std::vector<Complex> c(size);
    for (std::size_t n = 0; n < size; ++n) {
        const Complex factor = std::polar(recurrence_.start_norm, -t * pairs.values[n]) * pairs.vectors[n * size];
        for (std::size_t i = 0; i < size; ++i) c[i] += factor * pairs.vectors[n * size + i];
    }
    return c;
}

/// The largest of left, left/2, left/3, ... whose error bound is below the tolerance, and that bound.
double Evolution::choose_piece(const TridiagonalPairs& pairs, double left, double& bound) const {
    bound = 0;
    if (recurrence_.exhausted != 0) return left;
    const std::size_t last = pairs.values.size() - 1;
    const double tolerance = piece_tolerance(plan_.config().precision);
    const auto bound_of = [&](double t) {  // the integrand rises like s^last: its largest value bounds it
        double largest = 0;
        for (double part : {0.25, 0.5, 0.75, 1.0})
            largest = std::max(largest, std::abs(coefficients(pairs, part * t)[last]));
        return beta_[last] * t * largest;
    };
    // beyond this many radians of the fastest phase no Krylov space of this size follows, whatever the samples say
    const double spread = pairs.values.back() - pairs.values.front();
    double pieces = std::max(1.0, std::ceil(left * spread / (2.0 * static_cast<double>(last + 1))));
    while ((bound = bound_of(left / pieces)) > tolerance) pieces = std::ceil(1.1 * pieces);
    return left / pieces;
}

/// psi moves on by as much as the Krylov space holds.
void Evolution::finish_piece() {
    const double dt = plan_.config().evolution.step, left = dt - state_->done;
    const auto size = static_cast<std::size_t>(recurrence_.steps);
    std::vector<Complex> c(size);
    if (comm_.is_root()) {
        const TridiagonalPairs pairs = all_pairs({alpha_.data(), size}, {beta_.data(), size});
        double bound = 0;
        state_->piece = choose_piece(pairs, left, bound);
        state_->error += bound;
        c = coefficients(pairs, state_->piece);
        for (Complex& z : c) z *= std::polar(1.0, -state_->piece * plan_.sector().offset());
    }
    broadcast(comm_, *state_);
    broadcast_bytes(comm_, c.data(), size * sizeof(Complex), 0);
    hamiltonian_.axpby(c[0], basis_[0], 0, basis_[0], psi_);
    for (std::size_t i = 1; i < size; ++i) hamiltonian_.axpby(c[i], basis_[i], 1, psi_, psi_);
    recurrence_ = {};
    state_->done += state_->piece;
    if (state_->piece < left * (1 - 1e-12)) return;
    state_->done = 0;
    ++state_->rows_due;
}

void Evolution::observe_row(std::span<double> row) {
    const Timers::Scope scope = timers_.scope("observables");
    const auto sites = static_cast<std::size_t>(plan_.model().lattice.sites);
    const TileSums sums = hamiltonian_.apply(psi_);
    measure(hamiltonian_, psi_, *pairs_);
    std::size_t at = 0;
    row[at++] = state_->rows * plan_.config().evolution.step;
    row[at++] = sums.vw / sums.vv + plan_.sector().offset();
    row[at++] = std::sqrt(sums.vv);
    row[at++] = std::norm(hamiltonian_.dot(first_, psi_));
    const bool two = plan_.model().spin_components == 2;
    if (two) {
        row[at] = 0;
        for (std::size_t i = 0; i < sites; ++i) row[at] += pairs_->ud[i][i] / static_cast<double>(sites);
        ++at;
    }
    for (std::size_t i = 0; i < sites; ++i) row[at++] = pairs_->uu[i][i];
    for (std::size_t i = 0; i < sites && two; ++i) row[at++] = pairs_->dd[i][i];
    ++state_->rows;
}

std::string Evolution::broken_invariant(std::span<const double> row) const {
    const std::string error = LanczosTask::broken_invariant(row);
    if (!error.empty() || std::abs(row[2] - 1) < norm_tolerance(plan_.config().precision)) return error;
    return "the norm of the state has become " + std::to_string(row[2]) + ".";
}

std::vector<Quantity> Evolution::results(const Series& series) const {
    if (series.rows() == 0) return {};
    const std::span<const double> last = series.row(series.rows() - 1);
    std::vector<Quantity> q;
    for (std::size_t c = 0; c < columns_.size() && c < 5; ++c)
        if (c < 4 || plan_.model().spin_components == 2)
            q.push_back({columns_[c].name, columns_[c].unit, "in the last row: " + columns_[c].meaning, {last[c]}});
    q.push_back(
        {"error-bound", "1", "of |psi - exact psi| by finite Krylov spaces, without rounding", {state_->error}});
    return q;
}

}  // namespace strata::lanczos
