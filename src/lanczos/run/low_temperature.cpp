// SPDX-License-Identifier: BSD-3-Clause
// The recurrence of each random vector gives the coefficients of its states exp(-H/2T) |r>, and repetitions of it the
// states themselves, so that a few vectors are kept in place of thermal.steps.
#include <algorithm>

#include "comm/collectives.hpp"
#include "lanczos/run/thermal.hpp"
#include "lanczos/state/memory.hpp"

namespace strata::lanczos {
namespace {

std::size_t repetitions_of(std::size_t operators, std::size_t temperatures) {
    constexpr std::size_t most = LowTemperature::states_at_once;
    return operators == 0 ? 0 : (temperatures + most - 1) / most;
}

void check_low_temperature(const Config& config, const ModelConfig& model, InputErrors& found) {
    check_several_sectors(config, model, found);
    if (observable_texts(config).source.empty())
        found.push_back(config.cite("thermal.method") +
                        " serves the operators of [observables] alone; give them, or take random-vectors.");
}

/// A repetition adds a multiple of each Lanczos vector to its states; the steps of an operator multiply all of them.
TaskSize size_of_low_temperature(const LanczosPlan& plan, std::uint64_t) {
    const auto& t = plan.config().thermal;
    const ObservedOperators observed(plan);
    const std::uint64_t operators = observed.parts().size(), temperatures = t.temperatures.size(),
                        repeated = repetitions_of(operators, temperatures),
                        together = repeated == 0 ? 0 : std::min(temperatures, LowTemperature::states_at_once);
    const double usual = std::min(static_cast<double>(t.steps), plan.dimension()),
                 steps = usual * static_cast<double>(1 + repeated) + static_cast<double>(repeated * operators),
                 added = repeated == 0 ? 0 : usual * static_cast<double>(temperatures) / steps,
                 multiplied = static_cast<double>(operators * temperatures) / steps;
    return {.vectors = together + 2,
            .steps = {t.samples * (t.steps * (1 + repeated) + repeated * operators),
                      whole_steps(static_cast<double>(t.samples) * steps)},
            .work = {2 * added + work_of_mean.products * multiplied, 3 * added + work_of_mean.moved * multiplied,
                     step_overhead / 4 + work_of_mean.seconds * multiplied},
            .recording = recorded_at_once(temperatures, thermal_columns(observed, plan.config()).size(),
                                          "the number of thermal.temperatures")};
}

/// As of random vectors, with means and spreads in the place of products.
MemoryItems memory_of_low_temperature(const LanczosPlan& plan, int rank, BackendKind backend, std::uint64_t sectors) {
    const auto& t = plan.config().thermal;
    MemoryItems items = {buffer_memory(plan, rank, backend),
                         {"recurrences of random vectors", (1 + sectors) * 6 * sizeof(double) * t.samples * t.steps}};
    for (MemoryPrediction::Item& item : means_memory(plan, backend)) items.push_back(std::move(item));
    const std::uint64_t operators = means_steps(plan), states = t.samples * t.temperatures.size();
    items.push_back(
        {"expectation values at temperatures", (1 + sectors) * sizeof(double) * states * (2 * operators + 1)});
    items.push_back({"coefficients of states",
                     sizeof(double) * t.steps * (2 * t.steps + t.samples * t.steps + LowTemperature::states_at_once)});
    return items;
}

}  // namespace

const TaskEntry low_temperature_task = {
    .task = Task::thermal,
    .trace = TraceMethod::low_temperature,
    .samples = {"run.task=thermal thermal.method=low-temperature thermal.samples=2 thermal.steps=10 "
                "observables.own=1 n_up 0"},
    .check = check_low_temperature,
    .check_sector = check_thermal_sector,
    .size = size_of_low_temperature,
    .memory = memory_of_low_temperature,
    .make = make_as<LowTemperature>,
    .make_sequence = make_as<ThermalSum>};

LowTemperature::LowTemperature(const LanczosPlan& plan, const MakeHamiltonian& make, std::uint64_t first_stream)
    : SampledAverages(plan, make, first_stream), again_(1, table_.max_steps()) {}

std::size_t LowTemperature::together() const {
    return std::min(of_states_.temperatures().size() - first_temperature(), states_at_once);
}

void LowTemperature::allocate() {
    hamiltonian_.allocate();
    if (operators() == 0) return;
    for (std::size_t i = 0; i < std::min(of_states_.temperatures().size(), states_at_once); ++i)
        states_.push_back(hamiltonian_.space().vector());
}

void LowTemperature::initialise() {
    s_ = State();
    measures_ = measured_ = 0;
    hamiltonian_.space().clear(hamiltonian_.v());
    hamiltonian_.space().clear(hamiltonian_.w());
}

std::vector<DistributedArray> LowTemperature::state() {
    std::vector<DistributedArray> arrays;
    add_working_pair(hamiltonian_, "", arrays);
    Record progress("progress");
    progress.field("sample", s_.sample).field("steps", s_.steps).field("rows", s_.rows);
    progress.field("repetition", s_.repetition).field("measures", measures_).field("measured", measured_);
    krylov::add_fields(progress, s_.recurrence);
    arrays.push_back(progress.array());
    table_.add_coefficients(arrays);
    table_.add_steps(arrays);
    of_states_.add_state(arrays);
    return arrays;
}

void LowTemperature::restored(std::uint64_t) {
    if (s_.sample == samples_ || s_.repetition == 0) return;
    const std::uint64_t steps = measures_ != 0 ? table_.steps(s_.sample) : s_.recurrence.steps;
    if (steps == 0) return;
    krylov::VectorSpace& space = hamiltonian_.space();
    DistributedVector v = space.vector(), w = space.vector();
    space.copy(hamiltonian_.v(), v);
    space.copy(hamiltonian_.w(), w);
    krylov::RecurrenceState recurrence;
    begin_states(recurrence);
    for (std::uint64_t k = 0; k < steps; ++k) {
        again_.advance(hamiltonian_, 0, recurrence);
        add_to_states(k);
    }
    space.copy(v, hamiltonian_.v());
    space.copy(w, hamiltonian_.w());
}

std::uint64_t LowTemperature::total_steps() const {
    const std::uint64_t steps = table_.max_steps(), repeated = steps + operators(),
                        all = steps + repetitions_of(operators(), of_states_.temperatures().size()) * repeated,
                        before = s_.repetition == 0 ? 0 : steps + (s_.repetition - 1) * repeated,
                        done = before + (measures_ != 0 ? steps + measured_ : s_.recurrence.steps);
    return s_.steps + (samples_ - s_.sample) * all - done;
}

void LowTemperature::step(std::uint64_t) {
    ++s_.steps;
    if (measures_ != 0)
        measure();
    else
        recurrence_step();
}

void LowTemperature::recurrence_step() {
    const bool repeats = s_.repetition > 0;
    if (s_.recurrence.steps == 0) repeats ? begin_states(s_.recurrence) : begin_sample(s_.recurrence);
    const bool was_last = repeats ? again_.advance(hamiltonian_, 0, s_.recurrence)
                                  : table_.advance(hamiltonian_, s_.sample, s_.recurrence);
    if (repeats) add_to_states(s_.recurrence.steps - 1);
    if (!was_last) return;
    s_.recurrence = {};
    if (repeats)
        measures_ = 1;
    else
        end_repetition();
}

/// Coefficients come from rank 0, as those of all small problems whose results distributed vectors depend on.
void LowTemperature::begin_states(krylov::RecurrenceState& recurrence) {
    const Timers::Scope scope = timers_.scope("states at temperatures");
    const std::size_t steps = table_.steps(s_.sample);
    coefficients_.clear();
    collectively(comm_, [&] {
        if (!comm_.is_root()) return;
        const krylov::TridiagonalPairs pairs = krylov::all_pairs(table_.alpha(s_.sample), table_.beta(s_.sample));
        for (std::size_t i = 0; i < together(); ++i) {
            const std::vector<double> one =
                half_weighted_state(pairs, of_states_.temperatures()[first_temperature() + i]);
            coefficients_.insert(coefficients_.end(), one.begin(), one.end());
        }
    });
    coefficients_.resize(together() * steps);
    broadcast_bytes(comm_, coefficients_.data(), coefficients_.size() * sizeof(double), 0);
    for (std::size_t i = 0; i < together(); ++i) hamiltonian_.space().clear(states_[i]);
    begin_sample(recurrence);
}

void LowTemperature::add_to_states(std::size_t step) {
    const Timers::Scope scope = timers_.scope("states at temperatures");
    const std::size_t steps = table_.steps(s_.sample);
    for (std::size_t i = 0; i < together(); ++i)
        hamiltonian_.space().axpby(coefficients_[i * steps + step], hamiltonian_.v(), 1, states_[i], states_[i]);
}

void LowTemperature::measure() {
    const Timers::Scope scope = timers_.scope("observables");
    for (std::size_t i = 0; i < together(); ++i) {
        const HermitianSum::Moments of = means_.moments(measured_, states_[i]);
        of_states_.set(s_.sample, first_temperature() + i, measured_, of.mean, of.spread);
    }
    if (++measured_ < operators()) return;
    measures_ = measured_ = 0;
    end_repetition();
}

void LowTemperature::end_repetition() {
    if (++s_.repetition <= repetitions_of(operators(), of_states_.temperatures().size())) return;
    s_.repetition = 0;
    ++s_.sample;
}

}  // namespace strata::lanczos
