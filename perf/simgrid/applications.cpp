// SPDX-License-Identifier: BSD-3-Clause
// The applications that run on simulated ranks, in the place of src/applications.cpp: those that need no HDF5.
#include "applications.hpp"

#include "lanczos/run/factory.hpp"
#include "lanczos/run/validation.hpp"
#include "swendsen_wang/run/factory.hpp"
#include "trotter/run/factory.hpp"
#include "trotter/run/validation.hpp"

namespace strata {

std::vector<ApplicationEntry> application_rows() {
    ApplicationEntry ising, hubbard, spins;
    ising.name = "swendsen-wang";
    ising.keys = swendsen_wang::keys;
    ising.validate = swendsen_wang::validate;
    ising.make = swendsen_wang::make;
    ising.optional_keys = {"backend.simd", "scan.start"};
    hubbard.name = "lanczos";
    hubbard.keys = lanczos::keys;
    hubbard.validate = lanczos::validate;
    hubbard.make = lanczos::make;
    hubbard.optional_keys = {"backend.simd", "backend.precision"};
    spins.name = "trotter";
    spins.keys = trotter::keys;
    spins.validate = trotter::validate;
    spins.make = trotter::make;
    spins.optional_keys = hubbard.optional_keys;
    return {ising, hubbard, spins};
}

}  // namespace strata
