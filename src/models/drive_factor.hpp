// SPDX-License-Identifier: BSD-3-Clause
// Dimensionless factors f(t) of terms of H that a drive multiplies, of the same forms in every application. Between its
// jumps and kinks a factor is analytic: means over parts of a step follow from quadrature, and power series have rigorous
// bounds of what they omit.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "models/text.hpp"

namespace strata {

/// The forms of a factor, for the meanings of keys.
inline constexpr const char* factor_forms =
    "'cos mean amplitude frequency phase' is mean + amplitude cos(frequency t + phase), phase in units of pi; "
    "'gauss amplitude frequency phase centre width' is amplitude cos(frequency (t - centre) + phase) exp(-(t - "
    "centre)^2 / (2 width^2)); 'steps t f; t f; ...' is f from time t on and 1 before; 'linear t f; t f; ...' goes "
    "straight from point to point and is constant outside of them";

/// Mean of f(x) over -1 <= x <= 1 by the Gauss-Legendre rule of eight points, whose relative error is 3e-15 for a cosine that
/// turns by pi.
template <class F>
double gauss_mean(F f) {
    constexpr std::array<std::pair<double, double>, 4> rule = {{{0.1834346424956498, 0.3626837833783620},
                                                                {0.5255324099163290, 0.3137066458778873},
                                                                {0.7966664774136267, 0.2223810344533745},
                                                                {0.9602898564975363, 0.1012285362903763}}};
    double sum = 0;
    for (const auto& [node, weight] : rule) sum += weight * (f(-node) + f(node));
    return sum / 2;
}

class DriveFactor {
  public:
    enum class Form { constant, cosine, gauss, steps, linear };
    /// Reads "" (f = 1) or one of the forms above. Throws Error(bad_input) that begins with `key`.
    DriveFactor(const std::string& key, const std::string& text);
    explicit DriveFactor(std::vector<Item> items);
    /// Interpolates between points (time, value) in the order of time.
    explicit DriveFactor(std::vector<std::pair<double, double>> points);

    double at(double t) const;
    /// f at a time and right after it: at a jump the value behind the jump.
    double from(double t) const;
    /// Mean over the times from `begin` to `end`, to rounding.
    double mean(double begin, double end) const;
    /// Upper bound of |f(t)| over all times.
    double bound() const;
    /// Upper bound of |f(t)| from `begin` to `end`.
    double bound(double begin, double end) const;
    Form form() const { return form_; }
    /// Whether the factor changes between its jumps.
    bool varies() const { return form_ == Form::cosine || form_ == Form::gauss || form_ == Form::linear; }
    /// Angular frequency with which the factor oscillates, of pulses and 3 / width more; 0 for other forms.
    double frequency() const;
    /// The same, and of points the angular frequency of their fastest oscillation: 2 pi over the shortest time from one
    /// maximum to the next, or from one minimum to the next. Changes back and forth below a thousandth of bound() do not count.
    double fastest() const;
    /// Times at which the factor jumps.
    std::vector<double> jumps() const;
    /// Times at which its slope changes, by more than rounding.
    std::vector<double> kinks() const;

    /// f(t + s length) = sum_j terms[j] s^j for 0 <= s <= 1, within rest s^terms.size().
    struct Series {
        std::vector<double> terms;
        double rest = 0;
    };
    /// The first `count` terms. The time `inside` lies in the same interval without jumps and kinks as all of these times.
    Series series(double t, double length, double inside, std::size_t count) const;
    /// Difference by which sums of many steps differ from a time.
    static double time_rounding(double t);
    /// Rate such that terms of a series fall where `length` times it is below their number.
    double rate(std::size_t count) const;

  private:
    void read(std::vector<Item> items);
    void read_points(const std::vector<Item>& items);
    Series cosine_series(double t, double length, std::size_t count) const;
    Series gauss_series(double t, double length, std::size_t count) const;
    Series point_series(double t, double length, double inside, std::size_t count) const;
    double mean_of_points(double begin, double end) const;

    Form form_ = Form::constant;
    double mean_ = 1, amplitude_ = 0, frequency_ = 0, phase_ = 0, centre_ = 0, width_ = 1;
    std::vector<std::pair<double, double>> points_;  ///< (time, value), ascending in time
};

/// The factors of a text in which one follows the other, separated by semicolons as the points of a factor are. Throws
/// Error(bad_input) that begins with `key`.
std::vector<DriveFactor> read_drive_factors(const std::string& key, const std::string& text);

}  // namespace strata
