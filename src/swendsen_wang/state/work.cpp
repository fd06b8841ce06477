// SPDX-License-Identifier: BSD-3-Clause
// Counted work of a sweep. Rates are those of an AVX-512 core (perf/notebook.md) and of an H100; what border labels take on
// the tree was read off 16 simulated ranks (perf/results/simgrid-scaling.md).
#include "swendsen_wang/state/work.hpp"

#include <bit>

namespace strata::swendsen_wang {
namespace {

/// Nanoseconds per site: of a sweep without observation, of a Metropolis sweep, of an observation.
constexpr double sweep_ns(int dimensions) { return dimensions == 2 ? 1.07 : 1.65; }
constexpr double metropolis_ns(int dimensions) { return dimensions == 2 ? 0.5 : 0.55; }
constexpr double random_signs = 2.3;  // by what a Metropolis sweep takes longer where bonds differ in their signs
constexpr double ghost_ns = 0.6;  // in addition where clusters are bound to the ghost spin; up to 2 in strong fields
constexpr double observation_ns(int dimensions) { return dimensions == 2 ? 0.55 : 1.1; }
constexpr double energy_ns = 0.2;  // energy of a replica before an exchange, random signs; 0.02 if all bonds are alike

/// Seconds of the launches of a sweep on an H100, and nanoseconds per site beyond them (perf/results/gpu-h100.md).
constexpr double device_launch_seconds = 130e-6;
constexpr double device_sweep_ns(int dimensions) { return dimensions == 2 ? 0.014 : 0.033; }

/// Nanoseconds per border site on one thread, of the exchange and of the tree, whose levels pass few clusters on.
constexpr double exchange_ns(int dimensions) { return dimensions == 2 ? 150 : 44; }
constexpr double tree_ns(int dimensions) { return dimensions == 2 ? 27 : 12; }
/// Bytes per border site that a rank sends for the tree, at T_c, where most border sites have labels of their own.
constexpr double tree_bytes(int dimensions) { return dimensions == 2 ? 5.6 : 3.0; }

void add_labels(const SwendsenWangPlan& plan, Work& work) {
    const int dimensions = plan.lattice().dimensions;
    const auto border = static_cast<double>(plan.border_sites());
    if (plan.label_protocol() == LabelProtocol::exchange) {
        constexpr double rounds = 5;  // slabs as high as wide; thin ones take more
        work.serial_seconds += 1e-9 * exchange_ns(dimensions) * border;
        work.messages += 4 * rounds;
        work.collectives += rounds;
        work.sent_bytes += 4 * 2 * border;
        return;
    }
    const double levels = std::bit_width(static_cast<unsigned>(plan.ranks() - 1));
    work.serial_seconds += 1e-9 * tree_ns(dimensions) * border;
    work.messages += 3 + 3 * levels;  // two messages up and one down each level
    work.sent_bytes += tree_bytes(dimensions) * border;
}

/// Sites of the slabs of all replicas.
double sites_per_sweep(const SwendsenWangPlan& plan) {
    return static_cast<double>(plan.lattice().slab_sites() * plan.groups().most_replicas());
}

/// Kernels take eight tiles of a row at a time: lanes over tiles, 1 where no lane is empty.
double lanes_per_tile(const SwendsenWangPlan& plan) {
    const std::uint64_t tiles = plan.lattice().row_tiles();
    return static_cast<double>((tiles + 7) / 8 * 8) / static_cast<double>(tiles);
}

}  // namespace

double update_seconds(const SwendsenWangPlan& plan) {
    const int dimensions = plan.lattice().dimensions;
    const UpdateRow& update = plan.config().update_row();
    const double clusters = sweep_ns(dimensions) + (plan.config().ghost().binds() ? ghost_ns : 0),
                 every = static_cast<double>(plan.config().measure_every);
    const double observation = !plan.config().clusters
                                   ? 2 * energy_ns
                                   : observation_ns(dimensions) + (plan.config().changes_clusters() ? 0 : clusters);
    const bool one_sign = plan.config().opposite == 0 || plan.config().opposite == 1;
    const double metropolis = metropolis_ns(dimensions) * (one_sign ? 1 : random_signs);
    const double sweep = (plan.config().changes_clusters() ? clusters : 0) +
                         (update.all_clusters && !update.single_spins ? 0 : metropolis);
    const double energies = plan.config().tempers() ? energy_ns / static_cast<double>(plan.config().exchange_every) : 0;
    return sites_per_sweep(plan) * lanes_per_tile(plan) * (sweep + observation / every + energies) * 1e-9;
}

double device_update_seconds(const SwendsenWangPlan& plan) {
    if (!plan.config().flips_all_clusters() || plan.config().has_metropolis()) return 0;
    const double replicas = static_cast<double>(plan.groups().most_replicas());
    return device_launch_seconds * replicas + 1e-9 * device_sweep_ns(plan.lattice().dimensions) * sites_per_sweep(plan);
}

double host_sweep_bytes(const SwendsenWangPlan& plan) {
    return sites_per_sweep(plan) * (plan.lattice().dimensions == 2 ? 5 : 8);
}

Work count_work(const SwendsenWangPlan& plan) {
    Work work;
    work.core_seconds = update_seconds(plan);
    work.memory_bytes = host_sweep_bytes(plan);
    work.pattern = Pattern::neighbours;
    const auto layers = static_cast<double>(plan.lattice().layers.size());
    const auto replicas = static_cast<double>(plan.groups().most_replicas());
    work.imbalance = layers * plan.ranks() / static_cast<double>(plan.lattice().all_layers()) * replicas *
                     plan.groups().groups / static_cast<double>(plan.groups().replicas);
    if (plan.ranks() > 1) {
        work.messages = 2;
        work.sent_bytes = 2.0 * 8 * static_cast<double>(plan.halo_words()) * plan.config().state_bits();
        const auto observed = static_cast<double>(plan.config().measure_every);
        work.collectives = 4 / observed;  // each observation has four
        if (plan.config().changes_clusters()) add_labels(plan, work);
    }
    for (double* part : {&work.messages, &work.sent_bytes, &work.collectives, &work.serial_seconds}) *part *= replicas;
    if (plan.groups().groups > 1) work.collectives += 2 / static_cast<double>(plan.config().exchange_every);
    return work;
}

}  // namespace strata::swendsen_wang
