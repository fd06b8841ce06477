// SPDX-License-Identifier: BSD-3-Clause
// Dimensionless factors f(t) of fields and couplings. Between its jumps and kinks a factor is analytic, so that the mean
// of a product of factors over a part of a step follows from a Gauss-Legendre rule to rounding.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/text.hpp"

namespace strata::trotter {

class Factor {
  public:
    enum class Form { constant, cosine, steps, linear };
    /// Reads "" (f = 1), "cos a b w phi" (a + b cos(w t + phi), phi in units of pi), "steps t f; t f; ..." (f from time
    /// t on, 1 before the first) or "linear t f; t f; ..." (interpolated, constant outside). Throws Error(bad_input)
    /// that begins with `key`.
    Factor(const std::string& key, const std::string& text);
    /// Interpolates between points (time, value) in the order of time.
    explicit Factor(std::vector<std::pair<double, double>> points);

    double at(double t) const;
    /// Upper bound of |f(t)| over all times.
    double bound() const;
    Form form() const { return form_; }
    /// Angular frequency with which the factor oscillates; 0 for all forms but cosines.
    double frequency() const;
    /// Times at which the factor jumps.
    std::vector<double> jumps() const;
    /// Times at which its slope changes, by more than rounding.
    std::vector<double> kinks() const;

  private:
    Form form_ = Form::constant;
    double mean_ = 1, amplitude_ = 0, frequency_ = 0, phase_ = 0;
    std::vector<std::pair<double, double>> points_;  ///< (time, value), ascending in time
};

/// Part of a time step of the forward evolution, inside of which no factor has a jump or a kink.
struct StepPart {
    double begin = 0, length = 0;
    double inside = 0;  ///< the middle of the step: factors that jump between steps have their value there
};

/// Mean of the product of factors from begin + from * length to begin + to * length of a part. The rule of eight points
/// has a relative error of 3e-15 where the frequencies of all cosines together turn by pi.
double mean_of_product(const std::vector<Factor>& factors, const StepPart& part, double from, double to);

/// The six columns hx, hy, hz, jx, jy, jz of drive.table as points (time, factor). Throws Error(bad_input) that names
/// the line.
std::vector<Factor> read_factor_table(const NamedText& table);

}  // namespace strata::trotter
