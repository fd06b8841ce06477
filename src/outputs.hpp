// SPDX-License-Identifier: BSD-3-Clause
// The outputs of an application: quantities of the result table, columns of the series, figures of performance and
// arrays of checkpoints, with units and definitions. They are not written down anywhere else: small sample jobs of the
// application run, and what they return is listed.
#pragma once

#include <string>

#include "applications.hpp"
#include "preflight.hpp"

namespace strata {

/// A table of the outputs whose name or meaning contains `word`; a heading gives the keys of the sample that has them
/// first. Throws Error(bad_input) if there are none. Runs on this rank alone.
std::string output_table(const ApplicationEntry& entry, const std::string& word, const Invocation& invocation);

}  // namespace strata
