// SPDX-License-Identifier: BSD-3-Clause
// The only exception type that reaches main: one sentence for the user and the exit code it stands for.
#pragma once

#include <stdexcept>
#include <string>

namespace strata {

/// Exit codes of the program; all ranks leave with the same one.
enum class ExitCode : int {
    done = 0,          ///< finished, or stopped cleanly (the last line says which)
    bad_input = 2,     ///< the job or the command line is at error
    does_not_fit = 3,  ///< more memory, disk or devices needed than there are
    file = 4,          ///< a file could not be read or written
    numerical = 5,     ///< NaN, a broken bound, no convergence
    internal = 70,     ///< a error of the program
};

/// Thrown with a complete sentence: what, which value, which rule, and the nearest valid thing.
class Error : public std::runtime_error {
  public:
    Error(ExitCode code, const std::string& sentence) : std::runtime_error(sentence), code_(code) {}
    ExitCode code() const noexcept { return code_; }

  private:
    ExitCode code_;
};

}  // namespace strata
