// SPDX-License-Identifier: BSD-3-Clause
// The engine of this program, as used by the Trotter benchmark.
#pragma once

#include <functional>

#include "problem.hpp"

namespace strata::perf {

enum class EnginePrecision { double_, single };

/// A function that does one merged second-order step of a problem on `threads` threads with the default plan, from any
/// state; it owns the state. Empty where the program has no engine.
std::function<void()> make_engine_step(const SpinProblem& problem, EnginePrecision precision, int threads);

}  // namespace strata::perf
