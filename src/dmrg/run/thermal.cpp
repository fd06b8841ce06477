// SPDX-License-Identifier: BSD-3-Clause
// Steps of a thermal run: for every temperature the sweeps of the evolution, then those of the second one.
#include "dmrg/run/thermal.hpp"

#include <algorithm>
#include <cmath>

#include "dmrg/state/purification.hpp"
#include "strata/error.hpp"
#include "strata/formatted.hpp"

namespace strata::dmrg {
namespace {

/// Largest error of an exponential at a bond, relative to the norm of its result.
constexpr double thermal_exponential_tolerance = 1e-10;

std::vector<std::string> description_of_thermal(const DmrgPlan& plan) {
    const DmrgConfig& c = plan.config();
    return {
        formatted("averages at %zu temperatures by a purified state of %d sites, in sweeps of at most %g in 1/T "
                  "of the two-site time-dependent variational principle, M up to %llu",
                  c.thermal.temperatures.size(), c.model.sites, c.thermal.step,
                  static_cast<unsigned long long>(c.evolution.max_states))};
}

Recording recording_of_thermal(const DmrgPlan& plan) {
    const std::uint64_t temperatures = plan.config().thermal.temperatures.size();
    return {.rows = temperatures,
            .columns = Thermal::columns_of(plan.config()).size(),
            .key = "thermal.temperatures",
            .value = temperatures};
}

}  // namespace

const TaskEntry thermal_task = {
    .task = Task::thermal,
    .samples = {"run.task=thermal thermal.temperatures=1,2 thermal.step=0.25"},
    .all_sectors = true,
    .description = description_of_thermal,
    .steps = [](const DmrgPlan& plan) { return thermal_sweeps(plan.config()) * plan.bonds_per_sweep(); },
    .recording = recording_of_thermal,
    .make = make_as<Thermal>};

Thermal::Thermal(const Communicator& comm, const DmrgPlan& plan, const superblock::MakeOperator& make)
    : comm_(comm),
      plan_(plan),
      temperature_steps_{temperature_steps(plan.config().thermal, false),
                         temperature_steps(plan.config().thermal, true)},
      total_steps_(thermal_sweeps(plan.config()) * bonds_per_sweep()),
      evolutions_(comm, model(), Algebra(plan.config().simd, plan.threads()), make, timers_,
                  settings().estimates_error),
      quantities_(thermal_quantities(model())),
      columns_(columns_of(plan.config())),
      log_norms_(2),
      above_(2),
      below_(2) {
    for (std::vector<double>& values : values_) values.resize(values_width(plan_.config()));
}

/// `change`: of 1/T in a whole sweep; the state is multiplied by exp(-change H / 2), in two half sweeps.
TdvpSettings Thermal::tdvp_settings(bool coarse, Direction direction, double change) const {
    TdvpSettings s;
    s.imaginary = true;
    s.direction = direction;
    s.time = change / 4;
    s.truncation = evolutions_.truncation(settings().max_states, settings().cutoff, s.time, coarse);
    s.exponential = {krylov_dimension, thermal_exponential_tolerance};
    return s;
}

void Thermal::initialise() {
    s_ = {};
    std::ranges::fill(log_norms_, 0.0);
    evolutions_.for_all([&](Tdvp& t, bool coarse) {
        set_infinite_temperature(model(), t.chain());
        t.tensors_were_set(Direction::left);
        const double kept = t.grow_bases(tdvp_settings(coarse, Direction::right, plan_.config().thermal.step));
        if (!coarse) s_.kept = kept;
    });
}

void Thermal::step(std::uint64_t) {
    const bool coarse = is_coarse();
    const TemperatureStep& to = temperature_step(coarse);
    const std::uint64_t sweep = bond_of_evolution() / bonds_per_sweep();
    const SweepPlace at = place();
    const TdvpResult r =
        evolutions_.of(coarse).update(at.bond, tdvp_settings(coarse, at.direction, to.change_in(sweep)));
    log_norms_[coarse] += 2 * r.log_norm;
    if (!coarse) {
        s_.kept *= 1 - r.discarded;
        s_.krylov_error += r.error;
        s_.states = s_.bonds == 0 ? r.states : std::max(s_.states, r.states);
    }
    const bool ends_sweep = (bond_of_evolution() + 1) % bonds_per_sweep() == 0;
    if (ends_sweep && sweep + 1 >= to.first_sweeps) end_sweep(coarse, sweep + 1 - to.first_sweeps);
    if (++s_.bonds < bonds_of_row()) return;
    s_.bonds = 0;
    ++s_.rows_due;
}

/// `part`: 0 above the temperature, 1 at it, 2 below it.
void Thermal::end_sweep(bool coarse, std::uint64_t part) {
    const Timers::Scope scope = timers_.scope("measurement");
    if (part == 1) return measure(coarse);
    (part == 0 ? above_ : below_)[coarse] = expectation_values_of(coarse).energies(plan_.config().bonds).all;
}

ExpectationValues Thermal::expectation_values_of(bool coarse) {
    const Tdvp& t = evolutions_.of(coarse);
    return expectation_values(comm_, t.algebra(), timers_, t.chain());
}

Outlook Thermal::outlook() const {
    const double rows = static_cast<double>(temperature_steps_[0].size());
    if (s_.rows_due == temperature_steps_[0].size()) return {1, ""};
    const auto of_row = static_cast<double>(bonds_of_row());
    return {(static_cast<double>(s_.rows_due) + static_cast<double>(s_.bonds) / of_row) / rows,
            formatted("to T = %.4g, M = %llu, discarded %.1e", temperature_step(false).temperature,
                      static_cast<unsigned long long>(s_.states), 1 - s_.kept)};
}

Record Thermal::record() {
    Record r("thermal");
    r.field("rows", s_.rows).field("rows-due", s_.rows_due).field("bonds", s_.bonds).field("states", s_.states);
    r.field("kept-weight", s_.kept).field("krylov-error", s_.krylov_error).field("worst", s_.worst);
    r.field("worst-temperature", s_.worst_temperature).field("log-norms", log_norms_);
    r.field("energies-above", above_).field("energies-below", below_);
    return r.field("values", values_[0]).field("coarse-values", values_[1]);
}

std::vector<DistributedArray> Thermal::state() {
    std::vector<DistributedArray> arrays = {record().array()};
    evolutions_.add_to(arrays);
    return arrays;
}

void Thermal::restored(std::uint64_t step) {
    if (step == 0) {
        evolutions_.forget_arrays();
        return initialise();
    }
    const std::uint64_t of_fine = s_.rows_due < temperature_steps_[0].size() ? bonds_of(false) : 0;
    evolutions_.for_all([&](Tdvp&, bool coarse) {
        const std::uint64_t done = coarse ? std::max(s_.bonds, of_fine) - of_fine : std::min(s_.bonds, of_fine);
        evolutions_.unpack(coarse, done > 0 ? place_in_sweep(done - 1, model().sites) : SweepPlace());
    });
}

}  // namespace strata::dmrg
