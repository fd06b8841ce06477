// SPDX-License-Identifier: BSD-3-Clause
// The rows of the toy program: in the place of src/applications.cpp, to whose rows an application adds one like this.
#include "applications.hpp"

#include "chain/run/chain.hpp"

namespace strata {

std::vector<ApplicationEntry> application_rows() {
    return {{"chain",
             "the Ising ring by the heat bath",
             chain::example_job(),
             chain::keys,
             chain::validate,
             chain::validate_resume,
             chain::make,
             chain::forecast,
             chain::oracles,
             {BackendKind::cpu}}};
}

}  // namespace strata
