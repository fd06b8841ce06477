// SPDX-License-Identifier: BSD-3-Clause
// The table of applications, one row each: the only shared source that names them.
#include "study/registry.hpp"

#include "dmrg/run/factory.hpp"
#include "kronecker/run/factory.hpp"
#include "lanczos/run/factory.hpp"
#include "swendsen_wang/run/factory.hpp"
#include "trotter/run/factory.hpp"

namespace strata {

std::vector<ApplicationEntry> application_rows() {
    return {swendsen_wang::entry(), lanczos::entry(), kronecker::entry(), dmrg::entry(), trotter::entry()};
}

}  // namespace strata
