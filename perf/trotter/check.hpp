// SPDX-License-Identifier: BSD-3-Clause
// Proves that the baselines compute what they are timed for.
#pragma once

namespace strata::perf {

/// Compares the baselines with exponentials of small systems, with each other in all tile shapes, and with recorded
/// values; prints the deviations. Throws Error where one is beyond rounding.
void check_baselines();

}  // namespace strata::perf
