// SPDX-License-Identifier: BSD-3-Clause
// Batches of samples, observations, and the report's remarks and figures.
#include "trotter/run/trotter.hpp"

#include <algorithm>
#include <array>

#include "comm/collectives.hpp"
#include "kernels/bandwidth.hpp"
#include "strata/formatted.hpp"
#include "trotter/job/text.hpp"

namespace strata::trotter {
namespace {

/// Bytes of the states that are read to measure the bandwidth, more than most caches hold; with smaller states the
/// report has no fraction of the bandwidth.
constexpr std::size_t bandwidth_bytes = std::size_t{128} << 20;

/// Estimated error of the state above which its leading order is no reliable estimate.
constexpr double max_state_error = 0.1;

}  // namespace

Trotter::Trotter(TrotterPlan plan, const MakeState& make)
    : plan_(std::move(plan)),
      observation_(plan_),
      watch_(plan_, observation_),
      evolution_(plan_, 1, make, timers_),
      rounds_(plan_.schedule().rounds()) {
    if (plan_.config().target_error > 0) target_.emplace(plan_, observation_);
    const Communicator& comm = evolution_.states().comm();
    if (plan_.cut().size() > 0) entanglement_.emplace(comm, plan_, timers_);
    if (plan_.observed() != nullptr) own_.emplace(comm, plan_, timers_);
    if (!plan_.config().estimate_error) return;
    half_steps_.emplace(plan_, 2, make, timers_);
    distance_.emplace(comm, plan_, timers_);
}

void Trotter::allocate() {
    evolution_.allocate();
    if (half_steps_) half_steps_->allocate();
    if (distance_) distance_->allocate();
    if (entanglement_) entanglement_->allocate();
    if (own_) own_->allocate();
}

Evolution::Start Trotter::start_of_round(std::uint64_t round) const {
    return [this, round](std::uint64_t state) {
        return InitialState(plan_.config(), plan_.spins(), round * plan_.states() + state);
    };
}

void Trotter::initialise() {
    rows_.clear();
    begin_round(0);
}

void Trotter::begin_round(std::uint64_t round) {
    evolution_.begin(start_of_round(round));
    if (half_steps_) half_steps_->begin(start_of_round(round));
    measure(round, 0);
}

std::vector<DistributedArray> Trotter::state() {
    std::vector<DistributedArray> arrays = evolution_.arrays("");
    if (half_steps_) {
        for (DistributedArray& array : half_steps_->arrays("-half-steps")) arrays.push_back(std::move(array));
        arrays.push_back(Record("estimate").field("state-error", state_error_).array());
    }
    if (target_) {
        arrays.push_back(target_->array());
        arrays.push_back(Record("ensemble").field("rounds", rounds_).array());
    }
    return arrays;
}

void Trotter::restored(std::uint64_t step) {
    rows_.clear();
    evolution_.restored(step);
    if (half_steps_) half_steps_->restored(step);
}

std::vector<DistributedArray> Trotter::final_state(const std::vector<ArrayShape>&) {
    if (plan_.config().samples > 1)
        throw CollectiveError(ExitCode::bad_input,
                              "A checkpoint of run.samples > 1 holds the last states alone, not the ensemble; run the "
                              "job with the new keys.");
    return state();
}

std::optional<std::uint64_t> Trotter::begin_with_final_state(std::uint64_t step) {
    restored(step);
    if (step != total_steps()) return {};
    measured_again_ = true;
    const Schedule& schedule = plan_.schedule();
    measure(schedule.round(step - 1), schedule.step_in_round(step - 1) + 1);
    return step;
}

void Trotter::resume_series(std::uint64_t steps, Series& series) {
    drop_early_end(steps, series);
    watch_.add_all(series);
}

/// Only a run of one state without echo has another end than before.
void Trotter::drop_early_end(std::uint64_t steps, Series& series) const {
    const Schedule& schedule = plan_.schedule();
    if (steps == 0 || schedule.total_steps() != schedule.steps_per_round()) return;
    bool missing = false;
    if (evolution_.states().comm().is_root()) {
        const bool observed = series.rows() > 0 && series.row(series.rows() - 1)[0] == schedule.time(steps);
        if (observed && !schedule.observes(steps - 1)) series.drop_back(1);
        missing = !observed && steps == total_steps();
    }
    broadcast(evolution_.states().comm(), missing);
    if (missing)
        throw CollectiveError(ExitCode::bad_input,
                              "run.steps = " + std::to_string(steps) +
                                  " is what the checkpoint has, but it was not observed there; ask for more steps.");
}

void Trotter::step(std::uint64_t step) {
    const Schedule& schedule = plan_.schedule();
    const bool observed = observes(step);
    evolution_.step(step, observed);
    if (half_steps_) half_steps_->step(step, observed);
    if (!observed) return;
    const std::uint64_t round = schedule.round(step), done = schedule.step_in_round(step) + 1;
    measure(round, done);
    if (done < schedule.steps_per_round()) return;
    judge_round(round);
    if (round + 1 < rounds_) begin_round(round + 1);
}

void Trotter::judge_round(std::uint64_t round) {
    if (!target_) return;
    std::uint64_t stops = target_->stops() ? 1 : 0;
    broadcast(evolution_.states().comm(), stops);
    if (stops != 0) rounds_ = round + 1;
}

std::string Trotter::shortfall() const {
    if (!target_ || target_->reached()) return {};
    return target_->sentence() + ", above run.target-error = " + number_text(plan_.config().target_error) +
           "; the results are those of all run.samples = " + std::to_string(plan_.config().samples) + " states.";
}

void Trotter::finish() {
    evolution_.states().finish();
    if (half_steps_) half_steps_->states().finish();
}

void Trotter::measure(std::uint64_t round, std::uint64_t steps_of_round) {
    const Evolution::Start start = start_of_round(round);
    Entanglement* entanglement = entanglement_ ? &*entanglement_ : nullptr;
    ExpectationValues* own = own_ ? &*own_ : nullptr;
    std::vector<double> distances;  // before measurements, whose changes of basis leave rounding errors
    if (half_steps_) distances = distance_->between(evolution_.states().array(), half_steps_->states().array());
    const Snapshot now = evolution_.measure(observation_, start, entanglement, own);
    Snapshot half;
    if (half_steps_) half = half_steps_->measure(observation_, start, entanglement, own);
    const double time = plan_.schedule().time(steps_of_round);
    const Leg leg = steps_of_round <= plan_.config().steps ? Leg::forward : Leg::back;
    const SpinHamiltonian h = plan_.drive().at(time, leg);
    state_error_ = 0;
    for (std::size_t s = 0; s < now.norms.size(); ++s) {
        const std::uint64_t sample = round * plan_.states() + s;
        const auto row_of = [&](const Snapshot& snapshot) {
            Measured m = snapshot.of_state(s);
            m.sample = sample;
            m.time = time;
            m.hamiltonian = &h;
            if (!h.others.empty() && plan_.observed() != nullptr && plan_.observed()->hidden() > 0)
                m.energy_of_products = m.own[plan_.observed()->width() + (leg == Leg::forward ? 0 : 1)];
            return observation_.row(m);
        };
        std::vector<double> row = row_of(now);
        if (half_steps_) {
            const double duration = plan_.config().step * static_cast<double>(steps_of_round);
            const std::vector<double> errors = observation_.errors(row, row_of(half), distances[s], duration);
            state_error_ = std::max(state_error_, errors[0]);
            row.insert(row.end(), errors.begin(), errors.end());
        }
        watch_.add(sample, steps_of_round, row);
        if (target_) target_->add(steps_of_round, row);
        rows_.insert(rows_.end(), row.begin(), row.end());
    }
}

void Trotter::observe(std::vector<double>& rows) {
    rows.insert(rows.end(), rows_.begin(), rows_.end());
    rows_.clear();
}

std::string Trotter::remark() const {
    std::vector<std::string> parts;
    for (std::string& part : std::array{plan_.long_step(), watch_.remark()})
        if (!part.empty()) parts.push_back(std::move(part));
    if (measured_again_) parts.emplace_back("how well the energy was conserved is told by the run that made the state");
    if (target_) parts.push_back(target_->sentence());
    if (half_steps_)
        parts.push_back(formatted(
            "step errors are %.3g times the differences from a run with half the step, as if they fell as the "
            "step to the power %d, which takes small errors%s",
            plan_.error_factor(), plan_.config().order,
            state_error_ > max_state_error ? "; here they are too large for that, take smaller steps" : ""));
    if (plan_.config().precision == Precision::single) {
        const double worst = std::max(evolution_.worst_norm(), half_steps_ ? half_steps_->worst_norm() : 0.0);
        parts.push_back(formatted(
            "single precision: the norm drifted by up to %.1e and was set back to 1 at every observation", worst));
    }
    std::string remark;
    for (const std::string& part : parts) remark += (remark.empty() ? "" : "; ") + part;
    return remark;
}

std::vector<Figure> Trotter::performance(std::uint64_t steps, double seconds) const {
    if (steps == 0) return {};
    const double per_step = seconds / static_cast<double>(steps);
    const double rate = plan_.bytes_per_step() / per_step;
    std::vector<Figure> figures = {
        {"seconds_per_step", per_step, "s", "wall time of one step, with its share of the observations"},
        {"passes", plan_.passes_per_step(), "1", "passes over the state per step, without observations"},
        {"bytes_per_step", plan_.bytes_per_step(), "B", "read and written by the passes of all ranks, by counting"},
        {"gigabytes_per_second", 1e-9 * rate, "GB/s", "over all ranks"}};
    if (const std::span<const double> memory = evolution_.states().memory(); memory.size_bytes() >= bandwidth_bytes)
        figures.push_back(
            {"fraction_of_bandwidth",
             rate / (read_bandwidth(plan_.threads(), memory.first(bandwidth_bytes / sizeof(double))) * plan_.ranks()),
             "1",
             "of the rate at which all threads of all ranks would read memory, if each rank had the "
             "bandwidth that rank 0 has alone; for states of 128 MiB per rank and more"});
    return figures;
}

}  // namespace strata::trotter
