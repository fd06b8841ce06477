// SPDX-License-Identifier: BSD-3-Clause
// The rows of the toy program: in the place of src/applications.cpp, to whose rows an application adds one like this.
#include "study/registry.hpp"

#include "chain/run/chain.hpp"

namespace strata {

std::vector<ApplicationEntry> application_rows() { return {chain::entry()}; }

}  // namespace strata
