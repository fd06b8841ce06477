// SPDX-License-Identifier: BSD-3-Clause
// Axes and times in the texts of a job.
#pragma once

#include <cstdint>
#include <string>

#include "models/text.hpp"
#include "trotter/job/config.hpp"

namespace strata::trotter {

/// Axis that a word of an item names: x, y or z. Throws as Item::refuse() does.
Axis axis_of(const Item& item, std::size_t word);

/// Text of a number with at most twelve significant digits.
std::string number_text(double value);

/// Number of the step that begins at `time`, which must be a multiple of `step`. Throws Error(bad_input) that begins
/// with `what` and names the nearest multiple.
std::uint64_t step_at(double time, double step, const std::string& what);

}  // namespace strata::trotter
