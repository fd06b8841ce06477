// SPDX-License-Identifier: BSD-3-Clause
// Makes the application; exact energies are of Lieb and Wu, and of Bethe (tests/README.md).
#include "dmrg/factory.hpp"

#include <malloc.h>

#include <limits>

#include "dmrg/dmrg.hpp"

namespace strata::dmrg {
namespace {

/// Blocks and superblocks are made anew at every bond. Memory that the C library gives back to the system each time, and
/// takes again page by page, costs a tenth of the time.
void keep_freed_memory() {
#if defined(__GLIBC__)
    constexpr int never = std::numeric_limits<int>::max();
    mallopt(M_MMAP_THRESHOLD, never);
    mallopt(M_TRIM_THRESHOLD, never);
#endif
}

}  // namespace

std::string example_job() {
    return "application = dmrg\n"
           "[lattice]\ntype = chain\nextents = 32\n"
           "[model]\ntype = hubbard\nu = 4\n";
}

std::unique_ptr<Application> make(const Communicator& comm, const Config& config, int threads, const DeviceBinding*) {
    keep_freed_memory();
    return std::make_unique<Dmrg>(comm, DmrgPlan(resolve_config(config), comm.size(), threads));
}

Forecast forecast(const Config& config, const RunLayout& layout, BackendKind) {
    const DmrgPlan plan(resolve_config(config), layout.ranks, layout.threads);
    return {plan.description(), plan.memory(), [plan] { return plan.traffic(); },
            plan.steps(),       "bonds",       plan.seconds_per_step()};
}

std::vector<Oracle> oracles() {
    const std::string start = "application = dmrg\n";
    return {
        {"open Hubbard chain of 8 sites, U = 4", start + "[lattice]\nextents = 8\n", "energy", -4.235806999130, 1e-9},
        {"open Heisenberg chain of 16 spins", start + "[lattice]\nextents = 16\n[model]\ntype = heisenberg\n", "energy",
         -6.911737145575, 1e-9}};
}

}  // namespace strata::dmrg
