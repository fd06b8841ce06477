// SPDX-License-Identifier: BSD-3-Clause
// One random vector after another: its own recurrence, then those of all waves, by thermal.method = low-temperature of all
// temperatures, each with the products of its vectors with those kept; at its end the levels and weights become sums over
// temperatures and energies.
#include "lanczos/run/thermal_spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "comm/collectives.hpp"
#include "lanczos/physics/currents.hpp"
#include "lanczos/physics/observed_averages.hpp"
#include "lanczos/run/operator_sums.hpp"
#include "lanczos/run/sector_traces.hpp"

namespace strata::lanczos {

ThermalSpectrum::ThermalSpectrum(const LanczosPlan& plan, const MakeHamiltonian& make, std::uint64_t first_stream)
    : LanczosTask(plan, make),
      make_(make),
      samples_(plan_.config().thermal.samples),
      first_stream_(first_stream),
      lists_(plan_),
      operators_(wave_operators(plan_, lists_.all_waves())),
      target_(hamiltonian_, lists_.all_waves(), make_, timers_),
      random_(1, plan_.config().thermal.steps),
      wave_(1, plan_.config().spectrum.steps),
      overlaps_((lists_.off_diagonal() ? 2 : 1) * random_.max_steps() * wave_.max_steps()),
      sums_(lists_.grid(), samples_, lists_.lists()),
      shorter_(lists_.grid(), samples_, lists_.lists()) {}

std::vector<std::string> ThermalSpectrum::description() const {
    std::vector<std::string> lines = LanczosTask::description();
    lines.push_back("spectra at " + std::to_string(plan_.config().spectrum.temperatures.size()) + " temperatures by " +
                    std::to_string(samples_) + " random vectors of " + std::to_string(random_.max_steps()) +
                    " steps, each with " + std::to_string(parts()) + " recurrences of " +
                    std::to_string(wave_.max_steps()) + " steps" + target_.words());
    return lines;
}

MemoryPrediction ThermalSpectrum::memory() const {
    MemoryPrediction m = LanczosTask::memory();
    target_.add_memory(backend_kind(), m);
    return m;
}

void ThermalSpectrum::allocate() {
    hamiltonian_.allocate();
    target_.allocate();
    krylov::VectorSpace& space = hamiltonian_.space();
    for (std::size_t k = 0; k < random_.max_steps(); ++k) basis_.push_back(space.vector());
    space.reserve_basis(basis_.size());
    image_ = space.vector();
    if (low_temperature()) start_ = space.vector();
}

void ThermalSpectrum::initialise() {
    s_ = State();
    operation_.reset();
    target_.clear();
    for (HamiltonianOperator* h : {&hamiltonian_, &target()}) {
        h->space().clear(h->v());
        h->space().clear(h->w());
    }
    sums_.clear();
    shorter_.clear();
}

std::vector<DistributedArray> ThermalSpectrum::state() {
    std::vector<DistributedArray> arrays;
    target_.add_working_pairs(arrays);
    Record progress("progress");
    progress.field("sample", s_.sample).field("part", s_.part).field("steps", s_.steps).field("rows", s_.rows);
    progress.field("norm", s_.norm);
    krylov::add_fields(progress, s_.recurrence);
    arrays.push_back(progress.array());
    random_.add_coefficients(arrays);
    random_.add_steps(arrays);
    wave_.add_coefficients(arrays, "wave-");
    wave_.add_steps(arrays, "wave-");
    arrays.push_back(Record("overlaps").field("overlaps", std::span(overlaps_)).array());
    sums_.add_state("averages", arrays);
    shorter_.add_state("shorter", arrays);
    return arrays;
}

void ThermalSpectrum::prepare_state(const std::vector<ArrayShape>& stored) {
    operation_.reset();
    target_.prepare_state(stored);
}

/// Repeats the recurrence of the random vector up to where it was.
void ThermalSpectrum::restored(std::uint64_t) {
    operation_.reset();
    random_pairs_.reset();
    const std::size_t steps = s_.part > 0 ? random_.steps(0) : s_.recurrence.steps;
    if (s_.sample == samples_ || steps == 0) return;
    krylov::VectorSpace& space = hamiltonian_.space();
    DistributedVector v = space.vector(), w = space.vector();
    space.copy(hamiltonian_.v(), v);
    space.copy(hamiltonian_.w(), w);
    krylov::RecurrenceTable again(1, random_.max_steps());
    krylov::RecurrenceState state;
    hamiltonian_.draw_from(random_distribution(plan_), hamiltonian_.w(), first_stream_ + s_.sample);
    krylov::begin_recurrence(hamiltonian_, state);
    for (std::size_t k = 0; k < steps; ++k) {
        again.advance(hamiltonian_, 0, state);
        space.copy(hamiltonian_.v(), basis_[k]);
    }
    space.copy(v, hamiltonian_.v());
    space.copy(w, hamiltonian_.w());
}

std::uint64_t ThermalSpectrum::total_steps() const {
    const std::uint64_t one = random_.max_steps() + parts() * wave_.max_steps();
    const std::uint64_t done = s_.part == 0
                                   ? s_.recurrence.steps
                                   : random_.max_steps() + (s_.part - 1) * wave_.max_steps() + s_.recurrence.steps;
    return s_.steps + (samples_ - s_.sample) * one - (s_.sample == samples_ ? 0 : done);
}

void ThermalSpectrum::step(std::uint64_t) {
    ++s_.steps;
    if (s_.part == 0)
        random_step();
    else
        wave_step();
}

void ThermalSpectrum::random_step() {
    if (s_.recurrence.steps == 0) {
        hamiltonian_.draw_from(random_distribution(plan_), hamiltonian_.w(), first_stream_ + s_.sample);
        krylov::begin_recurrence(hamiltonian_, s_.recurrence);
    }
    const bool was_last = random_.advance(hamiltonian_, 0, s_.recurrence);
    hamiltonian_.space().copy(hamiltonian_.v(), basis_[s_.recurrence.steps - 1]);
    if (!was_last) return;
    random_pairs_.reset();
    add_levels();
    end_recurrence();
}

/// Waves that A |r> or A |x> = 0 of take one step without a multiplication.
void ThermalSpectrum::wave_step() {
    constexpr double zero = 1e-12;  // largest norm that counts as rounding
    if (s_.recurrence.steps == 0) target_.make(wave().wave);
    if (operation_ == nullptr)
        operation_ = std::make_unique<SpectralOperation>(hamiltonian_, target(), wave().weights, make_, timers_);
    if (s_.recurrence.steps == 0) begin_wave();
    if (s_.norm > zero) {
        const bool was_last = wave_.advance(target(), 0, s_.recurrence);
        const Timers::Scope scope = timers_.scope("operator");
        operation_->apply_adjoint(target().v(), image_);
        const std::vector<Complex> none(random_.steps(0));
        const krylov::Projection p = hamiltonian_.space().subtract_and_project(basis_, none, image_);
        for (std::size_t k = 0; k < none.size(); ++k) {
            const std::size_t place = k * wave_.max_steps() + s_.recurrence.steps - 1;
            overlaps_[place] = p.components[k].real();
            if (lists_.off_diagonal()) overlaps_[overlaps_.size() / 2 + place] = p.components[k].imag();
        }
        if (!was_last) return;
        add_wave();
    }
    end_recurrence();
}

void ThermalSpectrum::begin_wave() {
    const DistributedVector& x = start();
    if (lists_.current()) add_kinetic(x);
    const Timers::Scope scope = timers_.scope("operator");
    operation_->apply(x, target().w());
    krylov::begin_recurrence(target(), s_.recurrence);
    s_.norm = s_.recurrence.start_norm;
}

void ThermalSpectrum::end_recurrence() {
    s_.recurrence = {};
    operation_.reset();
    if (++s_.part <= parts()) return;
    if (lists_.current())
        for (ThermalSpectra* sums : {&sums_, &shorter_})
            sums->combine(s_.sample, lists_.stiffness(), -lists_.factor(), lists_.kinetic(), -1, 0);
    s_.part = 0;
    ++s_.sample;
}

ThermalSpectrum::LevelPairs ThermalSpectrum::pairs(const krylov::RecurrenceTable& table, double offset) const {
    const auto of = [&](std::size_t n) {
        krylov::TridiagonalPairs pairs = krylov::all_pairs(table.alpha(0).first(n), table.beta(0).first(n));
        for (double& e : pairs.values) e += offset;
        return pairs;
    };
    const std::size_t n = table.steps(0), fewer = n == table.max_steps() && n > 1 ? n - 1 : n;
    LevelPairs pairs{of(n), {}};
    pairs.fewer = fewer == n ? pairs.all : of(fewer);
    return pairs;
}

const ThermalSpectrum::LevelPairs& ThermalSpectrum::random_pairs() {
    if (!random_pairs_) random_pairs_ = pairs(random_, hamiltonian_.offset());
    return *random_pairs_;
}

/// Coefficients come from rank 0, as those of all small problems whose results distributed vectors depend on.
const DistributedVector& ThermalSpectrum::start() {
    if (!low_temperature()) return basis_[0];
    const Timers::Scope scope = timers_.scope("states at temperatures");
    std::vector<double> coefficients;
    collectively(comm_, [&] {
        if (comm_.is_root())
            coefficients = half_weighted_state(random_pairs().all, lists_.grid().temperatures[*state_at()]);
    });
    coefficients.resize(random_.steps(0));
    broadcast_bytes(comm_, coefficients.data(), coefficients.size() * sizeof(double), 0);
    krylov::VectorSpace& space = hamiltonian_.space();
    space.clear(start_);
    for (std::size_t k = 0; k < coefficients.size(); ++k) space.axpby(coefficients[k], basis_[k], 1, start_, start_);
    return start_;
}

void ThermalSpectrum::add_kinetic(const DistributedVector& x) {
    HermitianSum kinetic(plan_, hop_moment(plan_.config(), plan_.model(), HopMoment::kinetic), make_, timers_);
    krylov::VectorSpace& space = hamiltonian_.space();
    space.clear(image_);
    kinetic.add(1, x, space, image_);
    const std::vector<Complex> none(random_.steps(0));
    const krylov::Projection p = space.subtract_and_project(basis_, none, image_);
    for (ThermalSpectra* sums : {&sums_, &shorter_}) {
        const krylov::TridiagonalPairs& of = sums == &sums_ ? random_pairs().all : random_pairs().fewer;
        const std::size_t size = of.values.size();
        std::vector<double> moved(size);
        for (std::size_t i = 0; i < size; ++i)
            for (std::size_t k = 0; k < size; ++k)
                moved[i] += of.vectors[i * size] * of.vectors[i * size + k] * p.components[k].real();
        sums->add_static(s_.sample, lists_.kinetic(), of.values, moved, state_at());
    }
}

void ThermalSpectrum::add_levels() {
    for (ThermalSpectra* sums : {&sums_, &shorter_}) {
        const krylov::TridiagonalPairs& of = sums == &sums_ ? random_pairs().all : random_pairs().fewer;
        std::vector<double> weights(of.values.size());
        for (std::size_t i = 0; i < weights.size(); ++i)
            weights[i] = of.vectors[i * weights.size()] * of.vectors[i * weights.size()];
        sums->set_levels(s_.sample, of.values, weights);
    }
}

void ThermalSpectrum::add_wave() {
    const Timers::Scope scope = timers_.scope("intensities");
    const LevelPairs &from = random_pairs(), to = pairs(wave_, target().offset());
    for (ThermalSpectra* sums : {&sums_, &shorter_}) {
        const bool whole = sums == &sums_;
        const std::size_t size = random_.max_steps() * wave_.max_steps();
        for (std::size_t part = 0; part < overlaps_.size() / size; ++part) {
            Transitions t =
                transitions_of(whole ? from.all : from.fewer, whole ? to.all : to.fewer, s_.norm,
                               std::span(overlaps_).subspan(part * size, size), wave_.max_steps(), plan_.config().simd);
            for (double& w : t.weights) w *= lists_.factor();
            sums->add(s_.sample, part * lists_.waves() + wave().wave, t, state_at());
        }
    }
}

void ThermalSpectrum::observe(std::vector<double>& rows) {
    lists_.append_rows(sums_, rows);
    s_.rows = plan_.config().spectrum.temperatures.size() * plan_.config().spectrum.omega.size();
}

std::vector<Quantity> ThermalSpectrum::results(const Series&) const {
    if (s_.sample < samples_) return {};
    return lists_.results(sums_, &shorter_);
}

}  // namespace strata::lanczos
