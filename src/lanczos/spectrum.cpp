// SPDX-License-Identifier: BSD-3-Clause
// First the ground state with its multiplet, then one recurrence after another, each from a plane wave of operators on a
// ground state; at last the rows of the spectrum from the coefficients of all of them.
#include "lanczos/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "comm/collectives.hpp"
#include "lanczos/operators.hpp"

namespace strata::lanczos {
namespace {

/// Wave numbers as the job gives them, or all of the cluster.
std::vector<std::vector<std::int64_t>> wave_numbers(const LanczosPlan& plan) {
    const std::vector<std::int64_t>& given = plan.config().spectrum.momenta;
    const std::size_t dimensions = plan.model().lattice.torus.size();
    if (given.empty()) return plan.model().lattice.momenta();
    std::vector<std::vector<std::int64_t>> all;
    for (std::size_t i = 0; i + dimensions <= given.size(); i += dimensions)
        all.emplace_back(given.begin() + static_cast<std::ptrdiff_t>(i),
                         given.begin() + static_cast<std::ptrdiff_t>(i + dimensions));
    return all;
}

}  // namespace

std::uint64_t Spectrum::ground_states(const LanczosPlan& plan) { return plan.config().states; }

Spectrum::Spectrum(const Communicator& comm, const LanczosPlan& plan, const DeviceBinding* device)
    : LanczosTask(comm, plan, device, ground_states(plan)),
      ground_(hamiltonian_, ground_states(plan), timers_),
      max_iterations_(plan_.config().spectrum.steps),
      waves_(plane_waves(plan_.model().lattice, wave_numbers(plan_), plan_.config().sublattices)),
      parts_per_wave_(plan_.arithmetic() == Arithmetic::real ? 2 : 1),
      state_(std::make_unique<SolverState>()) {
    columns_.push_back({"omega", "energy", "above the energy of the ground state"});
    for (const PlaneWave& wave : waves_)
        columns_.push_back({wave.name, "1/energy", "intensity for this wave vector, in units of 2 pi over the torus"});
    const SpectralOperator op = plan_.config().spectrum.op;
    if (op == SpectralOperator::removal || op == SpectralOperator::addition) {
        const int change = op == SpectralOperator::removal ? -1 : 1;
        other_plan_ = std::make_unique<LanczosPlan>(plan_.in_sector(plan_.config().up, plan_.config().down + change));
        other_ = make_hamiltonian(comm, *other_plan_, this->device(), timers_);
    }
    const std::size_t room = ground_states(plan) * parts_per_state();
    alpha_.resize(room * max_iterations_);
    beta_.resize(room * max_iterations_);
    norms_.resize(room);
    iterations_.resize(room);
}

std::vector<std::string> Spectrum::description() const {
    std::vector<std::string> lines = LanczosTask::description();
    lines.push_back("spectrum of " + std::to_string(waves_.size()) + " plane waves, " +
                    std::to_string(parts_per_state()) + " recurrences for every ground state of " +
                    std::to_string(max_iterations_) + " steps" +
                    (other_ == nullptr ? std::string()
                                       : " in the sector of " + std::to_string(other_plan_->config().up) + " up, " +
                                             std::to_string(other_plan_->config().down) + " down"));
    return lines;
}

MemoryPrediction Spectrum::memory() const {
    MemoryPrediction m = LanczosTask::memory();
    if (other_ == nullptr) return m;
    m.add(other_->memory(0), " of the other sector");
    return m;
}

void Spectrum::allocate() {
    hamiltonian_.allocate();
    ground_.allocate();
    if (other_ != nullptr) other_->allocate();
}

void Spectrum::initialise() {
    ground_.initialise();
    *state_ = SolverState();
}

std::vector<DistributedArray> Spectrum::state() {
    std::vector<DistributedArray> arrays;
    hamiltonian_.add_state("v", hamiltonian_.v(), arrays);
    hamiltonian_.add_state("w", hamiltonian_.w(), arrays);
    if (other_ != nullptr) {
        other_->add_state("other-v", other_->v(), arrays);
        other_->add_state("other-w", other_->w(), arrays);
    }
    ground_.add_state(arrays);
    arrays.push_back(numbers_array(comm_, "progress", reinterpret_cast<double*>(state_.get()),
                                   sizeof(SolverState) / sizeof(double)));
    arrays.push_back(numbers_array(comm_, "alpha", alpha_.data(), alpha_.size()));
    arrays.push_back(numbers_array(comm_, "beta", beta_.data(), beta_.size()));
    arrays.push_back(numbers_array(comm_, "norms", norms_.data(), norms_.size()));
    arrays.push_back(numbers_array(comm_, "steps-made", iterations_.data(), iterations_.size()));
    return arrays;
}

void Spectrum::restored(std::uint64_t) {
    ground_.restored();
    broadcast(comm_, *state_);
    for (DistributedVector* v : {&hamiltonian_.v(), &hamiltonian_.w()}) hamiltonian_.restored(*v);
    if (other_ != nullptr)
        for (DistributedVector* v : {&other_->v(), &other_->w()}) other_->restored(*v);
    for (std::vector<double>* numbers : {&alpha_, &beta_, &norms_, &iterations_})
        broadcast_bytes(comm_, numbers->data(), numbers->size() * sizeof(double), 0);
}

std::uint64_t Spectrum::total_steps() const {
    if (ground_.done() && !possible()) return ground_.total_steps();  // no spectrum
    const std::size_t ahead = (ground_.done() ? parts() : parts_per_state()) - part();
    return ground_.total_steps() + static_cast<std::uint64_t>(state_->iterations) +
           static_cast<std::uint64_t>(ahead * max_iterations_) - static_cast<std::uint64_t>(state_->recurrence.steps) +
           plan_.config().spectrum.omega.size();
}

void Spectrum::step(std::uint64_t) {
    if (!ground_.done()) {
        ground_.step();
        if (!possible()) return;
        state_->pairs = PairOccupations();
        PairOccupations pairs;
        for (std::size_t i = 0; i < ground_.states(); ++i) {
            measure(hamiltonian_, ground_.vector(i), pairs);
            state_->pairs.add(pairs);
        }
        return;
    }
    if (part() == parts()) {
        ++state_->rows;
        return;
    }
    const std::size_t p = part();
    RecurrenceState& r = state_->recurrence;
    if (r.steps == 0) begin();
    ++state_->iterations;
    if (norms_[p] > 1e-12) {
        recurrence_step(hamiltonian(), r, alpha(p), beta(p));
        iterations_[p] = r.steps;
        if (iterations_[p] < static_cast<double>(max_iterations_) && r.exhausted == 0) return;
    }
    ++state_->part;
    r = {};
}

/// A |0> to the working pair.
void Spectrum::begin() {
    const Timers::Scope scope = timers_.scope("operator");
    const SpectralOperator op = plan_.config().spectrum.op;
    std::vector<Complex> weights = waves_[wave_of(part())].weight;
    for (Complex& w : weights) {
        if (op == SpectralOperator::addition) w = std::conj(w);
        if (parts_per_wave_ == 2) w = part() % 2 == 0 ? w.real() : w.imag();
    }
    apply_operator(op, weights, hamiltonian_, ground_.vector(part() / parts_per_state()), hamiltonian(),
                   hamiltonian().w());
    begin_recurrence(hamiltonian(), state_->recurrence);
    norms_[part()] = state_->recurrence.start_norm;
}

/// - Im G / pi at omega + E_0 + i broadening, G = norm^2 / (z - alpha_0 - beta_0^2 / (z - alpha_1 - ...))
double Spectrum::intensity(std::size_t part, double omega) const {
    const Complex z(omega + ground_.energy() - target().sector().offset(), plan_.config().spectrum.broadening);
    Complex fraction = 0;
    for (auto k = static_cast<std::size_t>(iterations_[part]); k-- > 0;) {
        const double b = beta_[part * max_iterations_ + k];
        const Complex below = k + 1 == static_cast<std::size_t>(iterations_[part]) ? 0 : b * b * fraction;
        fraction = 1.0 / (z - alpha_[part * max_iterations_ + k] - below);
    }
    return -norms_[part] * norms_[part] * fraction.imag() / std::numbers::pi;
}

void Spectrum::observe_row(std::span<double> row) {
    row[0] = plan_.config().spectrum.omega[static_cast<std::size_t>(state_->rows) - 1];
    std::fill(row.begin() + 1, row.end(), 0.0);
    for (std::size_t p = 0; p < parts(); ++p)
        row[1 + wave_of(p)] += intensity(p, row[0]) / static_cast<double>(ground_.states());
}

std::string Spectrum::shortfall() const {
    const std::string error = ground_.shortfall();
    if (!error.empty()) return error;
    if (!ground_.converged()) return "Without a converged ground state there is no spectrum; allow more run.max-steps.";
    if (ground_.degeneracy() == Degeneracy::more)
        return "The ground state is degenerate, at least " + std::to_string(ground_.states() + 1) +
               " times; its spectrum depends on the mixture. With a larger run.states it is averaged over all of them.";
    return {};
}

/// Integral over omega, summed over all wave vectors and sublattices: sum_j <a+_j a_j> if the waves are complete.
double Spectrum::total_weight() const {
    const Model& model = plan_.model();
    const PairOccupations c = state_->pairs.mean();
    const SpectralOperator op = plan_.config().spectrum.op;
    const bool spins = model.statistics == Statistics::hard_core_bosons;
    double sum = 0;
    for (std::size_t j = 0; j < static_cast<std::size_t>(model.lattice.sites); ++j) {
        const double up = c.uu[j][j], down = c.dd[j][j], both = c.ud[j][j];
        switch (op) {
            case SpectralOperator::density: sum += up + down + 2 * both; break;
            case SpectralOperator::spin: sum += spins ? 0.25 : (up + down - 2 * both) / 4; break;
            case SpectralOperator::removal: sum += down; break;
            case SpectralOperator::addition: sum += 1 - down;
        }
    }
    return sum;
}

std::vector<Quantity> Spectrum::results(const Series&) const {
    std::vector<Quantity> q = ground_.results();
    if (!possible() || part() < parts()) return q;
    std::vector<double> weight(waves_.size());
    double sum = 0;
    for (std::size_t p = 0; p < parts(); ++p) {
        const double w = norms_[p] * norms_[p] / static_cast<double>(ground_.states());
        weight[wave_of(p)] += w;
        sum += w;
    }
    for (std::size_t w = 0; w < waves_.size(); ++w) {
        const int sublattice = waves_[w].sublattice;
        const std::string name = sublattice < 0 ? "weight" : "weight-sublattice-" + std::to_string(sublattice);
        auto list = std::ranges::find(q, name, &Quantity::name);
        if (list == q.end()) list = q.insert(q.end(), {name, "1", "integral over omega for every wave vector", {}});
        list->value.push_back(weight[w]);
    }
    const Lattice& lattice = plan_.model().lattice;
    Quantity all = {"weight-sum", "1", "over all wave vectors", {sum}};
    const bool complete = plan_.config().spectrum.momenta.empty() &&
                          (lattice.sublattices == 1 || plan_.config().sublattices == Sublattices::separate);
    if (complete) all.reference = {total_weight()};
    q.push_back(all);
    for (Quantity& more : position_results(lattice, wave_numbers(plan_))) q.push_back(std::move(more));
    return q;
}

}  // namespace strata::lanczos
