// SPDX-License-Identifier: BSD-3-Clause
// The one place that chooses host or device, double or single precision for spin states. The oracles are values of the
// splitting itself, computed with dense exponentials of H_x, H_y and H_z.
#include "trotter/factory.hpp"

#include "trotter/device_state.hpp"
#include "trotter/host_state.hpp"

namespace strata::trotter {
namespace {

/// Seconds per amplitude and pass on one core of an AVX-512 server (perf/README.md).
constexpr double pass_seconds = 3e-9;

}  // namespace

std::string example_job() {
    return "application = trotter\n"
           "[lattice]\ntype = ring\nextents = 16\n"
           "[model]\ntype = heisenberg\ndisorder = 1\n"
           "[state]\ninitial = neel\n"
           "[run]\nstep = 0.05\nsteps = 200\nmeasure-every = 10\n";
}

MakeState host_state_maker(const Communicator& comm, Sharing sharing) {
    return [&comm, sharing](const TrotterPlan& plan, Timers& timers) -> std::unique_ptr<SpinState> {
        if (plan.config().precision == Precision::single)
            return std::make_unique<HostState<float>>(comm, plan, timers, sharing);
        return std::make_unique<HostState<double>>(comm, plan, timers, sharing);
    };
}

MakeState device_state_maker(const Communicator& comm, const DeviceBinding& device, int max_group) {
    return [&comm, &device, max_group](const TrotterPlan& plan, Timers& timers) -> std::unique_ptr<SpinState> {
        if (plan.config().precision == Precision::single)
            return std::make_unique<DeviceState<float>>(comm, plan, device, timers, max_group);
        return std::make_unique<DeviceState<double>>(comm, plan, device, timers, max_group);
    };
}

std::unique_ptr<Application> make(const Communicator& comm, const Config& config, int threads,
                                  const DeviceBinding* device) {
    const BackendKind backend = device == nullptr ? BackendKind::cpu : BackendKind::cuda;
    return std::make_unique<Trotter>(TrotterPlan(resolve_config(config), comm.size(), comm.rank(), threads, backend),
                                     device == nullptr ? host_state_maker(comm) : device_state_maker(comm, *device));
}

Forecast forecast(const Config& config, const RunLayout& layout, BackendKind backend) {
    const TrotterPlan plan(resolve_config(config), layout.ranks, 0, layout.threads, backend);
    const double amplitudes = plan.bytes_per_step() / static_cast<double>(4 * plan.real_bytes());
    // no device's rate was measured yet: 0 says that nothing is known
    const double seconds = backend == BackendKind::cuda ? 0 : amplitudes * pass_seconds;
    return {plan.description(),
            plan.memory(),
            [plan] { return plan.traffic(); },
            plan.schedule().total_steps(),
            "steps",
            seconds / (plan.threads() * layout.ranks)};
}

std::vector<Oracle> oracles() {
    const std::string ring =
        "application = trotter\n[lattice]\ntype = ring\nextents = 8\n[model]\njx = 1\njy = 1\njz = 1\n"
        "hz = 0.31030809693038464,-0.3903713533654809,0.34992126747965813,-0.78646303247660398,0.033148894086480141,"
        "-0.020667319186031818,0.20494439452886581,-0.2600904842838645\n[state]\ninitial = neel\n";
    return {{"Heisenberg ring of 8 in fields, order 2, <S_0^z>", ring + "[run]\nstep = 0.05\nsteps = 20\n", "sz",
             -0.18514302217762, 1e-9},
            {"order 4", ring + "[run]\norder = 4\nstep = 0.2\nsteps = 5\n", "sz", -0.18531437567906, 1e-9}};
}

}  // namespace strata::trotter
