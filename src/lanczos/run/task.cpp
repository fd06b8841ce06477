// SPDX-License-Identifier: BSD-3-Clause
// Description, memory, bounds of energies and performance of any task, from its plan and its operator.
#include "lanczos/run/task.hpp"

#include <algorithm>
#include <cmath>

#include "lanczos/state/memory.hpp"
#include "strata/formatted.hpp"

namespace strata::lanczos {

LanczosTask::LanczosTask(const LanczosPlan& plan, const MakeHamiltonian& make, std::uint64_t vectors)
    : plan_(plan),
      owned_hamiltonian_(make(plan_, timers_)),
      hamiltonian_(*owned_hamiltonian_),
      comm_(hamiltonian_.comm()),
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

std::string LanczosTask::of_sector(std::string remark) const {
    if (!plan_.counts().symmetric()) return remark;
    return remark + (remark.empty() ? "" : " ") +
           "Energies, degeneracies and averages are those of this sector of symmetries; others may lie lower.";
}

std::vector<Figure> LanczosTask::performance(std::uint64_t steps, double seconds) const {
    if (steps == 0) return {};
    const double per_step = seconds / static_cast<double>(steps);
    return {{"seconds_per_step", per_step, "s", "wall time of one step, the last ones included"},
            {"bytes_per_step", plan_.bytes_per_step(), "B", "of one multiplication over all ranks, by counting"},
            {"gigabytes_per_second", 1e-9 * plan_.bytes_per_step() / per_step, "GB/s", "over all ranks"},
            {"gflops", 1e-9 * plan_.flops_per_step() / per_step, "GFLOP/s", "over all ranks"}};
}

std::string search_line(std::uint64_t step, double energy, double residual, bool last) {
    constexpr std::uint64_t period = 10;
    if (step != 1 && step % period != 0 && !last) return {};
    return formatted("step %4llu  energy %18.12f  residual estimate %7.1e", static_cast<unsigned long long>(step),
                     energy, residual);
}

void add_working_pair(HamiltonianOperator& hamiltonian, const std::string& prefix,
                      std::vector<DistributedArray>& arrays) {
    hamiltonian.add_state(prefix + "f", hamiltonian.v(), arrays);
    hamiltonian.add_state(prefix + "q", hamiltonian.w(), arrays);
}

}  // namespace strata::lanczos
