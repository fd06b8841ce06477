// SPDX-License-Identifier: BSD-3-Clause
// The verbs plot, fit and scale: Python scripts that are installed with the program.
#pragma once

namespace strata {

/// True if the first word of the command line is the verb of a script. The words that follow are those of the script.
bool is_script(int argc, const char* const* argv);

/// Replaces this process by the script, with the words after its verb. The script finds this program in STRATA_PROGRAM.
/// Returns an exit code only if that is impossible.
int run_script(char** argv);

}  // namespace strata
