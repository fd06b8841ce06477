// SPDX-License-Identifier: BSD-3-Clause
#include "lanczos/spectrum.hpp"

#include <cmath>
#include <numbers>

#include "comm/collectives.hpp"
#include "lanczos/operators.hpp"
#include "lanczos/recurrence.hpp"

namespace strata::lanczos {
namespace {

std::string name_of(const std::vector<std::int64_t>& m) {
    std::string name = "momentum";
    for (std::int64_t i : m) name += "-" + std::to_string(i);
    return name;
}

}  // namespace

SpectrumSystem::SpectrumSystem(const Communicator& comm, const LanczosPlan& plan, const DeviceBinding* device)
    : LanczosSystem(comm, plan, device, 1),
      ground_(engine_, true, timers_),
      most_(plan_.config().spectrum.steps),
      parts_per_momentum_(plan_.arithmetic() == Arithmetic::real ? 2 : 1),
      n_(std::make_unique<Numbers>()) {
    const Lattice& lattice = plan_.model().lattice;
    const std::vector<std::int64_t>& wanted = plan_.config().spectrum.momenta;
    const std::size_t dimensions = lattice.torus.size();
    for (std::size_t i = 0; i < wanted.size(); i += dimensions)
        momenta_.emplace_back(wanted.begin() + static_cast<std::ptrdiff_t>(i),
                              wanted.begin() + static_cast<std::ptrdiff_t>(i + dimensions));
    if (wanted.empty()) momenta_ = lattice.momenta();
    columns_.push_back({"omega", "energy", "above the energy of the ground state"});
    for (const auto& m : momenta_)
        columns_.push_back({name_of(m), "1/energy", "intensity for this wave vector, in units of 2 pi over the torus"});
    const SpectralOperator op = plan_.config().spectrum.op;
    if (op == SpectralOperator::removal || op == SpectralOperator::addition) {
        const int change = op == SpectralOperator::removal ? -1 : 1;
        other_plan_ = std::make_unique<LanczosPlan>(plan_.in_sector(plan_.config().up, plan_.config().down + change));
        other_ = make_engine(comm, *other_plan_, device, timers_);
    }
    alpha_.resize(parts() * most_);
    beta_.resize(parts() * most_);
    norms_.resize(parts());
    made_.resize(parts());
}

std::vector<std::string> SpectrumSystem::description() const {
    std::vector<std::string> lines = LanczosSystem::description();
    lines.push_back("spectrum of " + std::to_string(momenta_.size()) + " wave vectors, " + std::to_string(parts()) +
                    " recurrences of " + std::to_string(most_) + " steps" +
                    (other_ == nullptr ? std::string()
                                       : " in the sector of " + std::to_string(other_plan_->config().up) + " up, " +
                                             std::to_string(other_plan_->config().down) + " down"));
    return lines;
}

MemoryPrediction SpectrumSystem::memory() const {
    MemoryPrediction m = LanczosSystem::memory();
    if (other_ == nullptr) return m;
    m.add(other_->memory(0), " of the other sector");
    return m;
}

void SpectrumSystem::allocate() {
    engine_.allocate();
    ground_.allocate();
    if (other_ != nullptr) other_->allocate();
}

void SpectrumSystem::initialise() {
    ground_.initialise();
    *n_ = Numbers();
}

std::vector<DistributedArray> SpectrumSystem::state() {
    std::vector<DistributedArray> arrays;
    engine_.add_state("f", engine_.f(), arrays);
    engine_.add_state("q", engine_.q(), arrays);
    if (other_ != nullptr) {
        other_->add_state("other-f", other_->f(), arrays);
        other_->add_state("other-q", other_->q(), arrays);
    }
    ground_.add_state(arrays);
    arrays.push_back(
        numbers_array(comm_, "progress", reinterpret_cast<double*>(n_.get()), sizeof(Numbers) / sizeof(double)));
    arrays.push_back(numbers_array(comm_, "alpha", alpha_.data(), alpha_.size()));
    arrays.push_back(numbers_array(comm_, "beta", beta_.data(), beta_.size()));
    arrays.push_back(numbers_array(comm_, "norms", norms_.data(), norms_.size()));
    arrays.push_back(numbers_array(comm_, "steps-made", made_.data(), made_.size()));
    return arrays;
}

void SpectrumSystem::restored(std::uint64_t) {
    ground_.restored();
    broadcast(comm_, *n_);
    for (Vector* v : {&engine_.f(), &engine_.q()}) engine_.restored(*v);
    if (other_ != nullptr)
        for (Vector* v : {&other_->f(), &other_->q()}) other_->restored(*v);
    for (std::vector<double>* numbers : {&alpha_, &beta_, &norms_, &made_})
        broadcast_bytes(comm_, numbers->data(), numbers->size() * sizeof(double), 0);
}

std::uint64_t SpectrumSystem::total_steps() const {
    if (ground_.steps() == ground_.first_pass()) return ground_.steps();  // not converged: no spectrum
    const auto ahead = static_cast<std::uint64_t>((parts() - part()) * most_) - static_cast<std::uint64_t>(n_->k);
    return ground_.steps() + static_cast<std::uint64_t>(n_->made) + ahead + plan_.config().spectrum.omega.size();
}

void SpectrumSystem::step(std::uint64_t step) {
    if (step < ground_.steps()) return ground_.step(step);
    if (part() == parts()) {
        ++n_->rows;
        return;
    }
    const auto k = static_cast<std::uint64_t>(n_->k);
    const std::size_t p = part();
    if (k == 0) begin();
    ++n_->made;
    bool over = true;
    if (norms_[p] > 1e-12) {
        recurrence_step(engine(), k, norms_[p], alpha(p), beta(p));
        made_[p] = ++n_->k;
        over = k + 1 == most_ || exhausted(k, alpha(p), beta(p));
    }
    if (!over) return;
    ++n_->part;
    n_->k = 0;
}

/// A |0> to the working pair.
void SpectrumSystem::begin() {
    const Timers::Scope scope = timers_.scope("operator");
    const Lattice& lattice = plan_.model().lattice;
    const std::size_t momentum = part() / parts_per_momentum_, of_momentum = part() % parts_per_momentum_;
    std::vector<Complex> weights;
    for (int site = 0; site < lattice.sites; ++site) {
        const double angle = lattice.phase(momenta_[momentum], site);
        const Complex wave = std::polar(1 / std::sqrt(lattice.sites), -angle);
        weights.push_back(parts_per_momentum_ == 1 ? wave : of_momentum == 0 ? wave.real() : wave.imag());
    }
    apply_operator(plan_.config().spectrum.op, weights, engine_, ground_.vector(), engine(), engine().q());
    engine().clear(engine().f());
    norms_[part()] = engine().norm(engine().q());
}

/// - Im G / pi at omega + E_0 + i broadening, G = norm^2 / (z - alpha_0 - beta_0^2 / (z - alpha_1 - ...))
double SpectrumSystem::intensity(std::size_t part, double omega) const {
    const Complex z(omega + ground_.energy() - target().sector().offset(), plan_.config().spectrum.broadening);
    Complex fraction = 0;
    for (auto k = static_cast<std::size_t>(made_[part]); k-- > 0;) {
        const double b = beta_[part * most_ + k];
        const Complex below = k + 1 == static_cast<std::size_t>(made_[part]) ? 0 : b * b * fraction;
        fraction = 1.0 / (z - alpha_[part * most_ + k] - below);
    }
    return -norms_[part] * norms_[part] * fraction.imag() / std::numbers::pi;
}

void SpectrumSystem::observe(std::span<double> row) {
    row[0] = plan_.config().spectrum.omega[static_cast<std::size_t>(n_->rows) - 1];
    for (std::size_t m = 0; m < momenta_.size(); ++m) {
        row[1 + m] = 0;
        for (std::size_t i = 0; i < parts_per_momentum_; ++i)
            row[1 + m] += intensity(m * parts_per_momentum_ + i, row[0]);
    }
}

std::vector<Quantity> SpectrumSystem::results(const Series&) const {
    std::vector<Quantity> q = {
        {"energy", "energy", "of the ground state, total", {ground_.energy()}},
        {"residual", "energy", "of the ground state, by multiplication", {ground_.residual()}},
        {"steps", "1", "of the first pass", {static_cast<double>(ground_.made())}},
        {"converged", "1", "1: the ground state has", {ground_.converged() ? 1.0 : 0.0}},
    };
    if (part() < parts()) return q;
    std::vector<double> weight(momenta_.size());
    for (std::size_t p = 0; p < parts(); ++p) weight[p / parts_per_momentum_] += norms_[p] * norms_[p];
    q.push_back({"weight", "1", "integral over omega for every wave vector", weight});
    return q;
}

}  // namespace strata::lanczos
