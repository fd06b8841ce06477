// SPDX-License-Identifier: BSD-3-Clause
// The applications that run on simulated ranks, in the place of src/applications.cpp: those that need no HDF5.
#include "study/registry.hpp"

#include "lanczos/run/factory.hpp"
#include "swendsen_wang/run/factory.hpp"
#include "trotter/run/factory.hpp"

namespace strata {

std::vector<ApplicationEntry> application_rows() {
    return {swendsen_wang::entry(), lanczos::entry(), trotter::entry()};
}

}  // namespace strata
