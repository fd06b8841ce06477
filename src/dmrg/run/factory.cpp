// SPDX-License-Identifier: BSD-3-Clause
// Construction of the application, and choice of host or device for superblocks. The oracles are explained in
// tests/README.md.
#include "dmrg/run/factory.hpp"

#include <malloc.h>

#include <algorithm>
#include <limits>

#include "dmrg/run/plan.hpp"
#include "dmrg/run/task.hpp"
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
    const auto make_task = task_of(c.task).make;
    if (device == nullptr)
        return make_task(comm, DmrgPlan(c, comm.size(), threads), superblock::host_operators(options));
    const double min_flops = config.text("backend.device") == "cuda" ? least_device_flops : device_flops;
    return make_task(comm, DmrgPlan(c, comm.size(), threads, BackendKind::cuda),
                     superblock::device_operators(options, *device, min_flops));
}

Forecast forecast(const Config& config, const RunLayout& layout, BackendKind backend) {
    const DmrgPlan plan(resolve_config(config), layout.ranks, layout.threads, backend, layout.ranks_per_node);
    MemoryPrediction memory = plan.memory();
    memory.recording = task_of(plan.config().task).recording(plan);
    return {plan.description(),
            std::move(memory),
            [plan] { return plan.traffic(); },
            plan.steps(),
            "bonds",
            backend == BackendKind::cuda ? 0 : plan.seconds_per_step(),
            [plan] { return plan.count_work(); }};
}

/// Errors of a task that begins with the ground state of a run.
std::vector<std::string> ground_state_errors(const Config& stored, const Config& now) {
    const std::string instead = "; run the job with " + now.cite("run.task") + ".";
    if (stored.integer("run.states") > 1)
        return {"run.states = " + std::to_string(stored.integer("run.states")) +
                " is not possible with another run.task, which begins with one state" + instead};
    if (chosen(now, "run.task", task_choices) == Task::thermal) return {};  // has no measurements
    const Model before = resolve_config(stored).model, first = resolve_config(now).evolution.initial_model;
    if (first.complex && !before.complex)
        return {"The stored ground state has real numbers, and what is computed here needs complex ones" + instead};
    if (first.conserved != before.conserved || first.target != before.target)
        return {"The stored ground state is one of conserved numbers that what is computed here changes" + instead};
    return {};
}

std::vector<std::string> validate_measurement(const Config& stored, const Config& now) {
    const Task task = chosen(now, "run.task", task_choices);
    if (std::string other = task_without_ground_state(stored, now); !other.empty()) return {other};
    if (stored.text("run.task") != now.text("run.task")) return ground_state_errors(stored, now);
    if (task == Task::spectrum &&
        !std::ranges::equal(observable_texts(stored).lines, observable_texts(now).lines, {}, &Item::text, &Item::text))
        return {"The definition in [observables] differs from that of the run, whose correlations are those of " +
                now.cite("spectrum.operator") + "; run the job with it."};
    if (task != Task::evolution) return {};
    for (const char* key : {"evolution.operator", "drive.operator"})
        if (std::string changed = changed_definition(stored, now, key); !changed.empty()) return {changed};
    return {};
}

std::vector<std::string> samples() {
    std::vector<std::string> all = {"lattice.extents=4 backend.threads=1"};
    for (const TaskEntry* task : task_rows)
        for (const char* sample : task->samples)
            if (sample != nullptr) all.emplace_back(sample);
    return all;
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
            .validate_measurement = validate_measurement,
            .make = make,
            .forecast = forecast,
            .oracles = oracles,
            .backends = {BackendKind::cpu, BackendKind::cuda},
            .optional_keys = {"backend.simd"},
            .stays_on_cpu = stays_on_cpu,
            .reserve_memory = krylov::reserve_lapack_memory,
            .samples = samples()};
}

}  // namespace strata::dmrg
