// SPDX-License-Identifier: BSD-3-Clause
// Description, memory, bounds of energies and performance of any task, from its row, its plan and its operator.
#include "lanczos/run/task.hpp"

#include <algorithm>
#include <cmath>

#include "comm/collectives.hpp"
#include "lanczos/state/memory.hpp"
#include "strata/formatted.hpp"

namespace strata::lanczos {

const TaskEntry& task_of(Task task, TraceMethod trace) {
    const auto* const found =
        std::ranges::find_if(tasks, [&](const TaskEntry* t) { return t->task == task && t->trace == trace; });
    return found != std::end(tasks) ? **found : task_of(task, TraceMethod::random_vectors);
}

MemoryPrediction largest_memory(const LanczosPlan& plan, BackendKind backend, int ranks_per_node,
                                std::uint64_t sectors) {
    const TaskEntry& task = task_of(plan.config());
    MemoryPrediction m = largest_operator_memory(plan, task.size(plan, sectors).vectors, backend, ranks_per_node);
    if (task.other_operators != nullptr)
        for (const OtherOperator& other : task.other_operators(plan))
            m.add(largest_operator_memory(other.plan, 0, backend, ranks_per_node), other.suffix);
    m.add({task.memory(plan, 0, backend, sectors), {}, 0});
    return m;
}

Recording recorded_at_once(std::uint64_t rows, std::uint64_t columns, const char* key) {
    Recording r = {.rows = rows, .columns = columns, .key = key, .value = rows};
    r.report_bytes = 3 * r.series_bytes();
    return r;
}

double usual_search(const LanczosPlan& plan, double factor) {
    const double d = std::max(2.0, plan.dimension());
    return std::min({static_cast<double>(plan.config().max_steps), d, std::ceil(factor * std::log(d))});
}

std::uint64_t whole_steps(double steps) { return static_cast<std::uint64_t>(std::max(1.0, steps)); }

LanczosTask::LanczosTask(const LanczosPlan& plan, const MakeHamiltonian& make)
    : plan_(plan),
      owned_hamiltonian_(make(plan_, timers_)),
      hamiltonian_(*owned_hamiltonian_),
      comm_(hamiltonian_.comm()) {}

std::vector<std::string> LanczosTask::description() const {
    std::vector<std::string> lines = plan_.description();
    const std::string exchange = hamiltonian_.exchange_description();
    if (!exchange.empty()) lines.push_back(exchange);
    return lines;
}

MemoryPrediction LanczosTask::memory() const {
    const TaskEntry& task = task_of(plan_.config());
    MemoryPrediction m = hamiltonian_.memory(task.size(plan_, 0).vectors);
    m.add({task.memory(plan_, comm_.rank(), backend_kind(), 0), {}, 0});
    return m;
}

std::string LanczosTask::broken_invariant(std::span<const double> row) const {
    for (std::size_t i = 0; i < row.size(); ++i)
        if (!std::isfinite(row[i])) return columns()[i].name + " is not a number.";
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (columns()[i].name != "energy") continue;
        const double more = largest_drive(), low = plan_.sector().lower_bound() - more,
                     high = plan_.sector().upper_bound() + more;
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

void add_final_state(krylov::GroundStateSolver& solver, const std::vector<ArrayShape>& stored,
                     std::vector<DistributedArray>& arrays) {
    if (std::ranges::count(stored, std::string("ground-energies"), &ArrayShape::name) == 0)
        throw CollectiveError(ExitCode::bad_input,
                              "The checkpoint holds no ground state of a search for one state (run.task = states with "
                              "run.states = 1 and run.vectors = yes), with which this measurement begins.");
    solver.add_state(arrays);
    const bool same = std::ranges::all_of(arrays, [&](const DistributedArray& array) {
        return !array.members.empty() || std::ranges::count(stored, array.shape) > 0;
    });
    if (!same)
        throw CollectiveError(ExitCode::bad_input,
                              "The stored ground state has real numbers, and what is computed here needs complex ones: "
                              "search for it with backend.arithmetic = complex, and measure that.");
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
