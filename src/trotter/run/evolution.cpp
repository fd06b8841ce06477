// SPDX-License-Identifier: BSD-3-Clause
// Steps, and the changes of basis for observations: with the state phi_z, the S_j^x are diagonal in the basis of phi_x
// = W phi_z and the S_j^y in that of phi_y = W K^+ phi_z.
#include "trotter/run/evolution.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "comm/collectives.hpp"

namespace strata::trotter {
namespace {

/// Steps after which the sequence is closed even without an observation, so that a resumed run repeats few of them.
constexpr std::uint64_t max_open_steps = 1024;

}  // namespace

Measured Snapshot::of_state(std::size_t state) const {
    Measured m;
    m.norm = norms[state];
    for (std::size_t a = 0; a < 3; ++a) m.moments[a] = moments[a].empty() ? nullptr : &moments[a][state];
    if (!echoes.empty()) m.echo = echoes[state];
    if (!entropies.empty()) m.entropy = entropies[state];
    const std::size_t numbers = own.size() / norms.size();
    m.own = std::span(own).subspan(state * numbers, numbers);
    return m;
}

Evolution::Evolution(const TrotterPlan& plan, int parts, const MakeState& make, Timers& timers)
    : plan_(plan),
      parts_(parts),
      stages_(splitting(plan.config().order, plan.config().scheme)),
      state_(make(plan, timers)),
      layers_(plan.layout().spins),
      start_norms_(plan.states(), 1.0),
      norms_(plan.states(), 1.0),
      row_bits_(static_cast<std::uint64_t>(plan.layout().row_bits)),
      light_cone_(plan.light_cone() ? window_version : 0) {
    if (plan.config().method == Method::chebyshev) chebyshev_.emplace(plan, make(plan, timers), make(plan, timers));
}

void Evolution::allocate() {
    state_->allocate();
    if (chebyshev_) chebyshev_->allocate();
}

void Evolution::begin(const Start& start) {
    state_->fill(start);
    open_steps_ = 0;
    std::ranges::fill(norms_, 1.0);
    std::ranges::fill(start_norms_, 1.0);
    if (start(0).normalised()) return;
    std::vector<double> factors;
    const std::vector<Moments> moments = state_->moments();
    for (std::size_t s = 0; s < moments.size(); ++s) {
        start_norms_[s] = std::sqrt(moments[s].norm_squared());
        factors.push_back(1 / start_norms_[s]);
    }
    state_->scale(factors);
}

std::vector<DistributedArray> Evolution::arrays(const std::string& suffix) {
    DistributedArray amplitudes = state_->array();
    amplitudes.shape.name += suffix;
    return {amplitudes, Record("progress" + suffix)
                            .field("start-norms", std::span(start_norms_))
                            .field("norm-corrections", std::span(norms_))
                            .field("worst-norm", worst_norm_)
                            .field("open-steps", open_steps_)
                            .field("row-bits", row_bits_)
                            .field("light-cone", light_cone_)
                            .array()};
}

/// The amplitudes are those after the passes that were run; the steps since the sequence was closed are appended again,
/// without passes, to restore the diagonals that it still holds. Their number is stored, since it does not follow from
/// the job: the last step of a run closes the sequence, but a longer run that resumes there may not observe that step.
/// While the sequence is open the amplitudes depend on which bits a pass transforms.
void Evolution::restored(std::uint64_t step) {
    layers_ = LayerSequence(plan_.layout().spins);
    waiting_.clear();
    passes_ = 0;
    for (std::uint64_t open = step - std::min(open_steps_, step); open < step; ++open) {
        append_step(open);
        take_layers(Work::skipped);
    }
    const auto row_bits = static_cast<std::uint64_t>(plan_.layout().row_bits);
    const std::uint64_t light_cone = plan_.light_cone() ? window_version : 0;
    const auto passes = [](std::uint64_t windows, std::uint64_t bits) {
        const char* kind = windows == 0                ? "passes"
                           : windows == window_version ? "light-cone passes"
                                                       : "light-cone passes of another version of the program";
        return kind + (" that transform " + std::to_string(bits) + " spins first");
    };
    if (passes_ > 0 && (row_bits_ != row_bits || light_cone_ != light_cone))
        throw CollectiveError(ExitCode::bad_input,
                              "This checkpoint was written between two measurements by " +
                                  passes(light_cone_, row_bits_) + ", not by " + passes(light_cone, row_bits) +
                                  "; resume it with the program, the backend.device, and the backend.tune and its "
                                  "file, that wrote it.");
    row_bits_ = row_bits;
    light_cone_ = light_cone;
}

void Evolution::append_step(std::uint64_t step) {
    const Schedule& schedule = plan_.schedule();
    const std::uint64_t n = schedule.step_in_round(step);
    const Leg leg = schedule.leg(step);
    for (const Pulse& p : plan_.drive().pulses_before(step)) layers_.append_rotation(p.axis, p.angle, p.spins);
    const std::vector<StepPart> parts = plan_.drive().parts(std::min(schedule.time(n), schedule.time(n + 1)), parts_);
    const auto append = [&](const Stage& stage, const StepPart& part, double sign) {
        const AxisTerms mean = plan_.drive().mean(stage.axis, part, stage.begin, stage.begin + stage.fraction, leg);
        layers_.append(stage.axis, mean, sign * stage.fraction * part.length);
    };
    if (leg == Leg::forward)
        for (const StepPart& part : parts)
            for (const Stage& stage : stages_) append(stage, part, +1);
    else  // the inverse of the forward step
        for (auto part = parts.rbegin(); part != parts.rend(); ++part)
            for (auto stage = stages_.rbegin(); stage != stages_.rend(); ++stage) append(*stage, *part, -1);
    for (const Pulse& p : plan_.drive().pulses_after(step)) layers_.append_rotation(p.axis, p.angle, p.spins);
}

void Evolution::take_layers(Work work) {
    while (std::optional<Phases> phases = layers_.take()) {
        if (plan_.light_cone()) {
            waiting_.push_back(std::move(*phases));
            if (waiting_.size() == (passes_ == 0 ? 2 : 3)) light_cone_pass(Pass::between, work);
            continue;
        }
        if (work == Work::done) state_->pass(next_group(), *phases, passes_ > 0, true);
        ++passes_;
    }
}

void Evolution::light_cone_pass(Pass which, Work work) {
    const std::size_t middle = passes_ == 0 ? 0 : 1;
    if (work == Work::done)
        state_->light_cone_pass(next_group(), middle == 0 ? nullptr : &waiting_[0], waiting_[middle],
                                which == Pass::last ? nullptr : &waiting_[middle + 1]);
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(middle) + 1);
    ++passes_;
}

/// An inner light-cone pass covers two transforms of all spins, the first and the last pass cover one each. A transform
/// that remains, where their number is odd, is run by plain passes.
void Evolution::close_light_cone(std::deque<Phases>& rest) {
    std::ranges::move(rest, std::back_inserter(waiting_));
    rest.clear();
    if (passes_ > 0 || waiting_.size() > 2) {
        while (waiting_.size() > (passes_ == 0 ? 2 : 3)) light_cone_pass(Pass::between, Work::done);
        light_cone_pass(Pass::last, Work::done);
        passes_ = 0;
        if (!waiting_.empty()) waiting_.push_front(Phases(plan_.layout().spins));
    }
    rest.swap(waiting_);
}

void Evolution::close_layers() {
    std::deque<Phases> rest = layers_.finish();
    if (plan_.light_cone()) close_light_cone(rest);
    run_layers(*state_, rest, passes_);
    passes_ = 0;
}

void Evolution::step(std::uint64_t step, bool observed) {
    if (chebyshev_) return chebyshev_->step(*state_, plan_.schedule().leg(step));
    append_step(step);
    take_layers(Work::done);
    ++open_steps_;
    if (!observed && (plan_.schedule().step_in_round(step) + 1) % max_open_steps != 0) return;
    close_layers();
    open_steps_ = 0;
}

/// Norms of all states before correction, [state]. In single precision the rounded phases change the norm in the same
/// direction in every step; it is reset to 1 at every observation. In double precision the drift is negligible.
std::vector<double> Evolution::correct_norms(const std::vector<Moments>& z) {
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

Snapshot Evolution::measure(const Observation& requested, const Start& start, Entanglement* entanglement,
                            ExpectationValues* own) {
    Snapshot now;
    auto& [x, y, z] = now.moments;
    z = state_->moments();
    if (requested.needs_overlap()) {
        const std::vector<Complex> overlaps = state_->overlaps(start);
        for (std::size_t s = 0; s < z.size(); ++s)
            now.echoes.push_back(std::norm(overlaps[s]) / (z[s].norm_squared() * start_norms_[s] * start_norms_[s]));
    }
    if (entanglement != nullptr) now.entropies = entanglement->entropies(state_->array());
    if (own != nullptr) now.own = own->values(state_->array(), z);
    now.norms = correct_norms(z);
    const bool x_needed = requested.needs(Axis::x), y_needed = requested.needs(Axis::y);
    LayerSequence change(plan_.layout().spins);
    if (x_needed) {
        change.append_transform();
        run_layers(*state_, change.finish());
        x = state_->moments();
        change.append_transform();
    }
    if (y_needed) {
        change.append_quarter_rotation(-1);
        change.append_transform();
        run_layers(*state_, change.finish());
        y = state_->moments();
        change.append_transform();
        change.append_quarter_rotation(+1);
    }
    if (x_needed || y_needed) run_layers(*state_, change.finish());
    return now;
}

}  // namespace strata::trotter
