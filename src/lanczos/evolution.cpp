// SPDX-License-Identifier: BSD-3-Clause
#include "lanczos/evolution.hpp"

#include <algorithm>
#include <cmath>

#include "comm/collectives.hpp"
#include "lanczos/operators.hpp"
#include "lanczos/recurrence.hpp"
#include "lanczos/tridiagonal.hpp"

namespace strata::lanczos {
namespace {

constexpr double tolerance = 1e-12;

std::uint64_t bits(const std::vector<std::int64_t>& sites) {
    std::uint64_t string = 0;
    for (std::int64_t site : sites) string |= std::uint64_t{1} << site;
    return string;
}

}  // namespace

Evolution::Evolution(const Communicator& comm, const LanczosPlan& plan, const DeviceBinding* device)
    : LanczosSystem(comm, plan, device, plan.config().evolution.krylov + 2),
      krylov_(plan_.config().evolution.krylov),
      pairs_(std::make_unique<PairOccupations>()) {
    columns_ = {{"time", "1/energy", "hbar = 1"},
                {"energy", "energy", "expectation value; it is conserved"},
                {"norm", "1", "of the state; it is conserved"},
                {"loschmidt-echo", "1", "|<psi(0)|psi(t)>|^2"}};
    const bool two = plan_.model().species == 2;
    if (two) columns_.push_back({"double-occupancy", "1", "mean of n_up n_down over the sites"});
    for (int i = 0; i < plan_.model().lattice.sites; ++i)
        columns_.push_back({(two ? "occupation-up-" : "occupation-") + std::to_string(i), "1", "of a site"});
    for (int i = 0; i < plan_.model().lattice.sites && two; ++i)
        columns_.push_back({"occupation-down-" + std::to_string(i), "1", "of a site"});
}

std::vector<std::string> Evolution::description() const {
    std::vector<std::string> lines = LanczosSystem::description();
    lines.push_back("motion in " + std::to_string(plan_.config().evolution.steps) +
                    " steps of time, by Krylov spaces of " + std::to_string(krylov_) + " vectors");
    return lines;
}

void Evolution::allocate() {
    engine_.allocate();
    psi_ = engine_.vector();
    first_ = engine_.vector();
    for (std::size_t i = 0; i < krylov_; ++i) basis_.push_back(engine_.vector());
}

void Evolution::initialise() {
    const auto& e = plan_.config().evolution;
    set_state(engine_, bits(e.up), bits(e.down), psi_);
    engine_.copy(psi_, first_);
    time_ = 0;
}

std::vector<DistributedArray> Evolution::state() {
    std::vector<DistributedArray> arrays;
    engine_.add_state("psi", psi_, arrays);
    arrays.push_back(numbers_array(comm_, "time", &time_, 1));
    return arrays;
}

void Evolution::restored(std::uint64_t) {
    engine_.restored(psi_);
    broadcast(comm_, time_);
    const auto& e = plan_.config().evolution;
    set_state(engine_, bits(e.up), bits(e.down), first_);
}

void Evolution::step(std::uint64_t step) {
    const double dt = plan_.config().evolution.step;
    if (step > 0)
        for (double left = dt; left > 0;) left = std::max(0.0, left - advance(left));
    time_ = static_cast<double>(step) * dt;
}

/// psi moves on by at most `most`; returns by how much. A piece is halved until the Krylov space holds it.
double Evolution::advance(double most) {
    std::vector<double> alpha(krylov_), beta(krylov_);
    engine_.clear(engine_.f());
    engine_.copy(psi_, engine_.q());
    const double norm = engine_.norm(psi_);
    std::size_t size = 0;
    bool whole = false;  // the space is invariant
    while (size < krylov_ && !whole) {
        recurrence_step(engine_, size, norm, alpha, beta);
        const Timers::Scope scope = timers_.scope("Krylov space");
        engine_.copy(engine_.f(), basis_[size]);
        whole = exhausted(size, alpha, beta);
        ++size;
    }
    const Timers::Scope scope = timers_.scope("Krylov space");
    std::vector<Complex> matrix(size * size);
    for (std::size_t i = 0; i < size; ++i) {
        matrix[i * size + i] = alpha[i];
        if (i + 1 < size) matrix[i * size + i + 1] = matrix[(i + 1) * size + i] = beta[i];
    }
    const DensePairs pairs = hermitian_pairs(size, std::move(matrix));
    std::vector<Complex> c(size);
    const auto exponential = [&](double t) {
        for (std::size_t i = 0; i < size; ++i) {
            c[i] = 0;
            for (std::size_t n = 0; n < size; ++n)
                c[i] += std::polar(norm, -t * pairs.values[n]) * pairs.vectors[n * size + i] *
                        std::conj(pairs.vectors[n * size]);
        }
    };
    double t = most;
    exponential(t);
    while (!whole && std::abs(c[size - 1]) > tolerance && t > 1e-9 * most) exponential(t /= 2);
    const Complex offset = std::polar(1.0, -t * plan_.sector().offset());
    engine_.combine_only(c[0] * offset, basis_[0], 0, basis_[0], psi_);
    for (std::size_t i = 1; i < size; ++i) engine_.combine_only(c[i] * offset, basis_[i], 1, psi_, psi_);
    return t;
}

void Evolution::observe(std::span<double> row) {
    const Timers::Scope scope = timers_.scope("observables");
    const std::size_t sites = static_cast<std::size_t>(plan_.model().lattice.sites);
    const TileSums sums = engine_.apply(psi_);
    measure(engine_, psi_, *pairs_);
    std::size_t at = 0;
    row[at++] = time_;
    row[at++] = sums.fq / sums.ff + plan_.sector().offset();
    row[at++] = std::sqrt(sums.ff);
    row[at++] = std::norm(engine_.dot(first_, psi_));
    const bool two = plan_.model().species == 2;
    if (two) {
        row[at] = 0;
        for (std::size_t i = 0; i < sites; ++i) row[at] += pairs_->ud[i][i] / static_cast<double>(sites);
        ++at;
    }
    for (std::size_t i = 0; i < sites; ++i) row[at++] = pairs_->uu[i][i];
    for (std::size_t i = 0; i < sites && two; ++i) row[at++] = pairs_->dd[i][i];
}

std::string Evolution::broken_invariant(std::span<const double> row) const {
    const std::string fault = LanczosSystem::broken_invariant(row);
    if (!fault.empty() || std::abs(row[2] - 1) < 1e-6) return fault;
    return "the norm of the state has become " + std::to_string(row[2]) + ".";
}

std::vector<Quantity> Evolution::results(const Series& series) const {
    if (series.rows() == 0) return {};
    const std::span<const double> last = series.row(series.rows() - 1);
    std::vector<Quantity> q;
    for (std::size_t c = 0; c < columns_.size() && c < 5; ++c)
        if (c < 4 || plan_.model().species == 2)
            q.push_back({columns_[c].name, columns_[c].unit, "in the last row: " + columns_[c].meaning, {last[c]}});
    return q;
}

}  // namespace strata::lanczos
