// SPDX-License-Identifier: BSD-3-Clause
// The row of Swendsen-Wang in the table of applications. This is the only place that chooses its backend. The oracles are
// exact enumerations, Kaufman's solution, and transfer matrices of Potts strips.
#include "swendsen_wang/run/factory.hpp"

#include <algorithm>

#include "comm/device_binding.hpp"
#include "swendsen_wang/run/parallel_tempering.hpp"
#include "swendsen_wang/run/replica_batch.hpp"
#include "swendsen_wang/run/results.hpp"
#include "swendsen_wang/run/swendsen_wang.hpp"
#include "swendsen_wang/state/observation.hpp"
#include "swendsen_wang/state/work.hpp"

namespace strata::swendsen_wang {
namespace {

/// Size of the series, and the key that determines it.
Recording recording(const SwendsenWangPlan& plan) {
    const bool tempers = plan.config().tempers();
    const std::uint64_t columns =
        series_columns(plan.config()).size() + (tempers ? 1 : 0) + (plan.config().overlap ? 4 : 0);
    const std::uint64_t copy =
        tempers ? saturated_product(8 * columns, plan.observations()) : 0;  // rows of one temperature
    return {.rows = plan.rows(),
            .columns = columns,
            .report_bytes = saturated_sum(estimate_bytes(plan.observations()), copy),
            .key = "run.measure-every",
            .value = plan.config().measure_every,
            .rows_change = Recording::Rows::fall_with_key};
}

template <class Backend>
std::unique_ptr<Application> make(const Communicator& comm, SwendsenWangPlan plan,
                                  const BackendOptions<Backend>& options) {
    if (plan.config().tempers()) return std::make_unique<ParallelTempering<Backend>>(comm, std::move(plan), options);
    return std::make_unique<SwendsenWang<Backend>>(comm, std::move(plan), options);
}

std::unique_ptr<Application> make(const Communicator& comm, const Config& config, int threads,
                                  const DeviceBinding* device) {
    const BackendKind backend = device == nullptr ? BackendKind::cpu : BackendKind::cuda;
    SwendsenWangPlan plan(resolve_config(config), comm.size(), comm.rank(), threads, backend);
    if (device == nullptr) return make<Cpu>(comm, std::move(plan), {});
    return make<Cuda>(comm, std::move(plan), {device->facts.name, device->route});
}

std::unique_ptr<Batch> make_batch(const Communicator&, const std::vector<Config>& configs) {
    std::vector<SwendsenWangConfig> resolved;
    for (const Config& config : configs) resolved.push_back(resolve_config(config));
    return std::make_unique<ReplicaBatch>(resolved, std::vector<std::uint64_t>(resolved.size()));
}

/// The parallel regions of a sweep, about ten, cost a thread some 10 us, in which it processes about 10^4 sites.
int useful_threads(const Config& config, int ranks) {
    constexpr std::uint64_t sites_per_thread = std::uint64_t{1} << 14;
    std::uint64_t sites = 1;
    for (const std::uint64_t extent : resolve_config(config).extents) sites = saturated_product(sites, extent);
    const std::uint64_t threads = sites / static_cast<std::uint64_t>(ranks) / sites_per_thread;
    return static_cast<int>(std::clamp<std::uint64_t>(threads, 1, 4096));
}

/// Single clusters are as large as the temperature makes them, so that their time is not predicted.
std::vector<std::string> time_of_clusters() {
    return {
        "memory: the words of the tiles that each cluster reaches; the time, at T_c 5 (2D) or 17 ns (3D) for each of "
        "its "
        "sites on a Zen 4 core, is not predicted"};
}

/// The reason why a job with backend.device = auto stays on the CPU.
std::string stays_on_cpu(const Config& config, int) {
    return config.text("run.update") == "wolff" ? "run.update = wolff grows its clusters on the CPU" : "";
}

Forecast forecast(const Config& config, const RunLayout& layout, BackendKind backend) {
    const SwendsenWangPlan plan(resolve_config(config), layout.ranks, 0, layout.threads, backend);
    const auto sites = static_cast<double>(plan.lattice().slab_sites());
    const int dimensions = plan.lattice().dimensions;
    const double seconds =
        backend == BackendKind::cuda ? device_update_seconds(plan) : update_seconds(plan) / plan.threads();
    const std::uint64_t halo_bytes = 8 * plan.halo_words();
    const std::uint64_t spin_bytes = halo_bytes * static_cast<std::uint64_t>(plan.config().state_bits());
    std::vector<std::string> traffic;
    const double bytes = backend == BackendKind::cuda ? sites * device_sweep_bytes(dimensions) : host_sweep_bytes(plan);
    traffic.push_back("memory: about " + human_bytes(static_cast<std::uint64_t>(bytes)) + " per rank and sweep");
    if (layout.ranks > 1)
        traffic.push_back("network: " + human_bytes(2 * spin_bytes) +
                          " of spins to the two neighbours per rank and sweep, and up to " +
                          human_bytes(2 * 64 * halo_bytes / 8 * 4) + " of labels at T_c");
    MemoryPrediction memory = plan.memory();
    memory.recording = recording(plan);
    if (plan.config().grows_clusters())
        return {plan.description(), std::move(memory), time_of_clusters, plan.total_steps(), "sweeps"};
    return {plan.description(), std::move(memory), [traffic] { return traffic; },      plan.total_steps(),
            "sweeps",           seconds,           [plan] { return count_work(plan); }};
}

std::vector<Oracle> oracles() {
    /// `more`: further keys of [model], and sections after it.
    const auto job = [](const char* extents, const char* beta, const std::string& more = "",
                        const std::string& boundaries = "periodic") {
        return std::string("application = swendsen-wang\n[lattice]\nextents = ") + extents +
               "\nboundaries = " + boundaries + "\n[model]\nbeta = " + beta + "\n" + more +
               "\n[run]\nsweeps = 60000\nthermalization = 200\nseed = 3\n";
    };
    const std::string in_field = "field = 0.1\n[run]\nupdate = ";
    const std::string critical = "0.44068679350977147", cubic = "0.221654626";
    // enumeration of all configurations (tests/oracle/ising_states.py), and Kaufman's solution for the 64 x 64 torus
    return {
        {"4 x 4, energy", job("4,4", critical.c_str()), "energy", -1.56562378763832},
        {"4 x 4, <m^4>", job("4,4", critical.c_str()), "magnetisation-4", 0.66569121326737},
        {"4 x 3 x 2, energy", job("4,3,2", cubic.c_str()), "energy", -1.42650795923829},
        {"4 x 3 x 2, <m^2>", job("4,3,2", cubic.c_str()), "magnetisation-2", 0.37953111390412},
        {"4 x 4, antiperiodic y, energy", job("4,4", critical.c_str(), "", "periodic,antiperiodic"), "energy",
         -1.01646599795567},
        {"4 x 3 x 2, open, J < 0, energy", job("4,3,2", cubic.c_str(), "coupling = -1", "open"), "energy",
         -0.48278195305741},
        {"4 x 4, field, <m>", job("4,4", "0.3", in_field + "metropolis"), "signed-magnetisation", 0.16882500458836},
        {"4 x 4, field, clusters, <m>", job("4,4", "0.3", in_field + "swendsen-wang"), "signed-magnetisation",
         0.16882500458836},
        {"4 x 4, single clusters, <m^2>", job("4,4", "0.3", "[run]\nupdate = wolff\nclusters-per-sweep = 3"),
         "magnetisation-2", 0.35764679694113},
        {"Potts q = 3, 4 x 8, energy", job("4,8", "1", "states = 3"), "energy", -1.6432245051323},
        {"Potts q = 10, 2 x 8, specific heat", job("2,8", "1.4", "states = 10"), "specific-heat", 3.108136176},
        {"64 x 64, energy", job("64,64", critical.c_str()), "energy", -1.423938389833},
        {"64 x 64, specific heat", job("64,64", critical.c_str()), "specific-heat", 2.192211393141},
    };
}

}  // namespace

ApplicationEntry entry() {
    return {
        .name = "swendsen-wang",
        .title = "Monte Carlo of Ising and Potts models on square and cubic lattices, by clusters or single spins",
        .example =
            "application = swendsen-wang\n"
            "[lattice]\nextents = 1024,1024\n"
            "[run]\nsweeps = 2000\nthermalization = 300\nseed = 7\n"
            "[scan]\nmodel.temperature = 2.1:2.4:0.05\n",
        .keys = keys,
        .validate = validate,
        .make = make,
        .forecast = forecast,
        .oracles = oracles,
        .backends = {BackendKind::cpu, BackendKind::cuda},
        .optional_keys = {"backend.simd", "scan.start"},
        .stays_on_cpu = stays_on_cpu,
        .useful_threads = useful_threads,
        .together = {keys_of_batch(), [](const Config& config) { return most_in_batch(resolve_config(config)); },
                     make_batch},
        .samples = {"lattice.extents=8,8 run.sweeps=100 run.thermalization=10", "run.correlations=4", "model.field=0.1",
                    "model.coupling=-1", "scan.model.temperature= run.tempering=2,2.5 run.overlap=yes"}};
}

}  // namespace strata::swendsen_wang
