// SPDX-License-Identifier: BSD-3-Clause
// Factors are read once; at() and mean() multiply the terms of H with them. A splitting keeps its order only while H is
// smooth: jumps must lie between steps, and kinks divide the step that they lie in. Angles are in units of pi in jobs
// and in radians here.
#include "trotter/physics/drive.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "strata/error.hpp"
#include "strata/formatted.hpp"
#include "trotter/job/text.hpp"

namespace strata::trotter {
namespace {

/// Tolerance within which a time before a jump counts as after it, in steps.
constexpr double jump_tolerance = 1e-6;

/// Spins that a word "all", "even", "odd" or "0,3,4" names.
std::vector<int> spins_of(const Item& item, std::size_t word, int spins) {
    const std::string& text = item.words[word];
    std::vector<int> chosen;
    if (text == "all" || text == "even" || text == "odd") {
        for (int j = text == "odd" ? 1 : 0; j < spins; j += text == "all" ? 1 : 2) chosen.push_back(j);
        return chosen;
    }
    std::vector<std::int64_t> listed;
    std::string error;
    if (!parse_integers(text, listed, error))
        item.refuse("has no spins such as all, even, odd or 0,3,4 in the last place.");
    for (const std::int64_t j : listed) {
        if (j < 0 || j >= spins)
            item.refuse("names spin " + std::to_string(j) + "; spins are numbered from 0 to " +
                        std::to_string(spins - 1) + ".");
        if (std::ranges::find(chosen, static_cast<int>(j)) != chosen.end())
            item.refuse("names spin " + std::to_string(j) + " twice.");
        chosen.push_back(static_cast<int>(j));
    }
    return chosen;
}

/// Reads a pulse from the words "axis angle spins" that begin with word `first`.
Pulse read_pulse(const Item& item, std::size_t first, int spins, const std::string& rule) {
    if (item.words.size() != first + 3) item.refuse(rule);
    return {axis_of(item, first), item.real(first + 1, rule) * std::numbers::pi, spins_of(item, first + 2, spins)};
}

/// Inverse rotation.
Pulse inverse(Pulse pulse) {
    pulse.angle = -pulse.angle;
    return pulse;
}

void scale(std::vector<double>& values, double factor) {
    for (double& value : values) value *= factor;
}

void add(std::vector<double>& to, const std::vector<double>& values) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += values[i];
}

/// Product of the factors at time t; jumps up to `tolerance` later count as passed.
double product(const std::vector<DriveFactor>& factors, double t, double tolerance) {
    double value = 1;
    for (const DriveFactor& factor : factors)
        value *= factor.at(factor.form() == DriveFactor::Form::steps ? t + tolerance : t);
    return value;
}

double largest(const std::vector<double>& terms) {
    double found = 0;
    for (const double term : terms) found = std::max(found, std::abs(term));
    return found;
}

}  // namespace

std::string step_text(double step) {
    const double digit = std::pow(10.0, std::floor(std::log10(step)) - 1);
    return formatted("%.2g", std::floor(step / digit * (1 + 1e-9)) * digit);
}

Drive::Drive(const TrotterConfig& config)
    : hamiltonian_(make_hamiltonian(config)),
      perturbation_(make_perturbation(config, hamiltonian_.spins)),
      reversals_(config.drive.reversals),
      step_(config.step),
      steps_(config.steps),
      echo_(config.echo) {
    read_factors(config);
    for (const DrivenTerms& driven : driven_terms()) take_kinks(driven);
    std::ranges::sort(kinks_);
    kinks_.erase(std::unique(kinks_.begin(), kinks_.end()), kinks_.end());
    read_pulses(config);
    for (const double time : reversals_) step_at(time, step_, "drive.reversals: the time " + number_text(time));
}

void Drive::read_factors(const TrotterConfig& config) {
    const auto append = [&](std::vector<DriveFactor>& to, const std::string& key, const std::string& text) {
        DriveFactor factor(key, text);
        if (factor.form() == DriveFactor::Form::constant) return;
        for (const double time : factor.jumps()) step_at(time, step_, key + ": the jump at time " + number_text(time));
        to.push_back(std::move(factor));
    };
    for (const auto& choice : axis_choices) {
        const std::size_t a = index_of(choice.value);
        append(field_[a], "drive.fields", config.drive.fields);
        append(field_[a], std::string("drive.h") + choice.word, config.drive.field[a]);
        append(coupling_[a], "drive.couplings", config.drive.couplings);
        append(coupling_[a], std::string("drive.j") + choice.word, config.drive.coupling[a]);
    }
    if (config.drive.table.name.empty()) return;
    std::vector<DriveFactor> columns = read_factor_table(config.drive.table);
    for (std::size_t a = 0; a < 3; ++a) {
        field_[a].push_back(std::move(columns[a]));
        coupling_[a].push_back(std::move(columns[a + 3]));
    }
}

std::vector<Drive::DrivenTerms> Drive::driven_terms() const {
    std::vector<DrivenTerms> all;
    for (const auto& choice : axis_choices) {
        const std::size_t a = index_of(choice.value);
        const std::string axis = choice.word;
        all.push_back({hamiltonian_.axis[a].field, field_[a], "field along " + axis,
                       "drive.fields, drive.h" + axis + " and drive.table", 1});
        all.push_back({hamiltonian_.axis[a].coupling, coupling_[a], "coupling of " + axis + " components",
                       "drive.couplings, drive.j" + axis + " and drive.table", 0.5});
    }
    return all;
}

double Drive::DrivenTerms::bound() const {
    double most = largest(terms);
    for (const DriveFactor& factor : factors) most *= factor.bound();
    return most;
}

/// Cosines beyond half a turn per step are refused: steps of one length and of half that length can then see the same
/// wrong drive. Factors of terms that are zero do nothing.
void Drive::take_kinks(const DrivenTerms& driven) {
    if (largest(driven.terms) == 0) return;
    if (const double most = driven.bound(); !(most <= max_term))
        throw Error(ExitCode::bad_input, "The factors in time raise a " + driven.what + " to " + number_text(most) +
                                             "; 1e12 is the most that is taken: check " + driven.keys + ".");
    double frequency = 0;
    for (const DriveFactor& factor : driven.factors) frequency += factor.frequency();
    if (frequency * step_ > std::numbers::pi * (1 + 1e-9))
        throw Error(ExitCode::bad_input, "run.step = " + number_text(step_) + " is longer than half a period of the " +
                                             driven.what + ", which " + driven.keys +
                                             " let oscillate with the angular frequency " + number_text(frequency) +
                                             "; take run.step = " + step_text(std::numbers::pi / frequency) +
                                             " or less.");
    for (const DriveFactor& factor : driven.factors)
        for (const double time : factor.kinks()) {
            const double boundary = std::round(time / step_) * step_,
                         rounding = 8 * std::numeric_limits<double>::epsilon() * std::abs(time);
            const bool inside = time > 0 && time < step_ * static_cast<double>(steps_);
            if (inside && std::abs(time - boundary) > rounding) kinks_.push_back(time);
        }
}

void Drive::read_pulses(const TrotterConfig& config) {
    const std::string timed = "is no pulse 'time axis angle spins', e.g. '1.5 x 0.5 all' (angle in units of pi).";
    for (const Item& item : items_of("drive.pulses", config.drive.pulses)) {
        const std::string what = "drive.pulses: the time of '" + item.text + "'";
        const std::uint64_t step = step_at(item.real(0, timed), step_, what);
        if (step >= steps_)
            item.refuse("lies beyond the last step, which begins at time " +
                        number_text(static_cast<double>(steps_ - 1) * step_) + ".");
        pulses_.push_back({step, read_pulse(item, 1, hamiltonian_.spins, timed)});
    }
    for (const Item& item : items_of("echo.pulse", config.echo_pulse))
        turning_.push_back(read_pulse(item, 0, hamiltonian_.spins,
                                      "is no pulse 'axis angle spins', e.g. 'x 1 4' (angle in units of pi)."));
}

bool Drive::constant() const {
    const auto none = [](const std::vector<DriveFactor>& factors) { return factors.empty(); };
    return reversals_.empty() && std::ranges::all_of(field_, none) && std::ranges::all_of(coupling_, none);
}

double Drive::largest_turn() const {
    const auto acts = [](const AxisTerms& terms) { return terms.has_terms(); };
    double rate = 0;
    if (std::ranges::count_if(hamiltonian_.axis, acts) < 2) return 0;
    for (const DrivenTerms& driven : driven_terms()) rate = std::max(rate, driven.turn * driven.bound());
    return rate * step_;
}

SpinHamiltonian Drive::at(double t, Leg leg) const {
    SpinHamiltonian h = hamiltonian_;
    const double tolerance = jump_tolerance * step_;
    const auto reversals = std::ranges::count_if(reversals_, [&](double time) { return time <= t + tolerance; });
    const double sign = reversals % 2 == 0 ? 1 : -1;
    for (const Axis a : all_axes) {
        scale(h[a].field, sign * product(field_[index_of(a)], t, tolerance));
        scale(h[a].coupling, sign * product(coupling_[index_of(a)], t, tolerance));
        if (leg == Leg::forward) continue;
        add(h[a].field, perturbation_[a].field);
        add(h[a].coupling, perturbation_[a].coupling);
    }
    if (leg == Leg::back) h.others += perturbation_.others;  // without drives (validation.cpp)
    return h;
}

std::vector<OperatorSum> Drive::other_products() const {
    if (hamiltonian_.others.empty() && perturbation_.others.empty()) return {};
    return {hamiltonian_.others, at(0, Leg::back).others};
}

std::vector<StepPart> Drive::parts(double begin, int divisions) const {
    const auto first = std::ranges::upper_bound(kinks_, begin), last = std::ranges::lower_bound(kinks_, begin + step_);
    std::vector<double> ends(first, last);
    for (double& end : ends) end -= begin;
    ends.push_back(step_);
    std::vector<StepPart> all;
    double start = 0;
    for (const double end : ends) {
        const double length = (end - start) / divisions;
        for (int i = 0; i < divisions; ++i) all.push_back({begin + (start + i * length), length, begin + step_ / 2});
        start = end;
    }
    return all;
}

AxisTerms Drive::mean(Axis axis, const StepPart& part, double from, double to, Leg leg) const {
    AxisTerms h = hamiltonian_[axis];
    if (!constant()) {
        const auto reversals = std::ranges::count_if(reversals_, [&](double time) { return time <= part.inside; });
        const double sign = reversals % 2 == 0 ? 1 : -1;
        scale(h.field, sign * mean_of_product(field_[index_of(axis)], part, from, to));
        scale(h.coupling, sign * mean_of_product(coupling_[index_of(axis)], part, from, to));
    }
    if (leg == Leg::back) {
        add(h.field, perturbation_[axis].field);
        add(h.coupling, perturbation_[axis].coupling);
    }
    return h;
}

std::vector<Pulse> Drive::pulses_before(std::uint64_t step) const {
    step %= echo_ ? 2 * steps_ : steps_;
    if (step == steps_) return turning_;  // only an echo has such a step
    std::vector<Pulse> pulses;
    for (const TimedPulse& timed : pulses_)
        if (timed.step == step) pulses.push_back(timed.pulse);
    return pulses;
}

std::vector<Pulse> Drive::pulses_after(std::uint64_t step) const {
    if (!echo_ || step % (2 * steps_) < steps_) return {};
    const std::uint64_t undone = 2 * steps_ - 1 - step % (2 * steps_);
    std::vector<Pulse> pulses;
    for (auto timed = pulses_.rbegin(); timed != pulses_.rend(); ++timed)
        if (timed->step == undone) pulses.push_back(inverse(timed->pulse));
    return pulses;
}

std::uint64_t Drive::pulses_until(std::uint64_t steps) const {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(pulses_, [&](const TimedPulse& timed) { return timed.step < steps; }));
}

}  // namespace strata::trotter
