// SPDX-License-Identifier: BSD-3-Clause
// Texts and tables of factors, their values, and means over parts of steps.
#include "trotter/physics/factor.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "strata/error.hpp"

namespace strata::trotter {
namespace {

/// Change of a factor, relative to its values nearby, that is rounding of the points of a straight line.
constexpr double straight = 1e-14;

/// Positive nodes and weights of the Gauss-Legendre rule of eight points on [-1, 1].
constexpr std::array<std::pair<double, double>, 4> gauss = {{{0.1834346424956498, 0.3626837833783620},
                                                             {0.5255324099163290, 0.3137066458778873},
                                                             {0.7966664774136267, 0.2223810344533745},
                                                             {0.9602898564975363, 0.1012285362903763}}};

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

double Factor::frequency() const { return form_ == Form::cosine && amplitude_ != 0 ? std::abs(frequency_) : 0; }

std::vector<double> Factor::jumps() const {
    std::vector<double> times;
    for (const auto& [time, value] : points_)
        if (form_ == Form::steps) times.push_back(time);
    return times;
}

std::vector<double> Factor::kinks() const {
    std::vector<double> times;
    double slope = 0, width = 0, before = 0;  // of the line that ends at the point
    for (std::size_t i = 0; form_ == Form::linear && i < points_.size(); ++i) {
        const auto& [time, value] = points_[i];
        const bool last = i + 1 == points_.size();
        const double next_width = last ? 0 : points_[i + 1].first - time, after = last ? value : points_[i + 1].second,
                     next = last ? 0 : (after - value) / next_width,
                     scale = std::max({std::abs(before), std::abs(value), std::abs(after)});
        if (std::abs(next - slope) * std::max(width, next_width) > straight * scale) times.push_back(time);
        slope = next, width = next_width, before = value;
    }
    return times;
}

double mean_of_product(const std::vector<Factor>& factors, const StepPart& part, double from, double to) {
    double constant = 1;
    bool varies = false;
    for (const Factor& factor : factors) {
        const bool jumps = factor.form() == Factor::Form::steps || factor.form() == Factor::Form::constant;
        if (jumps) constant *= factor.at(part.inside);
        varies = varies || !jumps;
    }
    if (!varies) return constant;
    const auto product = [&](double x) {
        const double t = part.begin + (from + (to - from) * (1 + x) / 2) * part.length;
        double value = constant;
        for (const Factor& factor : factors)
            if (factor.form() == Factor::Form::cosine || factor.form() == Factor::Form::linear) value *= factor.at(t);
        return value;
    };
    double sum = 0;
    for (const auto& [node, weight] : gauss) sum += weight * (product(-node) + product(node));
    return sum / 2;
}

std::vector<Factor> read_factor_table(const NamedText& table) {
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
    return {std::make_move_iterator(columns.begin()), std::make_move_iterator(columns.end())};
}

}  // namespace strata::trotter
