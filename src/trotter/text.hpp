// SPDX-License-Identifier: BSD-3-Clause
// Axes and times in the texts of a job.
#pragma once

#include <cstdint>
#include <string>

#include "models/text.hpp"
#include "trotter/config.hpp"

namespace strata::trotter {

/// A word of an item as x, y or z. Throws as Item::refuse() does.
Axis axis_of(const Item& item, std::size_t word);

/// With twelve digits at most.
std::string number_text(double value);

/// The step that begins at `time`, a multiple of `step`. Throws Error(bad_input) that begins with `what` and names the
/// nearest multiple.
std::uint64_t step_at(double time, double step, const std::string& what);

}  // namespace strata::trotter
