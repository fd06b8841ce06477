// SPDX-License-Identifier: BSD-3-Clause
// The only file of the benchmark that knows the application.
#include "engine.hpp"

namespace strata::perf {

std::function<void()> make_engine_step(const SpinProblem& /*problem*/, EnginePrecision /*precision*/, int /*threads*/) {
    return {};
}

}  // namespace strata::perf
