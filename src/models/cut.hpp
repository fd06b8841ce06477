// SPDX-License-Identifier: BSD-3-Clause
// The text of run.cut: the sites on one side of a cut, whose entanglement with all others is measured.
#pragma once

#include <string>
#include <vector>

namespace strata {

/// The sites of "first n" or of a list such as "0,3,4" or, if they are fewer, all others; ascending. `what`: site or
/// spin. Throws Error(bad_input) for other texts, for sites that there are not, and for a side without sites.
std::vector<int> smaller_side(const std::string& text, int sites, const std::string& what);
/// The numbers below `sites` that are not among these ascending ones.
std::vector<int> other_side(const std::vector<int>& chosen, int sites);

}  // namespace strata
