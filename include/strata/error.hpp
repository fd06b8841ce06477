// SPDX-License-Identifier: BSD-3-Clause
// The exception type of all expected failures: one sentence for the user and the exit code of the program.
#pragma once

#include <stdexcept>
#include <string>

namespace strata {

/// Exit codes of the program; all ranks exit with the same one.
enum class ExitCode : int {
    done = 0,          ///< finished, or stopped cleanly (the last line says which)
    bad_input = 2,     ///< the job or the command line is wrong
    does_not_fit = 3,  ///< more memory, disk space or devices are needed than exist
    file = 4,          ///< a file could not be read or written
    numerical = 5,     ///< NaN, a broken bound, no convergence
    internal = 70,     ///< an error of the program
};

/// Thrown with a complete sentence: the subject, its value, the rule, and the nearest valid value.
class Error : public std::runtime_error {
  public:
    Error(ExitCode code, const std::string& sentence) : std::runtime_error(sentence), code_(code) {}
    ExitCode code() const noexcept { return code_; }

  private:
    ExitCode code_;
};

/// Throws Error(bad_input).
[[noreturn]] inline void refuse(const std::string& sentence) { throw Error(ExitCode::bad_input, sentence); }

}  // namespace strata
