// SPDX-License-Identifier: BSD-3-Clause
#include "lanczos/task.hpp"

#include <algorithm>
#include <cmath>

#include "lanczos/memory.hpp"

namespace strata::lanczos {

DistributedArray numbers_array(const Communicator& comm, const std::string& name, double* numbers, std::size_t count) {
    const Range rows = comm.is_root() ? Range{0, 1} : Range{1, 1};
    return host_array({name, ElementType::f64, 1, count}, rows, numbers, count);
}

LanczosTask::LanczosTask(const Communicator& comm, const LanczosPlan& plan, const DeviceBinding* device,
                         std::uint64_t vectors)
    : comm_(comm),
      plan_(plan),
      device_(device == nullptr ? std::nullopt : std::optional<DeviceBinding>(*device)),
      owned_hamiltonian_(make_hamiltonian(comm, plan_, this->device(), timers_)),
      hamiltonian_(*owned_hamiltonian_),
      vectors_(vectors) {}

std::vector<std::string> LanczosTask::description() const {
    std::vector<std::string> lines = plan_.description();
    const std::string exchange = hamiltonian_.exchange_description();
    if (!exchange.empty()) lines.push_back(exchange);
    return lines;
}

MemoryPrediction LanczosTask::memory() const {
    MemoryPrediction m = hamiltonian_.memory(vectors_);
    const BackendKind backend = m.device.empty() ? BackendKind::cpu : BackendKind::cuda;
    m.add({task_memory(plan_, comm_.rank(), vectors_, backend), {}, 0});
    return m;
}

std::string LanczosTask::broken_invariant(std::span<const double> row) const {
    for (std::size_t i = 0; i < row.size(); ++i)
        if (!std::isfinite(row[i])) return columns()[i].name + " is not a number.";
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (columns()[i].name != "energy") continue;
        const double low = plan_.sector().lower_bound(), high = plan_.sector().upper_bound();
        const double rounding =
            plan_.config().precision == Precision::single ? 1e-5 * (1 + std::max(std::abs(low), std::abs(high))) : 0;
        if (row[i] < low - rounding || row[i] > high + rounding)
            return "the energy " + std::to_string(row[i]) + " lies outside of " + std::to_string(low) + " to " +
                   std::to_string(high) + ", which no state can.";
    }
    return {};
}

std::vector<Figure> LanczosTask::performance(std::uint64_t steps, double seconds) const {
    if (steps == 0) return {};
    const double per_step = seconds / static_cast<double>(steps);
    return {{"seconds_per_step", per_step, "s", "wall time of one step, the last ones included"},
            {"bytes_per_step", plan_.bytes_per_step(), "B", "of one multiplication over all ranks, by counting"},
            {"gigabytes_per_second", 1e-9 * plan_.bytes_per_step() / per_step, "GB/s", "over all ranks"},
            {"gflops", 1e-9 * plan_.flops_per_step() / per_step, "1/s", "over all ranks"}};
}

}  // namespace strata::lanczos
