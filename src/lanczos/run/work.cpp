// SPDX-License-Identifier: BSD-3-Clause
// Rows and columns are padded to whole blocks and panels (kernels/lanczos/block_layout.hpp), with which the kernels work:
// a subspace with one bit string on one side of the lattice costs as much as one with 32.
#include "lanczos/run/work.hpp"

#include <algorithm>
#include <cmath>

namespace strata::lanczos {
namespace {

/// Seconds of one multiplication and addition per real number of vectors that are combined, beside waiting for memory.
constexpr double vector_computation = 0.12e-9;
/// Seconds of an entry of the tables of interactions between both components or halves, made for every block of rows.
constexpr double table_computation = 0.5e-9;

/// Times of a hop to a single number from anywhere in the vector, and of one that is computed, in those of hops to whole rows.
constexpr double number_cost = 8, computed_cost = 62;

/// Reals that hops read, in whole panels and blocks.
double padded_hops(const LanczosPlan& plan) {
    const double reals = plan.reals();
    double padded = plan.counts().nonzeros() * reals;
    if (plan.counts().computes_hops()) return computed_cost * padded;
    if (plan.counts().symmetric()) return plan.model().spin_components == 1 ? number_cost * padded : padded;
    const auto& subspaces = plan.counts().subspace_counts();
    for (std::size_t p = 0; p < subspaces.size(); ++p) {
        const SubspaceCounts& s = subspaces[p];
        const BlockLayout l = plan.counts().layout(p, plan.arithmetic(), 1, 0);
        const double columns = static_cast<double>(l.panels() * l.panel),
                     rows = static_cast<double>(l.all_blocks() * block_rows);
        padded += static_cast<double>(s.up_entries) * (columns - reals * static_cast<double>(s.down.count())) +
                  reals * static_cast<double>(s.down_entries) * (rows - static_cast<double>(s.up.count()));
    }
    return padded;
}

/// Entries of the tables of interactions of all blocks.
double table_entries(const LanczosPlan& plan) {
    const CouplingView coupling = plan.counts().coupling();
    if (plan.counts().symmetric() || coupling.chunks == 0) return 0;
    double blocks = 0;
    for (std::size_t p = 0; p < plan.counts().subspace_counts().size(); ++p)
        blocks += static_cast<double>(plan.counts().layout(p, plan.arithmetic(), 1, 0).all_blocks());
    return blocks * coupling.chunks * std::ldexp(1.0, coupling.chunk_bits) * block_rows;
}

/// Work without messages.
Work work_of_cores(const LanczosPlan& plan) {
    const double ranks = plan.ranks();
    const auto vector = static_cast<double>(plan.all_vector_bytes());
    const TaskSize::Work others = task_of(plan.config()).size(plan, 0).work;
    Work work;
    work.imbalance = std::max(1.0, static_cast<double>(plan.vector_bytes(0)) * ranks / vector);
    const double share = work.imbalance / ranks;
    work.core_seconds = share * (table_computation * table_entries(plan) +
                                 hop_computation * padded_hops(plan) * static_cast<double>(plan.real_bytes()) / 8 +
                                 vector_computation * others.products * plan.reals() * vector / 8);
    const double of_h = plan.counts().subspace_hop_counts().empty() ? 7 : 10;
    work.memory_bytes = share * (of_h + others.moved) * vector;
    work.serial_seconds = others.seconds;
    work.shares_memory = true;
    return work;
}

}  // namespace

StepCounts step_counts(const LanczosPlan& plan, std::uint64_t sectors, Momenta momenta) {
    const StepCounts one = task_of(plan.config()).size(plan, sectors).steps;
    sectors = std::max<std::uint64_t>(1, sectors);
    if (momenta != Momenta::automatic) return {sectors * one.most, sectors * std::min(one.most, one.usually)};
    const double search = usual_search(plan);  // the energies alone, then the lowest sector
    return {sectors * plan.config().max_steps + one.most,
            sectors * whole_steps(search) + std::min(one.most, one.usually)};
}

double seconds_on_cores(const LanczosPlan& plan) {
    constexpr double bandwidth = 28e9;  // bytes per second of one core (prediction/machine.hpp)
    const Work work = work_of_cores(plan);
    return std::hypot(work.core_seconds / plan.threads(), work.memory_bytes / bandwidth) + work.serial_seconds;
}

Work count_work(const LanczosPlan& plan, double mean_cost) {
    const double element = static_cast<double>(plan.real_bytes()) * plan.reals(), ranks = plan.ranks();
    Work work = work_of_cores(plan);
    for (double* part : {&work.core_seconds, &work.memory_bytes, &work.serial_seconds}) *part *= mean_cost;
    if (plan.ranks() == 1) return work;
    work.sent_bytes = mean_cost * element *
                      (plan.transposes() ? 2 * (ranks - 1) / ranks * plan.dimension() : plan.ghost_rows().elements) /
                      ranks;
    work.messages = (plan.transposes() ? 2 : 1) * (ranks - 1);
    work.collectives = 2;
    return work;
}

}  // namespace strata::lanczos
