// SPDX-License-Identifier: BSD-3-Clause
#include "lanczos/factory.hpp"

#include "lanczos/lanczos.hpp"
#include "lanczos/lowest_states.hpp"

namespace strata::lanczos {
namespace {

/// Seconds per real number of the vector and hop of its row, on one core: 40 ms for the ring of 14 (perf/results).
constexpr double hop_seconds = 0.22e-9;

}  // namespace

std::string example_job() {
    return "application = lanczos\n"
           "[lattice]\ntype = ring\nextents = 12\n"
           "[model]\nu = 4\n"
           "[sector]\nup = 6\ndown = 6\n";
}

std::unique_ptr<Application> make(const Communicator& comm, const Config& config, int threads, const DeviceBinding*) {
    LanczosPlan plan(resolve_config(config), comm.size(), comm.rank(), threads);
    if (plan.config().states > 1 || plan.config().block > 1) return std::make_unique<LowestStates>(comm, std::move(plan));
    return std::make_unique<Lanczos>(comm, std::move(plan));
}

Forecast forecast(const Config& config, int ranks, int threads, BackendKind) {
    const LanczosPlan plan(resolve_config(config), ranks, 0, threads);
    const double reals = plan.arithmetic() == Arithmetic::complex ? 2 : 1;
    const std::uint64_t steps = plan.config().max_steps;
    return {plan.description(),
            plan.memory(1),
            plan.traffic(),
            plan.config().vectors ? 2 * steps + 1 : steps,
            "steps",
            plan.sector().nonzeros() * reals * hop_seconds / (plan.threads() * ranks)};
}

std::vector<Oracle> oracles() {
    const auto ring = [](const char* sites, const char* up, const char* down, const char* u) {
        return std::string("application = lanczos\n[lattice]\ntype = ring\nextents = ") + sites +
               "\n[model]\nu = " + u + "\n[sector]\nup = " + up + "\ndown = " + down + "\n";
    };
    // Lieb and Wu's solution
    return {
        {"ring of 10, U = 4", ring("10", "5", "5", "4"), "energy", -5.834322635773, 1e-11},
        {"ring of 10, 3 + 3, U = 8", ring("10", "3", "3", "8"), "energy", -7.448517346073, 1e-11},
        {"ring of 12, U = 4", ring("12", "6", "6", "4"), "energy", -6.920353562419, 1e-11},
    };
}

}  // namespace strata::lanczos
