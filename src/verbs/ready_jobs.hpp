// SPDX-License-Identifier: BSD-3-Clause
// Files that are installed beside the program: ready jobs, and the script that draws figures.
#pragma once

#include <filesystem>
#include <string>

namespace strata {

/// The folder jobs of an installed program, or of the checkout of one in build/PRESET/src; empty if there is none.
std::filesystem::path jobs_folder();

/// Prints the short job of an application or the ready job of this name; without a name a list of both. Throws
/// Error(bad_input) for other names.
void print_example(const std::string& name);

}  // namespace strata
