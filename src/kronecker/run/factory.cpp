// SPDX-License-Identifier: BSD-3-Clause
// Choice of host or device for the operator of a job; no other file makes this choice.
#include "kronecker/run/factory.hpp"

#include "kronecker/run/repeated_product.hpp"
#include "kronecker/run/validation.hpp"
#include "strata/formatted.hpp"
#include "superblock/make_operator.hpp"

namespace strata::kronecker {
namespace {

/// Operations per product and rank below which a device is not expected to be faster: a node with 16 cores of 60
/// GFLOP/s each computes 0.1 GFLOP in 100 us, an H100 0.025 GFLOP in 64 us and 0.2 GFLOP in 130 us
/// (perf/results/gpu-h100.md).
constexpr double device_flops = 1e8;

std::string stays_on_cpu(const Config& config, int ranks) {
    const KroneckerConfig c = resolve_config(config);
    const KroneckerPlan plan(c, ranks, 0, 1);
    const double flops = plan.multiply().flops() / ranks;
    if (flops >= device_flops) return {};
    return formatted(
        "one product has only %.2g GFLOP per rank, and a device needs %.2g or more to be of use; "
        "backend.device=cuda takes one all the same",
        1e-9 * flops, 1e-9 * device_flops);
}

std::unique_ptr<Application> make(const Communicator& comm, const Config& config, int threads,
                                  const DeviceBinding* device) {
    const KroneckerPlan plan(resolve_config(config), comm.size(), comm.rank(), threads);
    const superblock::HostOptions options = {.simd = plan.config().simd, .seed = plan.config().seed};
    const superblock::MakeOperator maker =
        device != nullptr ? superblock::device_operators(options, *device) : superblock::host_operators(options);
    return std::make_unique<RepeatedProduct>(comm, plan, maker);
}

Forecast forecast(const Config& config, const RunLayout& layout, BackendKind backend) {
    const KroneckerPlan plan(resolve_config(config), layout.ranks, 0, layout.threads);
    const KroneckerConfig& c = plan.config();
    MemoryPrediction memory = plan.largest_memory(backend, layout.ranks <= layout.ranks_per_node);
    memory.recording = {.rows = c.repeats, .columns = 3, .key = "run.repeats", .value = c.repeats};
    return {plan.description(),
            std::move(memory),
            [plan, backend] { return plan.traffic(backend); },
            c.repeats,
            "products",
            plan.seconds(backend),
            [plan] { return plan.count_work(); }};
}

/// Reference values from dense matrices in numpy, with operators drawn by an independent implementation of the
/// generator (tests/oracle/kronecker_oracle.py).
std::vector<Oracle> oracles() {
    const std::string equal = "application = kronecker\n[model]\nsites = 8\nsaved-states = 20\noperators = 3\n";
    const std::string narrow =
        "application = kronecker\n[model]\nsites = 10\nsaved-states = 30\noperators = 1\nrule = moore\nwidth = 0.2\n";
    return {{"9 patches, sum of y = C x", equal, "checksum", -6.932569749777406, 1e-12},
            {"4 large patches, sum of y = C x", narrow, "checksum", -8.380455691829338, 1e-12}};
}

}  // namespace

ApplicationEntry entry() {
    return {.name = "kronecker",
            .title = "multiplication by sums of Kronecker products, as in a density-matrix renormalization",
            .example =
                "application = kronecker\n"
                "[model]\nsites = 64\nsaved-states = 1000\noperators = 8\n"
                "[run]\nrepeats = 20\n",
            .keys = keys,
            .validate = validate,
            .make = make,
            .forecast = forecast,
            .oracles = oracles,
            .backends = {BackendKind::cpu, BackendKind::cuda},
            .optional_keys = {"backend.simd", "backend.precision"},
            .stays_on_cpu = stays_on_cpu,
            .samples = {"model.sites=8 model.saved-states=20 model.operators=3"}};
}

}  // namespace strata::kronecker
