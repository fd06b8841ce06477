// SPDX-License-Identifier: BSD-3-Clause
// Rows of a batch are told apart by their sample; their period follows from the number of steps.
#include "trotter/run/energy_watch.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "strata/formatted.hpp"

namespace strata::trotter {
namespace {

/// Changes of the energy over the width of the spectrum with which a splitting ends, because its states are then at least
/// as far from the exact ones; from which on they are told; and which advice on the step aims at.
constexpr double surely_wrong = 0.1, noteworthy = 0.01, good = 1e-3;

double width(const SpinHamiltonian& h) {
    const SpectralBounds bounds = spectral_bounds(h);
    return bounds.highest - bounds.lowest;
}

}  // namespace

EnergyWatch::EnergyWatch(const TrotterPlan& plan, const Observation& observation)
    : plan_(plan),
      allowed_(plan.config().method == Method::chebyshev ? observation.norm_error() : surely_wrong),
      references_(plan.states()) {
    if (!plan.drive().constant()) return;
    const auto found = std::ranges::find(observation.columns(), "energy", &Column::name);
    if (found != observation.columns().end()) energy_ = static_cast<std::size_t>(found - observation.columns().begin());
    for (const Leg leg : {Leg::forward, Leg::back})
        widths_[leg == Leg::forward ? 0 : 1] = width(plan.drive().at(0, leg));
}

void EnergyWatch::add(std::uint64_t sample, std::uint64_t steps_of_round, std::span<const double> row) {
    if (!energy_) return;
    const std::uint64_t steps = plan_.config().steps;
    const Leg leg = steps_of_round <= steps ? Leg::forward : Leg::back;
    const std::uint64_t step = leg == Leg::forward ? steps_of_round : 2 * steps - steps_of_round;
    const Period period{sample, plan_.drive().pulses_until(step), leg};
    Reference& reference = references_[sample % references_.size()];
    if (reference.period != period)
        reference = {period, row[0], row[*energy_]};
    else
        judge(reference, row[*energy_] - reference.energy, widths_[leg == Leg::forward ? 0 : 1]);
}

void EnergyWatch::add_all(const Series& series) {
    const TrotterConfig& c = plan_.config();
    const std::uint64_t forward = plan_.schedule().forward_observations();
    std::vector<std::uint64_t> rows(c.samples);
    for (std::size_t r = 0; r < series.rows(); ++r) {
        const std::span<const double> row = series.row(r);
        const auto sample = c.samples > 1 ? static_cast<std::uint64_t>(row[1]) : 0;
        const auto step = static_cast<std::uint64_t>(std::llround(row[0] / c.step));
        add(sample, c.echo && rows[sample] > forward ? 2 * c.steps - step : step, row);
        ++rows[sample];
    }
}

void EnergyWatch::judge(const Reference& reference, double change, double width) {
    const double share = std::abs(change) / width;
    if (!(share > largest_)) return;
    largest_ = share;
    change_ = change;
    if (share <= allowed_ || !broken_.empty()) return;
    broken_ = formatted(
        "the energy has changed by %.3g since time %.6g, %.2g of the width of the spectrum, although H is "
        "constant",
        change, reference.time, share);
    broken_ += plan_.config().method == Method::chebyshev
                   ? formatted("; rounding and run.tolerance in every step explain %.2g at most.", allowed_)
                   : ": the time step is too large; take " + advice(share) + ".";
}

std::string EnergyWatch::remark() const {
    if (!(largest_ > noteworthy)) return {};
    return formatted(
               "the energy changed by up to %.3g although H is constant, %.2g of the width of the spectrum, and the "
               "state is at least so far from the exact one; take ",
               change_, largest_) +
           advice(largest_);
}

/// The step with which the change, which falls as the step to the power of the order, would be a good one.
std::string EnergyWatch::advice(double share) const {
    const TrotterConfig& c = plan_.config();
    double step = c.step * std::pow(good / share, 1.0 / c.order);
    if (const double turn = plan_.drive().largest_turn(); turn > 0)
        step = std::min(step, c.step * std::numbers::pi / turn);
    return "run.step = " + step_text(step) + " or less";
}

}  // namespace strata::trotter
