// SPDX-License-Identifier: BSD-3-Clause
// Construction of the application, and choice of host or device for superblocks. The oracles are explained in
// tests/README.md.
#include "dmrg/run/factory.hpp"

#include <malloc.h>

#include <limits>

#include "dmrg/run/dmrg.hpp"
#include "dmrg/run/evolution.hpp"
#include "dmrg/run/thermal.hpp"
#include "krylov/tridiagonal.hpp"
#include "strata/buffer.hpp"
#include "strata/formatted.hpp"

namespace strata::dmrg {
namespace {

/// Makes the C library keep freed memory of small arrays. Blocks and superblocks are allocated anew at every bond;
/// returning all their memory to the system and mapping it again page by page costs a tenth of the time. Arrays of
/// several huge pages are mapped alone, which costs about a hundredth, because among the smaller ones a place with
/// their alignment is seldom free again: the memory of one job varied from start to start by a factor of 2.
void keep_freed_memory() {
#if defined(__GLIBC__)
    mallopt(M_MMAP_THRESHOLD, 2 * static_cast<int>(Memory<Cpu>::huge_page));
    mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

/// Operations of a product below which a device is expected to be slower than a node (kronecker/factory.cpp). They are
/// counted over all ranks, so that the choice does not depend on the number of ranks.
constexpr double device_flops = 1e8;
/// The same bound if a device is requested explicitly: it excludes only the small superblocks that are solved
/// completely in many small products.
constexpr double least_device_flops = 1e6;

std::string stays_on_cpu(const Config& config, int) {
    const DmrgPlan plan(resolve_config(config), 1, 1);
    if (plan.flops_per_product() >= device_flops) return {};
    return formatted(
        "a product at the largest M has only about %.2g GFLOP, and a device needs %.2g or more to be of use; "
        "backend.device=cuda takes one all the same",
        1e-9 * plan.flops_per_product(), 1e-9 * device_flops);
}

std::unique_ptr<Application> make(const Communicator& comm, const Config& config, int threads,
                                  const DeviceBinding* device) {
    keep_freed_memory();
    const DmrgConfig c = resolve_config(config);
    const superblock::HostOptions options = {.simd = c.simd, .seed = c.seed};
    const auto with = [&](const DmrgPlan& plan,
                          const superblock::MakeOperator& operators) -> std::unique_ptr<Application> {
        if (c.task == Task::evolution) return std::make_unique<Evolution>(comm, plan, operators);
        if (c.task == Task::thermal) return std::make_unique<Thermal>(comm, plan, operators);
        return std::make_unique<Dmrg>(comm, plan, operators);
    };
    if (device == nullptr) return with(DmrgPlan(c, comm.size(), threads), superblock::host_operators(options));
    const double min_flops = config.text("backend.device") == "cuda" ? least_device_flops : device_flops;
    return with(DmrgPlan(c, comm.size(), threads, BackendKind::cuda),
                superblock::device_operators(options, *device, min_flops));
}

Forecast forecast(const Config& config, const RunLayout& layout, BackendKind backend) {
    const DmrgPlan plan(resolve_config(config), layout.ranks, layout.threads, backend, layout.ranks_per_node);
    MemoryPrediction memory = plan.memory();
    const std::uint64_t half_sweeps = plan.steps() / (static_cast<std::uint64_t>(plan.config().model.sites) - 1);
    memory.recording = {.rows = half_sweeps, .columns = 7, .key = "run.max-sweeps", .value = half_sweeps / 2};
    const DmrgConfig& c = plan.config();
    if (c.task == Task::evolution)
        memory.recording = {.rows = c.evolution.steps + 1,
                            .columns = Evolution::columns_of(c).size(),
                            .key = "evolution.steps",
                            .value = c.evolution.steps};
    if (c.task == Task::thermal)
        memory.recording = {.rows = c.thermal.temperatures.size(),
                            .columns = Thermal::columns_of(c).size(),
                            .key = "thermal.temperatures",
                            .value = c.thermal.temperatures.size()};
    return {plan.description(),
            std::move(memory),
            [plan] { return plan.traffic(); },
            plan.steps(),
            "bonds",
            backend == BackendKind::cuda ? 0 : plan.seconds_per_step(),
            [plan] { return plan.count_work(); }};
}

std::vector<Oracle> oracles() {
    const std::string start = "application = dmrg\n";
    return {{"open Hubbard chain of 8 sites, U = 4", start + "[lattice]\nextents = 8\n[model]\nu = 4\n", "energy",
             -4.235806999130, 1e-9},
            {"open Heisenberg chain of 16 spins", start + "[lattice]\nextents = 16\n[model]\ntype = heisenberg\n",
             "energy", -6.911737145575, 1e-9}};
}

}  // namespace

ApplicationEntry entry() {
    return {.name = "dmrg",
            .title = "ground states and time evolution of chains and ladders by matrix product states (DMRG)",
            .example =
                "application = dmrg\n"
                "[lattice]\ntype = chain\nextents = 32\n"
                "[model]\ntype = hubbard\nu = 4\n",
            .keys = keys,
            .validate = validate,
            .validate_resume = validate_resume,
            .make = make,
            .forecast = forecast,
            .oracles = oracles,
            .backends = {BackendKind::cpu, BackendKind::cuda},
            .optional_keys = {"backend.simd"},
            .stays_on_cpu = stays_on_cpu,
            .reserve_memory = krylov::reserve_lapack_memory,
            .samples = {"lattice.extents=4 backend.threads=1", "run.measure=correlations", "run.states=2",
                        "run.task=evolution evolution.up=0,2 evolution.down=1,3 evolution.steps=2",
                        "run.task=thermal thermal.temperatures=1,2 thermal.step=0.25",
                        "run.task=evolution evolution.start=ground-state initial-model.u=2 evolution.steps=2"}};
}

}  // namespace strata::dmrg
