// SPDX-License-Identifier: BSD-3-Clause
// Factors are read once; at() multiplies the terms of H with them. Jumps must lie between steps, since a splitting
// keeps its order only while H is smooth; angles are in units of pi in jobs and in radians here.
#include "trotter/physics/drive.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "strata/error.hpp"
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
double product(const std::vector<Factor>& factors, double t, double tolerance) {
    double value = 1;
    for (const Factor& factor : factors) value *= factor.at(factor.form() == Factor::Form::steps ? t + tolerance : t);
    return value;
}

/// Points (time, factor) of drive.table, [column hx, hy, hz, jx, jy, jz].
std::array<std::vector<std::pair<double, double>>, 6> read_table(const NamedText& table) {
    const std::string rule = "is no line 'time hx hy hz jx jy jz' of a time and six factors.";
    std::array<std::vector<std::pair<double, double>>, 6> columns;
    for (const Item& line : lines_of(table)) {
        const std::vector<double> numbers = line.reals_from(0, rule);
        if (numbers.size() != 7) line.refuse(rule);
        if (!columns[0].empty() && numbers[0] <= columns[0].back().first)
            line.refuse("must have a later time than the line before.");
        for (std::size_t c = 0; c < columns.size(); ++c) columns[c].emplace_back(numbers[0], numbers[c + 1]);
    }
    if (columns[0].empty()) throw Error(ExitCode::bad_input, "drive.table = " + table.name + " holds no line.");
    return columns;
}

}  // namespace

Factor::Factor(std::vector<std::pair<double, double>> points) : form_(Form::linear), points_(std::move(points)) {}

Factor::Factor(const std::string& key, const std::string& text) {
    const std::string rule =
        "is no factor 'cos mean amplitude frequency phase', 'steps time factor; time factor; ...' "
        "or 'linear time factor; time factor; ...'.";
    std::vector<Item> items = items_of(key, text);
    if (items.empty()) return;
    const std::string form = items[0].words[0];
    if (form != "cos" && form != "steps" && form != "linear") items[0].refuse(rule);
    items[0].words.erase(items[0].words.begin());
    for (const Item& item : items) {
        const std::vector<double> numbers = item.reals_from(0, rule);
        if (numbers.size() != (form == "cos" ? 4U : 2U) || (form == "cos" && items.size() > 1)) item.refuse(rule);
        if (form == "cos")
            mean_ = numbers[0], amplitude_ = numbers[1], frequency_ = numbers[2],
            phase_ = numbers[3] * std::numbers::pi;
        else if (!points_.empty() && numbers[0] <= points_.back().first)
            item.refuse("must have a later time than the point before.");
        else
            points_.emplace_back(numbers[0], numbers[1]);
    }
    form_ = form == "cos" ? Form::cosine : form == "steps" ? Form::steps : Form::linear;
}

double Factor::at(double t) const {
    if (form_ == Form::constant) return 1;
    if (form_ == Form::cosine) return mean_ + amplitude_ * std::cos(frequency_ * t + phase_);
    const auto after = std::ranges::upper_bound(points_, t, {}, &std::pair<double, double>::first);
    if (after == points_.begin()) return form_ == Form::steps ? 1 : points_.front().second;
    const auto before = after - 1;
    if (form_ == Form::steps || after == points_.end()) return before->second;
    return std::lerp(before->second, after->second, (t - before->first) / (after->first - before->first));
}

double Factor::bound() const {
    if (form_ == Form::constant) return 1;
    if (form_ == Form::cosine) return std::abs(mean_) + std::abs(amplitude_);
    double largest = form_ == Form::steps ? 1 : 0;  // 1 before the first step
    for (const auto& [time, value] : points_) largest = std::max(largest, std::abs(value));
    return largest;
}

std::vector<double> Factor::jumps() const {
    std::vector<double> times;
    for (const auto& [time, value] : points_)
        if (form_ == Form::steps) times.push_back(time);
    return times;
}

Drive::Drive(const TrotterConfig& config)
    : hamiltonian_(make_hamiltonian(config)),
      perturbation_(make_perturbation(config, hamiltonian_.spins)),
      reversals_(config.drive.reversals),
      step_(config.step),
      steps_(config.steps),
      echo_(config.echo) {
    read_factors(config);
    check_size();
    read_pulses(config);
    for (const double time : reversals_) step_at(time, step_, "drive.reversals: the time " + number_text(time));
}

void Drive::read_factors(const TrotterConfig& config) {
    const auto append = [&](std::vector<Factor>& to, const std::string& key, const std::string& text) {
        Factor factor(key, text);
        if (factor.form() == Factor::Form::constant) return;
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
    auto columns = read_table(config.drive.table);
    for (std::size_t a = 0; a < 3; ++a) {
        field_[a].emplace_back(std::move(columns[a]));
        coupling_[a].emplace_back(std::move(columns[a + 3]));
    }
}

void Drive::check_size() const {
    const auto check = [](const std::vector<double>& terms, const std::vector<Factor>& factors, const std::string& what,
                          const std::string& keys) {
        double largest = 0;
        for (const double term : terms) largest = std::max(largest, std::abs(term));
        for (const Factor& factor : factors) largest *= factor.bound();
        if (!(largest <= max_term))
            throw Error(ExitCode::bad_input, "The factors in time raise a " + what + " to " + number_text(largest) +
                                                 "; 1e12 is the most that is taken: check " + keys +
                                                 " and drive.table.");
    };
    for (const auto& choice : axis_choices) {
        const std::size_t a = index_of(choice.value);
        const std::string axis = choice.word;
        check(hamiltonian_.axis[a].field, field_[a], "field along " + axis, "drive.fields, drive.h" + axis);
        check(hamiltonian_.axis[a].coupling, coupling_[a], "coupling of " + axis + " components",
              "drive.couplings, drive.j" + axis);
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
    const auto none = [](const std::vector<Factor>& factors) { return factors.empty(); };
    return reversals_.empty() && std::ranges::all_of(field_, none) && std::ranges::all_of(coupling_, none);
}

bool Drive::smooth() const {
    const auto has_kinks = [](const std::vector<Factor>& factors) {
        return std::ranges::find(factors, Factor::Form::linear, &Factor::form) != factors.end();
    };
    return std::ranges::none_of(field_, has_kinks) && std::ranges::none_of(coupling_, has_kinks);
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

}  // namespace strata::trotter
