// SPDX-License-Identifier: BSD-3-Clause
// Texts of factors, their values and power series. A pulse is the real part of amplitude exp(i (frequency x + phase) - x^2 /
// (2 width^2)), an entire function of x = t - centre whose derivative is its product with i frequency - x / width^2. Cauchy's
// estimate on circles about t bounds the terms of its series.
#include "models/drive_factor.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "strata/error.hpp"

namespace strata {
namespace {

using Point = std::pair<double, double>;

/// Changes of points back and forth that count as an oscillation, in units of the largest value.
constexpr double least_swing = 1e-3;

/// Change of a factor, relative to its values nearby, that is rounding of the points of a straight line.
constexpr double straight = 1e-14;

constexpr const char* forms_of_factors =
    "is no factor 'cos mean amplitude frequency phase', 'gauss amplitude frequency phase centre width', 'steps time "
    "factor; time factor; ...' or 'linear time factor; time factor; ...'.";

bool is_form(const std::string& word) {
    return word == "cos" || word == "gauss" || word == "steps" || word == "linear";
}

}  // namespace

DriveFactor::DriveFactor(std::vector<Point> points) : form_(Form::linear), points_(std::move(points)) {}

DriveFactor::DriveFactor(const std::string& key, const std::string& text) { read(items_of(key, text)); }

DriveFactor::DriveFactor(std::vector<Item> items) { read(std::move(items)); }

void DriveFactor::read(std::vector<Item> items) {
    if (items.empty()) return;
    const std::string form = items[0].words[0];
    if (!is_form(form)) items[0].refuse(forms_of_factors);
    items[0].words.erase(items[0].words.begin());
    if (form == "steps" || form == "linear") {
        form_ = form == "steps" ? Form::steps : Form::linear;
        return read_points(items);
    }
    if (items.size() > 1) items[1].refuse(forms_of_factors);
    const std::vector<double> numbers = items[0].reals_from(0, forms_of_factors);
    form_ = form == "cos" ? Form::cosine : Form::gauss;
    if (numbers.size() != (form_ == Form::cosine ? 4U : 5U)) items[0].refuse(forms_of_factors);
    mean_ = form_ == Form::cosine ? numbers[0] : 0;
    const std::size_t first = form_ == Form::cosine ? 1 : 0;
    amplitude_ = numbers[first], frequency_ = numbers[first + 1], phase_ = numbers[first + 2] * std::numbers::pi;
    if (form_ == Form::cosine) return;
    centre_ = numbers[3], width_ = numbers[4];
    if (!(width_ > 0)) items[0].refuse("must have a width above 0 as its last number.");
}

void DriveFactor::read_points(const std::vector<Item>& items) {
    for (const Item& item : items) {
        const std::vector<double> numbers = item.reals_from(0, forms_of_factors);
        if (numbers.size() != 2) item.refuse(forms_of_factors);
        if (!points_.empty() && numbers[0] <= points_.back().first)
            item.refuse("must have a later time than the point before.");
        points_.emplace_back(numbers[0], numbers[1]);
    }
}

double DriveFactor::at(double t) const {
    if (form_ == Form::constant) return 1;
    if (form_ == Form::cosine) return mean_ + amplitude_ * std::cos(frequency_ * t + phase_);
    if (form_ == Form::gauss) {
        const double x = t - centre_, widths = x / width_;
        return amplitude_ * std::cos(frequency_ * x + phase_) * std::exp(-widths * widths / 2);
    }
    const auto after = std::ranges::upper_bound(points_, t, {}, &Point::first);
    if (after == points_.begin()) return form_ == Form::steps ? 1 : points_.front().second;
    const auto before = after - 1;
    if (form_ == Form::steps || after == points_.end()) return before->second;
    return std::lerp(before->second, after->second, (t - before->first) / (after->first - before->first));
}

double DriveFactor::time_rounding(double t) {
    return 8 * std::numeric_limits<double>::epsilon() * (std::abs(t) + 1e-300);
}

double DriveFactor::from(double t) const { return at(form_ == Form::steps ? t + time_rounding(t) : t); }

double DriveFactor::mean(double begin, double end) const {
    if (form_ == Form::constant) return 1;
    if (form_ == Form::steps || form_ == Form::linear) return mean_of_points(begin, end);
    const double length = end - begin, parts = std::max(1.0, std::ceil(frequency() * length / std::numbers::pi));
    double sum = 0;
    for (double part = 0; part < parts; ++part)
        sum += gauss_mean([&](double x) { return at(begin + (part + (1 + x) / 2) * length / parts); });
    return sum / parts;
}

/// Between two points the mean is the value in the middle.
double DriveFactor::mean_of_points(double begin, double end) const {
    double sum = 0, last = begin;
    const auto add_until = [&](double time) {
        sum += (time - last) * at(last + (time - last) / 2);
        last = time;
    };
    for (auto p = std::ranges::upper_bound(points_, begin, {}, &Point::first); p != points_.end() && p->first < end;
         ++p)
        add_until(p->first);
    add_until(end);
    return sum / (end - begin);
}

double DriveFactor::bound(double begin, double end) const {
    if (form_ == Form::constant) return 1;
    double largest = std::max(std::abs(at(begin)), std::abs(at(end)));
    for (const auto& [time, value] : points_)
        if (begin < time && time < end) largest = std::max(largest, std::abs(value));
    if (form_ == Form::gauss) {
        const double nearest = (std::clamp(centre_, begin, end) - centre_) / width_;
        return std::abs(amplitude_) * std::exp(-nearest * nearest / 2);
    }
    const double half_turns[] = {(frequency_ * begin + phase_) / std::numbers::pi,
                                 (frequency_ * end + phase_) / std::numbers::pi};
    const auto [first, last] = std::ranges::minmax(half_turns);
    return form_ == Form::cosine && std::ceil(first) <= last ? bound() : largest;
}

double DriveFactor::bound() const {
    if (form_ == Form::constant) return 1;
    if (form_ == Form::cosine || form_ == Form::gauss) return std::abs(mean_) + std::abs(amplitude_);
    double largest = form_ == Form::steps ? 1 : 0;  // 1 before the first step
    for (const auto& [time, value] : points_) largest = std::max(largest, std::abs(value));
    return largest;
}

double DriveFactor::frequency() const {
    if (amplitude_ == 0) return 0;
    return std::abs(frequency_) + (form_ == Form::gauss ? 3 / width_ : 0);
}

double DriveFactor::fastest() const {
    if (form_ != Form::steps && form_ != Form::linear) return frequency();
    const double counted = least_swing * bound();
    std::vector<Point> turns;  // maxima and minima, one after the other
    Point highest = points_.front(), lowest = points_.front();
    int direction = 0;
    for (const Point& p : points_) {
        if (p.second > highest.second) highest = p;
        if (p.second < lowest.second) lowest = p;
        if (direction >= 0 && p.second < highest.second - counted) {
            turns.push_back(highest);
            direction = -1, lowest = highest = p;
        } else if (direction <= 0 && p.second > lowest.second + counted) {
            turns.push_back(lowest);
            direction = 1, lowest = highest = p;
        }
    }
    double period = INFINITY;
    for (std::size_t n = 2; n < turns.size(); ++n) period = std::min(period, turns[n].first - turns[n - 2].first);
    return 2 * std::numbers::pi / period;
}

std::vector<double> DriveFactor::jumps() const {
    std::vector<double> times;
    for (const auto& [time, value] : points_)
        if (form_ == Form::steps) times.push_back(time);
    return times;
}

std::vector<double> DriveFactor::kinks() const {
    std::vector<double> times;
    double slope = 0, width = 0, before = 0;  // line that ends at the point
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

DriveFactor::Series DriveFactor::series(double t, double length, double inside, std::size_t count) const {
    if (form_ == Form::cosine) return cosine_series(t, length, count);
    if (form_ == Form::gauss) return gauss_series(t, length, count);
    return point_series(t, length, inside, count);
}

double DriveFactor::rate(std::size_t count) const {
    if (amplitude_ == 0) return 0;
    return std::abs(frequency_) + (form_ == Form::gauss ? std::sqrt(static_cast<double>(count)) / width_ : 0);
}

DriveFactor::Series DriveFactor::cosine_series(double t, double length, std::size_t count) const {
    Series s{.terms = std::vector<double>(count)};
    const double turn = frequency_ * length;
    std::complex<double> term = amplitude_ * std::polar(1.0, frequency_ * t + phase_);
    for (std::size_t j = 0; j < count; ++j) {
        s.terms[j] = term.real();
        term *= std::complex<double>(0, turn / static_cast<double>(j + 1));
    }
    s.terms[0] += mean_;
    s.rest = std::abs(term);
    return s;
}

DriveFactor::Series DriveFactor::gauss_series(double t, double length, std::size_t count) const {
    Series s{.terms = std::vector<double>(count)};
    const double x = (t - centre_) / width_, h = length / width_, turn = frequency_ * length;
    std::complex<double> before = 0,
                         term = amplitude_ * std::polar(std::exp(-x * x / 2), frequency_ * (t - centre_) + phase_);
    for (std::size_t j = 0; j < count; ++j) {
        s.terms[j] = term.real();
        const std::complex<double> next =
            (std::complex<double>(-x * h, turn) * term - h * h * before) / static_cast<double>(j + 1);
        before = std::exchange(term, next);
    }
    s.rest = INFINITY;
    for (const double ratio : {1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 64.0}) {
        // on the circle of radius r about x the real part of z^2 is at least `least`
        const double r = ratio * h,
                     least = std::abs(x) < 2 * r ? x * x / 2 - r * r : (std::abs(x) - r) * (std::abs(x) - r);
        const double logarithm = std::abs(turn) * ratio - least / 2 - static_cast<double>(count) * std::log(ratio);
        s.rest = std::min(s.rest, std::abs(amplitude_) * std::exp(logarithm) * ratio / (ratio - 1));
    }
    return s;
}

DriveFactor::Series DriveFactor::point_series(double t, double length, double inside, std::size_t count) const {
    Series s{.terms = std::vector<double>(count)};
    s.terms[0] = at(inside);
    const auto after = std::ranges::upper_bound(points_, inside, {}, &Point::first);
    if (form_ != Form::linear || after == points_.begin() || after == points_.end()) return s;
    const auto before = after - 1;
    const double slope = (after->second - before->second) / (after->first - before->first);
    s.terms[0] = before->second + slope * (t - before->first);
    s.terms[1] = slope * length;
    return s;
}

std::vector<DriveFactor> read_drive_factors(const std::string& key, const std::string& text) {
    std::vector<std::vector<Item>> groups;
    for (Item& item : items_of(key, text)) {
        const bool begins = std::isalpha(static_cast<unsigned char>(item.words[0][0])) != 0;
        if (groups.empty() || begins) groups.emplace_back();
        groups.back().push_back(std::move(item));
    }
    std::vector<DriveFactor> factors;
    for (std::vector<Item>& items : groups) factors.emplace_back(std::move(items));
    return factors;
}

}  // namespace strata
