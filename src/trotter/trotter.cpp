// SPDX-License-Identifier: BSD-3-Clause
// The step, and the changes of basis for observations: with phi_z the state, phi_x = W phi_z and phi_y = W K^+ phi_z
// have the S_j^x and S_j^y on their diagonal.
#include "trotter/trotter.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "kernels/bandwidth.hpp"
#include "strata/error.hpp"

namespace strata::trotter {
namespace {

/// Steps after which the layers are closed although nothing is observed, so that a restart has few steps to follow.
constexpr std::uint64_t max_open_steps = 1024;

/// Bytes that are read to measure the bandwidth: more than most caches hold, and little beside a state that is worth it.
constexpr std::size_t bandwidth_bytes = std::size_t{128} << 20;

}  // namespace

Trotter::Trotter(TrotterPlan plan, const MakeState& make)
    : plan_(std::move(plan)),
      drive_(plan_.config()),
      stages_(splitting(plan_.config().order, plan_.config().scheme)),
      observation_(plan_),
      state_(make(plan_, timers_)),
      layers_(plan_.layout().spins),
      start_norms_(plan_.states(), 1.0),
      norms_(plan_.states(), 1.0),
      row_bits_(static_cast<std::uint64_t>(plan_.layout().row_bits)) {}

std::function<InitialState(std::uint64_t)> Trotter::start_of_round(std::uint64_t round) const {
    return [this, round](std::uint64_t state) {
        return InitialState(plan_.config(), plan_.spins(), round * plan_.states() + state);
    };
}

void Trotter::initialise() {
    rows_.clear();
    begin_round(0);
}

void Trotter::begin_round(std::uint64_t round) {
    const auto start = start_of_round(round);
    state_->fill(start);
    open_steps_ = 0;
    std::ranges::fill(norms_, 1.0);
    std::ranges::fill(start_norms_, 1.0);
    if (!start(0).normalised()) {
        std::vector<double> factors;
        const std::vector<Moments> moments = state_->moments();
        for (std::size_t s = 0; s < moments.size(); ++s) {
            start_norms_[s] = std::sqrt(moments[s].norm_squared());
            factors.push_back(1 / start_norms_[s]);
        }
        state_->scale(factors);
    }
    measure(round, 0);
}

std::vector<DistributedArray> Trotter::state() {
    return {state_->array(), Record("progress")
                                 .field("start-norms", std::span(start_norms_))
                                 .field("norm-corrections", std::span(norms_))
                                 .field("worst-norm", worst_norm_)
                                 .field("open-steps", open_steps_)
                                 .field("row-bits", row_bits_)
                                 .array()};
}

bool Trotter::closes(std::uint64_t step) const {
    return observes(step) || (plan_.schedule().step_in_round(step) + 1) % max_open_steps == 0;
}

/// The amplitudes are those after the passes that could be made; the steps since the sequence was closed are followed
/// once more for what it still holds. Their number is stored: a resumed run may be longer, and the last step of the
/// shorter one, which was closed, may then be one that is not observed. Between closed steps the amplitudes depend on
/// which bits a pass transforms.
void Trotter::restored(std::uint64_t step) {
    rows_.clear();
    layers_ = LayerSequence(plan_.layout().spins);
    passes_ = 0;
    for (std::uint64_t open = step - std::min(open_steps_, step); open < step; ++open) {
        append_step(open);
        take_layers(Work::skipped);
    }
    const auto row_bits = static_cast<std::uint64_t>(plan_.layout().row_bits);
    if (passes_ > 0 && row_bits_ != row_bits)
        throw Error(ExitCode::bad_input,
                    "This checkpoint was written between two measurements by passes that transform " +
                        std::to_string(row_bits_) + " spins first, not " + std::to_string(row_bits) +
                        "; resume it with the backend.device, and the backend.tune and its file, that wrote it.");
    row_bits_ = row_bits;
}

void Trotter::append_step(std::uint64_t step) {
    const Schedule& schedule = plan_.schedule();
    const std::uint64_t n = schedule.step_in_round(step);
    const Leg leg = schedule.leg(step);
    for (const Pulse& p : drive_.pulses_before(step)) layers_.append_rotation(p.axis, p.angle, p.spins);
    const double dt = plan_.config().step, begin = std::min(schedule.time(n), schedule.time(n + 1));
    const auto append = [&](const Stage& stage, double sign) {
        const SpinHamiltonian h = drive_.at(begin + stage.time * dt, leg);
        layers_.append(stage.axis, h[stage.axis], sign * stage.fraction * dt);
    };
    if (leg == Leg::forward)
        for (auto stage = stages_.begin(); stage != stages_.end(); ++stage) append(*stage, +1);
    else  // the inverse of the step there
        for (auto stage = stages_.rbegin(); stage != stages_.rend(); ++stage) append(*stage, -1);
    for (const Pulse& p : drive_.pulses_after(step)) layers_.append_rotation(p.axis, p.angle, p.spins);
}

void Trotter::take_layers(Work work) {
    while (const std::optional<Phases> phases = layers_.take()) {
        if (work == Work::done)
            state_->pass(passes_ % 2 == 0 ? Group::within_row : Group::across_rows, *phases, passes_ > 0, true);
        ++passes_;
    }
}

void Trotter::close_layers() {
    std::deque<Phases> rest = layers_.finish();
    for (std::size_t i = 0; i < rest.size(); ++i, ++passes_)
        state_->pass(passes_ % 2 == 0 ? Group::within_row : Group::across_rows, rest[i], passes_ > 0,
                     i + 1 < rest.size());
    passes_ = 0;
}

void Trotter::step(std::uint64_t step) {
    const Schedule& schedule = plan_.schedule();
    append_step(step);
    take_layers(Work::done);
    ++open_steps_;
    if (closes(step)) {
        close_layers();
        open_steps_ = 0;
    }
    if (!observes(step)) return;
    const std::uint64_t round = schedule.round(step), done = schedule.step_in_round(step) + 1;
    measure(round, done);
    if (done == schedule.steps_per_round() && round + 1 < schedule.rounds()) begin_round(round + 1);
}

void Trotter::run_layers(LayerSequence& layers) {
    std::swap(layers, layers_);
    close_layers();
    std::swap(layers, layers_);
}

/// In single precision the rounded phases change the norm in the same direction in every step; it is set back to 1 at
/// every observation. In double precision the drift is far below what is observed.
std::vector<double> Trotter::correct_norms(const std::vector<Moments>& z) {
    std::vector<double> norms, factors;
    for (std::size_t s = 0; s < z.size(); ++s) {
        const double norm = std::sqrt(z[s].norm_squared());
        norms.push_back(norm / norms_[s]);
        factors.push_back(1 / norm);
        worst_norm_ = std::max(worst_norm_, std::abs(norms.back() - 1));
    }
    if (plan_.config().precision == Precision::double_) return norms;
    state_->scale(factors);
    for (std::size_t s = 0; s < z.size(); ++s) norms_[s] *= factors[s];
    return norms;
}

void Trotter::measure(std::uint64_t round, std::uint64_t steps_of_round) {
    const Schedule& schedule = plan_.schedule();
    const std::vector<Moments> z = state_->moments();
    std::vector<Complex> overlaps;
    if (observation_.needs_overlap()) overlaps = state_->overlaps(start_of_round(round));
    const std::vector<double> norms = correct_norms(z);
    const bool x_needed = observation_.needs(Axis::x), y_needed = observation_.needs(Axis::y);
    std::vector<Moments> x, y;
    LayerSequence change(plan_.layout().spins);
    if (x_needed) {
        change.append_transform();
        run_layers(change);
        x = state_->moments();
        change.append_transform();
    }
    if (y_needed) {
        change.append_quarter_rotation(-1);
        change.append_transform();
        run_layers(change);
        y = state_->moments();
        change.append_transform();
        change.append_quarter_rotation(+1);
    }
    if (x_needed || y_needed) run_layers(change);
    const Leg leg = steps_of_round <= plan_.config().steps ? Leg::forward : Leg::back;
    const double time = schedule.time(steps_of_round);
    const SpinHamiltonian h = drive_.at(time, leg);
    for (std::size_t s = 0; s < z.size(); ++s) {
        const double echo =
            overlaps.empty() ? 0 : std::norm(overlaps[s]) / (z[s].norm_squared() * start_norms_[s] * start_norms_[s]);
        observation_.append_row({round * plan_.states() + s,
                                 time,
                                 norms[s],
                                 {x_needed ? &x[s] : nullptr, y_needed ? &y[s] : nullptr, &z[s]},
                                 echo},
                                h, rows_);
    }
}

void Trotter::observe(std::vector<double>& rows) {
    rows.insert(rows.end(), rows_.begin(), rows_.end());
    rows_.clear();
}

std::string Trotter::remark() const {
    if (plan_.config().precision == Precision::double_) return {};
    char text[160];
    std::snprintf(text, sizeof text,
                  "single precision: the norm drifted by up to %.1e and was set back to 1 at every observation",
                  worst_norm_);
    return text;
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
    if (plan_.backend() == BackendKind::cpu)
        figures.push_back({"fraction_of_bandwidth",
                           rate / (read_bandwidth(plan_.threads(), bandwidth_bytes) * plan_.ranks()), "1",
                           "of the rate at which all threads of all ranks would read memory, if each rank had the "
                           "bandwidth that rank 0 has alone"});
    return figures;
}

}  // namespace strata::trotter
