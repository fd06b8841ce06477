// SPDX-License-Identifier: BSD-3-Clause
// The one place that chooses host or device, and double or single precision, for the operators of a task.
#include "lanczos/run/factory.hpp"

#include <optional>

#include "krylov/tridiagonal.hpp"
#include "lanczos/physics/observables.hpp"
#include "lanczos/physics/symmetries.hpp"
#include "lanczos/run/sector_list.hpp"
#include "lanczos/run/task.hpp"
#include "lanczos/run/validation.hpp"
#include "lanczos/run/work.hpp"
#include "lanczos/state/device_hamiltonian.hpp"
#include "lanczos/state/host_hamiltonian.hpp"

namespace strata::lanczos {
namespace {

/// Seconds per real number of the vector and hop of its row on an H100 (perf/results/gpu-h100.md): 3 ps for the ring of
/// 18, 7 to 10 for one component.
constexpr double device_hop_seconds = 4e-12;

}  // namespace

MakeHamiltonian hamiltonian_maker(const Communicator& comm, const DeviceBinding* device) {
    return [&comm, device = device == nullptr ? std::nullopt : std::optional(*device)](
               const LanczosPlan& plan, Timers& timers) -> std::unique_ptr<HamiltonianOperator> {
        const bool single = plan.config().precision == Precision::single;
        if (device && single) return std::make_unique<DeviceHamiltonian<float>>(comm, plan, *device, timers);
        if (device) return std::make_unique<DeviceHamiltonian<double>>(comm, plan, *device, timers);
        if (single) return std::make_unique<HostHamiltonian<float>>(comm, plan, timers);
        return std::make_unique<HostHamiltonian<double>>(comm, plan, timers);
    };
}

namespace {

std::string stays_on_cpu(const Config& config, int) {
    const LanczosConfig resolved = resolve_config(config);
    if (resolved.hops == Hops::computed) return "hops that are computed in every step are those of the CPU";
    return resolved.certified ? "products in double precision of vectors in single precision are those of the CPU"
                              : beyond_devices(resolved, make_model(resolved));
}

std::unique_ptr<Application> make(const Communicator& comm, const Config& config, int threads,
                                  const DeviceBinding* device) {
    const LanczosConfig resolved = after_operator(resolve_config(config));
    const MakeHamiltonian hamiltonian = hamiltonian_maker(comm, device);
    const TaskEntry& task = task_of(resolved);
    if (resolved.in_sequence()) return task.make_sequence(resolved, comm.size(), comm.rank(), threads, hamiltonian);
    return task.make(LanczosPlan(resolved, comm.size(), comm.rank(), threads), hamiltonian);
}

Forecast forecast(const Config& config, const RunLayout& layout, BackendKind backend) {
    const LanczosConfig resolved = after_operator(resolve_config(config));
    std::optional<SectorList> several;
    if (resolved.in_sequence()) several.emplace(resolved);
    const LanczosPlan plan = several ? several->largest_plan(layout.ranks, 0, layout.threads)
                                     : LanczosPlan(resolved, layout.ranks, 0, layout.threads);
    const double mean_cost = several ? several->mean_cost(task_of(resolved).cost_power) : 1;
    const double on_device = plan.counts().nonzeros() * plan.reals() * device_hop_seconds / layout.ranks +
                             (task_of(resolved).cost_power > 1 ? task_of(resolved).size(plan, 0).work.seconds : 0);
    const double seconds = mean_cost * (backend == BackendKind::cuda ? on_device : seconds_on_cores(plan));
    const std::uint64_t sectors = several ? several->size() : 0;
    const StepCounts steps = step_counts(plan, sectors, resolved.symmetry.momenta);
    MemoryPrediction memory = largest_memory(plan, backend, layout.ranks_per_node, sectors);
    memory.recording = task_of(resolved).size(plan, sectors).recording;
    std::vector<std::string> lines = plan.description();
    if (several) lines.push_back(several->line());
    if (const std::string symmetries = possible_symmetries(
            plan.model(), !resolved.all_numbers && resolved.half_filled(plan.model().lattice.sites));
        !symmetries.empty() && !resolved.symmetry.any()) {
        lines.push_back(symmetries);
        memory.advice = symmetries + ".";
    }
    if (const auto& sector = plan.counts().symmetric();
        sector && sector->one_component && !sector->computes_hops && plan.model().statistics() != Statistics::fermions)
        memory.advice = "backend.hops = computed needs no tables of hops.";
    if (steps.usually < steps.most)
        lines.push_back("at most " + std::to_string(steps.most) + " steps; such jobs usually take about " +
                        std::to_string(steps.usually));
    return {
        std::move(lines), std::move(memory), [plan, backend] { return plan.traffic(backend); },        steps.usually,
        "steps",          seconds,           [plan, mean_cost] { return count_work(plan, mean_cost); }};
}

std::vector<std::string> samples() {
    std::vector<std::string> all = {"lattice.extents=6 sector.up=3 sector.down=3"};
    for (const TaskEntry* task : tasks)
        for (const char* sample : task->samples)
            if (sample != nullptr) all.emplace_back(sample);
    all.emplace_back("backend.precision=certified");
    all.emplace_back("model.type=heisenberg model.u= sector.up= sector.down=");
    return all;
}

std::vector<Oracle> oracles() {
    const auto ring = [](const char* sites, const char* up, const char* down, const char* u) {
        return std::string("application = lanczos\n[lattice]\ntype = ring\nextents = ") + sites +
               "\n[model]\nu = " + u + "\n[sector]\nup = " + up + "\ndown = " + down + "\n";
    };
    const auto one = [](const std::string& type, const std::string& extents, const std::string& model,
                        const std::string& up) {
        return "application = lanczos\n[lattice]\ntype = " + type + "\nextents = " + extents + "\n[model]\n" + model +
               (up.empty() ? "" : "\n[sector]\nup = " + up) + "\n";
    };
    // Lieb and Wu's solution
    return {
        {"ring of 10, U = 4", ring("10", "5", "5", "4"), "energy", -5.834322635773, 1e-11},
        {"ring of 10, 3 + 3, U = 8", ring("10", "3", "3", "8"), "energy", -7.448517346073, 1e-11},
        {"ring of 12, U = 4", ring("12", "6", "6", "4"), "energy", -6.920353562419, 1e-11},
        // exact diagonalization in numpy; the sum of the lowest levels
        {"spinless ring of 12, V = 2", one("ring", "12", "type = fermions\nv = 2", "6"), "energy", -4.543710125427,
         1e-11},
        {"Heisenberg, 4 x 4", one("square", "4,4", "type = heisenberg", ""), "energy", -11.228483208429, 1e-11},
        {"flat band of 18 sites", one("checkerboard", "3,3", "type = fermions", "5"), "energy", -13.429553284238,
         1e-11},
    };
}

}  // namespace

ApplicationEntry entry() {
    return {.name = "lanczos",
            .title =
                "exact diagonalization of lattice fermions and spins: states, levels, spectra, thermal averages, time "
                "evolution",
            .example =
                "application = lanczos\n"
                "[lattice]\ntype = ring\nextents = 12\n"
                "[model]\nu = 4\n"
                "[sector]\nup = 6\ndown = 6\n",
            .keys = keys,
            .validate = validate,
            .validate_measurement = validate_measurement,
            .make = make,
            .forecast = forecast,
            .oracles = oracles,
            .backends = {BackendKind::cpu, BackendKind::cuda},
            .optional_keys = {"backend.simd"},
            .stays_on_cpu = stays_on_cpu,
            .reserve_memory = [](int) { krylov::reserve_lapack_memory(1); },
            .samples = samples()};
}

}  // namespace strata::lanczos
