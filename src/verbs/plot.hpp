// SPDX-License-Identifier: BSD-3-Clause
// The verb plot: figures are drawn by a Python script that is installed with the program.
#pragma once

namespace strata {

/// True if the first word of the command line is plot. The words that follow are those of the script.
bool is_plot(int argc, const char* const* argv);

/// Replaces this process by the script, with the words after plot. Returns an exit code only if that is impossible.
int plot(char** argv);

}  // namespace strata
