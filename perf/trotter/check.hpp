// SPDX-License-Identifier: BSD-3-Clause
// Check that the baselines compute what they are timed for.
#pragma once

namespace strata::perf {

/// Compares the baselines with exponentials of small systems, with each other in all tile shapes, and with recorded
/// values; prints the deviations. Throws Error if one exceeds rounding.
void check_baselines();

}  // namespace strata::perf
