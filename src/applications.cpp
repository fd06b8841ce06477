// SPDX-License-Identifier: BSD-3-Clause
// The table of applications, one row each: the only shared source that names them.
#include "applications.hpp"

#include "dmrg/run/factory.hpp"
#include "kronecker/run/factory.hpp"
#include "lanczos/run/factory.hpp"
#include "lanczos/run/validation.hpp"
#include "swendsen_wang/run/factory.hpp"
#include "trotter/run/factory.hpp"
#include "trotter/run/validation.hpp"

namespace strata {

std::vector<ApplicationEntry> application_rows() {
    return {
        {"swendsen-wang",
         "Monte Carlo of Ising and Potts models on square and cubic lattices, by clusters or single spins",
         swendsen_wang::example_job(),
         swendsen_wang::keys,
         swendsen_wang::validate,
         nullptr,
         swendsen_wang::make,
         swendsen_wang::forecast,
         swendsen_wang::oracles,
         {BackendKind::cpu, BackendKind::cuda},
         {"backend.simd", "scan.start"},
         nullptr,
         nullptr,
         swendsen_wang::samples},
        {"lanczos",
         "exact diagonalization of lattice fermions and spins: states, spectra, temperatures, motion",
         lanczos::example_job(),
         lanczos::keys,
         lanczos::validate,
         lanczos::validate_resume,
         lanczos::make,
         lanczos::forecast,
         lanczos::oracles,
         {BackendKind::cpu, BackendKind::cuda},
         {"backend.simd", "backend.precision"},
         nullptr,
         nullptr,
         lanczos::samples},
        {"kronecker",
         "multiplication by sums of Kronecker products, as in a density-matrix renormalization; its lowest states",
         kronecker::example_job(),
         kronecker::keys,
         kronecker::validate,
         kronecker::validate_resume,
         kronecker::make,
         kronecker::forecast,
         kronecker::oracles,
         {BackendKind::cpu, BackendKind::cuda},
         {"backend.simd", "backend.precision"},
         nullptr,
         kronecker::stays_on_cpu,
         kronecker::samples},
        {"dmrg",
         "ground states of chains and ladders by density-matrix renormalization",
         dmrg::example_job(),
         dmrg::keys,
         dmrg::validate,
         nullptr,
         dmrg::make,
         dmrg::forecast,
         dmrg::oracles,
         {BackendKind::cpu, BackendKind::cuda},
         {"backend.simd"},
         nullptr,
         dmrg::stays_on_cpu,
         dmrg::samples},
        {"trotter",
         "real-time dynamics of spins 1/2 by Trotter-Suzuki splitting",
         trotter::example_job(),
         trotter::keys,
         trotter::validate,
         trotter::validate_resume,
         trotter::make,
         trotter::forecast,
         trotter::oracles,
         {BackendKind::cpu, BackendKind::cuda},
         {"backend.simd", "backend.precision"},
         trotter::next_ranks,
         nullptr,
         trotter::samples},
    };
}

}  // namespace strata
