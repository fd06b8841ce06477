// SPDX-License-Identifier: BSD-3-Clause
// A time must lie on a boundary between steps, up to rounding.
#include "trotter/job/text.hpp"

#include <cmath>

#include "strata/error.hpp"
#include "strata/formatted.hpp"

namespace strata::trotter {
namespace {

/// Tolerance of the distance of a time from a boundary between steps, in steps.
constexpr double boundary_tolerance = 1e-6;

}  // namespace

Axis axis_of(const Item& item, std::size_t word) {
    for (const auto& choice : axis_choices)
        if (item.words[word] == choice.word) return choice.value;
    item.refuse("has the axis " + item.words[word] + "; it must be x, y or z.");
}

std::string number_text(double value) { return formatted("%.12g", value); }

std::uint64_t step_at(double time, double step, const std::string& what) {
    const double steps = time / step, nearest = std::max(0.0, std::round(steps));
    if (std::abs(steps - nearest) > boundary_tolerance || nearest > 1e15)
        throw Error(ExitCode::bad_input, what + " is no multiple of run.step = " + number_text(step) +
                                             " from time 0 on; the nearest one is " + number_text(nearest * step) +
                                             ".");
    return static_cast<std::uint64_t>(nearest);
}

}  // namespace strata::trotter
