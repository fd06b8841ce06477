// SPDX-License-Identifier: BSD-3-Clause
// First the ground state with its multiplet, then one recurrence after another, each from a plane wave of operators on
// a ground state; after the last one the rows of the spectrum, from the coefficients of all recurrences.
#include "lanczos/run/spectrum.hpp"

#include "lanczos/run/operator_means.hpp"
#include "lanczos/run/operators.hpp"

namespace strata::lanczos {

Spectrum::Spectrum(const LanczosPlan& plan, const MakeHamiltonian& make)
    : LanczosTask(plan, make),
      make_(make),
      own_(own_operator(plan_.config())),
      left_(left_operator(plan_.config())),
      solver_(hamiltonian_, ground_state_options(plan_.config(), ground_states(plan)), timers_),
      waves_(spectral_waves(plan_.config(), plan_.model().lattice)),
      recurrences_(recurrences(plan_, waves_)),
      columns_(columns_of(plan_.config(), plan_.model().lattice)),
      target_offset_(leads_elsewhere(plan_) ? target_plan(plan_, waves_[0]).counts().offset()
                                            : plan_.counts().offset()),
      target_(hamiltonian_, waves_, make_, timers_),
      pairs_(std::make_unique<PairOccupations>()),
      table_(max_parts(), plan_.config().spectrum.steps),
      norms_(max_parts()),
      left_norms_(left_ ? max_parts() : 0),
      overlaps_(left_norms_.size() * table_.max_steps()) {}

std::vector<Column> Spectrum::columns_of(const LanczosConfig& config, const Lattice& lattice) {
    std::vector<Column> columns = {{"omega", "energy", "above the energy of the ground state", Role::coordinate}};
    if (config.spectrum.op == SpectralOperator::current)
        columns.push_back({"conductivity", "e^2/hbar", "regular part of the optical conductivity, per site"});
    else
        for (const PlaneWave& wave : spectral_waves(config, lattice)) columns.push_back(intensity_column(wave));
    if (config.spectrum.second.empty()) return columns;
    const std::vector<Column> real(columns.begin() + 1, columns.end());
    for (Column column : real) {
        column.meaning = "imaginary part of the " + column.meaning;
        columns.push_back(with_ending(std::move(column), "-imaginary"));
    }
    return columns;
}

/// Recurrences of one ground state; waves that lead to a sector without states have none.
std::vector<Spectrum::Recurrence> Spectrum::recurrences(const LanczosPlan& plan, const std::vector<PlaneWave>& waves) {
    std::vector<Recurrence> all;
    for (std::size_t wave = 0; wave < waves.size(); ++wave) {
        const LanczosPlan target = leads_elsewhere(plan) ? target_plan(plan, waves[wave]) : plan;
        if (target.dimension() == 0) continue;
        if (target.arithmetic() == Arithmetic::complex || waves[wave].m.empty())
            all.push_back({wave, Part::whole});
        else
            all.insert(all.end(), {{wave, Part::cosines}, {wave, Part::sines}});
    }
    return all;
}

std::vector<std::string> Spectrum::description() const {
    std::vector<std::string> lines = LanczosTask::description();
    lines.push_back("spectrum of " +
                    (of_current()          ? "the current, "
                     : waves_[0].m.empty() ? "one operator, "
                                           : std::to_string(waves_.size()) + " plane waves, ") +
                    std::to_string(recurrences_.size()) + " recurrences for every ground state of " +
                    std::to_string(table_.max_steps()) + " steps" + target_.words());
    return lines;
}

MemoryPrediction Spectrum::memory() const {
    MemoryPrediction m = LanczosTask::memory();
    target_.add_memory(backend_kind(), m);
    return m;
}

void Spectrum::allocate() {
    hamiltonian_.allocate();
    solver_.allocate();
    target_.allocate();
    if (!target_.changes()) allocate_target();
}

void Spectrum::allocate_target() {
    if (left_) left_state_ = target().space().vector();
}

void Spectrum::initialise() {
    solver_.initialise();
    s_ = State();
    *pairs_ = PairOccupations();
    target_.clear();
}

std::vector<DistributedArray> Spectrum::state() {
    std::vector<DistributedArray> arrays;
    target_.add_working_pairs(arrays);
    solver_.add_state(arrays);
    Record progress("progress");
    progress.field("part", s_.part).field("steps", s_.steps).field("rows", s_.rows);
    krylov::add_fields(progress, s_.recurrence);
    pairs_->add_fields(progress);
    if (of_current()) progress.field("kinetic", kinetic_);
    arrays.push_back(progress.array());
    table_.add_coefficients(arrays);
    arrays.push_back(Record("norms").field("norm", norms_).array());
    if (left_)
        arrays.push_back(
            Record("overlaps")
                .field("norm", left_norms_)
                .field("overlaps", std::span(reinterpret_cast<double*>(overlaps_.data()), 2 * overlaps_.size()))
                .array());
    table_.add_steps(arrays);
    return arrays;
}

void Spectrum::prepare_state(const std::vector<ArrayShape>& stored) {
    if (target_.prepare_state(stored)) allocate_target();
}

std::vector<DistributedArray> Spectrum::final_state(const std::vector<ArrayShape>& stored) {
    initialise();
    std::vector<DistributedArray> arrays;
    add_final_state(solver_, stored, arrays);
    return arrays;
}

std::optional<std::uint64_t> Spectrum::begin_with_final_state(std::uint64_t) {
    if (!solver_.done()) return {};
    measure_ground_states();
    return solver_.steps();
}

/// A |0> of an off-diagonal spectrum is not stored.
void Spectrum::restored(std::uint64_t) {
    if (left_ && s_.recurrence.steps > 0) apply_to_state(*left_, left_state_);
}

std::uint64_t Spectrum::total_steps() const {
    if (solver_.done() && !possible()) return solver_.total_steps();  // no spectrum
    const std::size_t ahead = (solver_.done() ? parts() : recurrences_.size()) - s_.part;
    return solver_.total_steps() + s_.steps + ahead * table_.max_steps() - s_.recurrence.steps;
}

void Spectrum::step(std::uint64_t) {
    if (!solver_.done()) {
        solver_.step();
        return measure_ground_states();
    }
    if (s_.recurrence.steps == 0) begin_part();
    ++s_.steps;
    constexpr double zero = 1e-12;  // largest norm of A |0> that counts as rounding
    if (norms_[s_.part] > zero) {
        const bool was_last = table_.advance(target(), s_.part, s_.recurrence);
        if (left_)
            overlaps_[s_.part * table_.max_steps() + s_.recurrence.steps - 1] =
                target().space().dot(left_state_, target().v());
        if (!was_last) return;
    }
    ++s_.part;
    s_.recurrence = {};
}

/// Measures the occupations once a spectrum can follow.
void Spectrum::measure_ground_states() {
    if (!possible()) return;
    *pairs_ = PairOccupations();
    PairOccupations pairs;
    for (std::size_t i = 0; i < solver_.states(); ++i) {
        measure(hamiltonian_, solver_.vector(i), pairs);
        pairs_->add(pairs);
    }
    if (!of_current()) return;
    HermitianSum kinetic(plan_, hop_moment(plan_.config(), plan_.model(), HopMoment::kinetic), make_, timers_);
    kinetic_ = 0;
    for (std::size_t i = 0; i < solver_.states(); ++i)
        kinetic_ += kinetic.mean(solver_.vector(i)) / static_cast<double>(solver_.states());
}

/// w <- J |0> without its components in the ground states.
void Spectrum::apply_current(const krylov::DistributedVector& state) {
    krylov::VectorSpace& space = hamiltonian_.space();
    HermitianSum current(plan_, hop_moment(plan_.config(), plan_.model(), HopMoment::current), make_, timers_);
    space.clear(hamiltonian_.w());
    current.add(1, state, space, hamiltonian_.w());
    for (int pass = 0; pass < 2; ++pass)
        for (std::size_t i = 0; i < solver_.states(); ++i)
            space.axpby(-space.dot(solver_.vector(i), hamiltonian_.w()), solver_.vector(i), 1, hamiltonian_.w(),
                        hamiltonian_.w());
}

std::vector<Complex> Spectrum::weights_of(std::size_t part) const {
    const auto [wave, what] = recurrence(part);
    std::vector<Complex> weights = operator_weights(plan_.config().spectrum.op, waves_[wave]);
    for (Complex& w : weights)
        if (what != Part::whole) w = what == Part::cosines ? w.real() : w.imag();
    return weights;
}

void Spectrum::apply_to_state(const OwnObservable& o, krylov::DistributedVector& out) {
    const OperatorSum sum = weighted_sum(o, weights_of(s_.part));
    const krylov::DistributedVector& state = solver_.vector(s_.part / recurrences_.size());
    if (target_.other() == nullptr) return apply_sum(sum, plan_, make_, timers_, state, hamiltonian_.space(), out);
    sum_between(hamiltonian_, target(), sum, make_, timers_)(state, out);
}

/// Makes A |0> the start vector of the current recurrence, in the sector that the wave leads to.
void Spectrum::begin_part() {
    const SpectralOperator op = plan_.config().spectrum.op;
    const std::size_t wave = wave_of(s_.part);
    if (target_.make(wave)) allocate_target();
    const Timers::Scope scope = timers_.scope("operator");
    const krylov::DistributedVector& state = solver_.vector(s_.part / recurrences_.size());
    if (of_current())
        apply_current(state);
    else if (own_)
        apply_to_state(*own_, target().w());
    else
        apply_operator(op, weights_of(s_.part), hamiltonian_, state, target(), target().w());
    if (left_) {
        apply_to_state(*left_, left_state_);
        left_norms_[s_.part] = target().space().norm(left_state_);
    }
    krylov::begin_recurrence(target(), s_.recurrence);
    norms_[s_.part] = s_.recurrence.start_norm;
}

std::string Spectrum::shortfall() const {
    const std::string error = ground_state_shortfall(solver_, plan_.config());
    if (!error.empty()) return error;
    if (!solver_.converged()) return "Without a converged ground state there is no spectrum; allow more run.max-steps.";
    if (solver_.degeneracy() == krylov::Degeneracy::more)
        return "The ground state is degenerate, at least " + std::to_string(solver_.states() + 1) +
               " times; its spectrum depends on the mixture. With a larger run.states it is averaged over all of them.";
    if (solver_.degeneracy() == krylov::Degeneracy::unresolved)
        return "There is no spectrum: " + unresolved_remark(solver_.residual());
    return {};
}

}  // namespace strata::lanczos
