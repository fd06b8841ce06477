// SPDX-License-Identifier: BSD-3-Clause
// Only this file chooses between host and device states and their precision. The oracles are values of the splitting
// itself, computed with dense exponentials of H_x, H_y and H_z.
#include "trotter/run/factory.hpp"

#include "comm/collectives.hpp"
#include "kernels/instruction_sets.hpp"
#include "krylov/tridiagonal.hpp"
#include "trotter/run/observation.hpp"
#include "trotter/run/tuning.hpp"
#include "trotter/run/validation.hpp"
#include "trotter/state/device_state.hpp"
#include "trotter/state/host_state.hpp"

namespace strata::trotter {
namespace {

/// Seconds per amplitude and pass on one core of an AVX-512 server (perf/notebook.md).
constexpr double pass_seconds = 3e-9;

/// Passes over the states that take as long as an observation: sums in the bases of z, x and y, the transforms from each
/// to the next and back, and the overlap with the first state.
double passes_of_observation(const Observation& observation) {
    const double others = (observation.needs(Axis::x) ? 1 : 0) + (observation.needs(Axis::y) ? 1 : 0);
    return 1 + (observation.needs_overlap() ? 1 : 0) + (others > 0 ? 2 + 3 * others : 0);
}

/// Passes that take as long as the expectation values of [observables]: the state is read through buffers, and
/// amplitudes are multiplied in pairs for every set of spins that is flipped.
double passes_of_products(const TrotterPlan& plan) {
    if (plan.observed() == nullptr) return 0;
    return 1.5 * plan.product_layout().reads() + 0.5 * static_cast<double>(plan.observed()->groups().size());
}

/// Seconds of a pass beside its amplitudes: tables of its diagonal, threads that start and meet. They count for states of
/// up to about ten spins.
constexpr double pass_overhead = 1.5e-6;

/// Work of the first rank, which has as much as any other, in a step and its share of the observations. Computation is
/// taken as proportional to bytes, since vectors hold twice as many reals in single precision.
Work count_work(const TrotterPlan& plan) {
    const double computation = plan.light_cone() ? light_cone_computation : pass_computation;
    const double shared = plan.ranks_of_state(), amplitude_bytes = 32;  // read and written
    const double per_step = static_cast<double>(plan.schedule().observations_per_round()) /
                            static_cast<double>(plan.schedule().steps_per_round()),
                 observed = (passes_of_observation(Observation(plan)) + passes_of_products(plan)) * per_step;
    const double steps_bytes = plan.bytes_per_step() / plan.ranks(),
                 observed_bytes = observed * plan.bytes_per_pass() / plan.ranks();
    Work work;
    work.memory_bytes = steps_bytes + observed_bytes;
    work.core_seconds = (computation * steps_bytes + pass_computation * observed_bytes) / amplitude_bytes;
    work.serial_seconds = pass_overhead * (plan.passes_per_step() + observed);
    work.shares_memory = true;
    if (shared == 1) return work;
    work.sent_bytes =
        plan.sent_bytes() + plan.product_layout().sent_parts() * static_cast<double>(plan.state_bytes()) * per_step;
    work.messages = plan.layers_per_step() * (shared - 1);  // every second layer sends parts and returns them
    return work;
}

/// Rate at which passes read and write the memory of an H100 (perf/results/gpu-h100.md), bytes per second.
constexpr double device_rate = 2e12;

/// Name of the instruction set that the kernels of a host use.
std::string host_instructions(const TrotterConfig& c) {
    return std::string(c.precision == Precision::single ? choose_kernels(pass_variants<float>(), c.simd).name
                                                        : choose_kernels(pass_variants<double>(), c.simd).name);
}

/// Size of the recorded series: one row for every state at time 0 and at each observation.
Recording recording(const TrotterPlan& plan) {
    const TrotterConfig& c = plan.config();
    const std::uint64_t rows = plan.schedule().observations_per_round() + 1;
    Recording r = {.rows = saturated_product(c.samples, rows),
                   .columns = Observation(plan).columns().size(),
                   .report_bytes = 8 * c.samples};
    if (c.measure_every > 0)
        r.key = "run.measure-every", r.value = c.measure_every, r.rows_change = Recording::Rows::fall_with_key;
    else
        r.key = "run.samples", r.value = c.samples;
    return r;
}

}  // namespace

int device_tile_bits(const Communicator& comm, Precision precision, const DeviceBinding& device) {
    const std::uint64_t shared = device.facts.shared_memory;
    const int bits =
        precision == Precision::single ? usable_tile_bits<float>(shared) : usable_tile_bits<double>(shared);
    return static_cast<int>(all_min(comm, static_cast<std::uint64_t>(bits)));
}

MakeState host_state_maker(const Communicator& comm, Sharing sharing) {
    return [&comm, sharing](const TrotterPlan& plan, Timers& timers) -> std::unique_ptr<SpinState> {
        if (plan.config().precision == Precision::single)
            return std::make_unique<HostState<float>>(comm, plan, timers, sharing);
        return std::make_unique<HostState<double>>(comm, plan, timers, sharing);
    };
}

MakeState device_state_maker(const Communicator& comm, const DeviceBinding& device) {
    return [&comm, &device](const TrotterPlan& plan, Timers& timers) -> std::unique_ptr<SpinState> {
        if (plan.config().precision == Precision::single)
            return std::make_unique<DeviceState<float>>(comm, plan, device, timers);
        return std::make_unique<DeviceState<double>>(comm, plan, device, timers);
    };
}

namespace {

std::unique_ptr<Application> make(const Communicator& comm, const Config& config, int threads,
                                  const DeviceBinding* device) {
    const BackendKind backend = device == nullptr ? BackendKind::cpu : BackendKind::cuda;
    const TrotterConfig resolved = resolve_config(config);
    const MakeState state = device == nullptr ? host_state_maker(comm) : device_state_maker(comm, *device);
    TuningTarget target{resolved, threads, backend, 0, {}};
    if (device != nullptr) {
        target.machine = device->facts.name;
        target.tile_bits = device_tile_bits(comm, resolved.precision, *device);
    } else {
        target.machine = processor_name() + " " + host_instructions(resolved);
    }
    const PlanOptions options = tuned_plan(comm, target, state);
    return std::make_unique<Trotter>(TrotterPlan(resolved, comm.size(), comm.rank(), threads, backend, options), state);
}

Forecast forecast(const Config& config, const RunLayout& layout, BackendKind backend) {
    const TrotterPlan plan(resolve_config(config), layout.ranks, 0, layout.threads, backend);
    if (plan.config().target_error > 0)
        EnsembleTarget(plan, Observation(plan));  // throws for a target that is not observed
    const double amplitudes = plan.bytes_per_step() / static_cast<double>(4 * plan.real_bytes());
    const double seconds =
        backend == BackendKind::cuda ? plan.bytes_per_step() / device_rate : amplitudes * pass_seconds / plan.threads();
    MemoryPrediction memory = plan.memory();
    memory.recording = recording(plan);
    return {plan.description(),
            std::move(memory),
            [plan] { return plan.traffic(); },
            plan.schedule().total_steps(),
            "steps",
            seconds / layout.ranks,
            [plan] { return count_work(plan); }};
}

std::vector<Oracle> oracles() {
    const std::string ring =
        "application = trotter\n[lattice]\ntype = ring\nextents = 8\n[model]\njx = 1\njy = 1\njz = 1\n"
        "field = 0.31030809693038464,-0.3903713533654809,0.34992126747965813,-0.78646303247660398,0.033148894086480141,"
        "-0.020667319186031818,0.20494439452886581,-0.2600904842838645\n[state]\ninitial = neel\n";
    return {{"Heisenberg ring of 8 in fields, order 2, <S_0^z>", ring + "[run]\nstep = 0.05\nsteps = 20\n", "sz",
             -0.18514302217762, 1e-9},
            {"order 4", ring + "[run]\norder = 4\nstep = 0.2\nsteps = 5\n", "sz", -0.18531437567906, 1e-9}};
}

}  // namespace

ApplicationEntry entry() {
    return {.name = "trotter",
            .title = "real-time dynamics of spins 1/2 by Trotter-Suzuki splitting",
            .example =
                "application = trotter\n"
                "[lattice]\ntype = ring\nextents = 16\n"
                "[model]\ntype = heisenberg\ndisorder = 1\n"
                "[state]\ninitial = neel\n"
                "[run]\nstep = 0.05\nsteps = 200\nmeasure-every = 10\n",
            .keys = keys,
            .validate = validate,
            .validate_resume = validate_resume,
            .make = make,
            .forecast = forecast,
            .oracles = oracles,
            .backends = {BackendKind::cpu, BackendKind::cuda},
            .optional_keys = {"backend.simd", "backend.precision"},
            .next_ranks = next_ranks,
            .reserve_memory = [](int) { krylov::reserve_lapack_memory(1); },
            .samples = {"lattice.extents=6 run.steps=4 run.measure-every=1", "run.estimate-error=yes",
                        "state.initial=random run.samples=3", "run.cut=0,1 run.observables=" + observable_words(",")}};
}

}  // namespace strata::trotter
