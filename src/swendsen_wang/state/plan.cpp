// SPDX-License-Identifier: BSD-3-Clause
// The plan of a rank: its slab, its memory on a host or a device, its schedule, and their description. The tables of
// memory list the same arrays as slab_cpu.cpp, slab_cuda.cpp and borders_*.cpp allocate.
#include "swendsen_wang/state/plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "kernels/instruction_sets.hpp"
#include "kernels/swendsen_wang/device_sweep.hpp"
#include "kernels/swendsen_wang/slab_view.hpp"
#include "kernels/swendsen_wang/wolff.hpp"
#include "strata/checkpoint.hpp"
#include "strata/error.hpp"
#include "strata/formatted.hpp"
#include "swendsen_wang/physics/phase_coexistence.hpp"

namespace strata::swendsen_wang {
namespace {

constexpr std::uint64_t max_ids = 4294967295u;  // ids are 32-bit numbers

/// Number of ids to allocate for the boundary components of `tiles` tiles. Measured over all temperatures, in
/// equilibrium and right after a cold start, their density is at most 0.130 (2D) and 0.222 (3D) per site where all
/// couplings are positive; random signs make clusters smaller, and so do more states (3 to 256, hot and cold starts).
std::uint64_t ids_for(const SwendsenWangConfig& config, std::uint64_t tiles) {
    const int dimensions = static_cast<int>(config.extents.size());
    const double density = (dimensions == 2 ? 0.15 : 0.25) * (config.opposite > 0 || config.states > 2 ? 1.3 : 1);
    const auto expected = static_cast<std::uint64_t>(density * static_cast<double>(sites_per_tile * tiles)) + 16384;
    return std::min(static_cast<std::uint64_t>(max_boundary_components(dimensions)) * tiles, expected);
}

/// Number of ids per site that sweeps use at most, i.e. of which memory is taken, from 2560^2 to 6144^2 and 192^3 to 320^3 sites at 0.3
/// to 2 T_c: below T_c it falls to four per tile where a cold start and positive couplings leave the lattice ordered.
double used_ids_per_site(const SwendsenWangConfig& c) {
    const bool square = c.extents.size() == 2;
    const double most = square ? 0.14 : 0.22, least = 4.0 / sites_per_tile;
    if (!c.ferromagnetic() || c.start == Start::hot) return most;
    const double beta = c.tempers() ? c.betas.back() : c.beta, coupling = beta * c.coupling * (c.states == 2 ? 2 : 1);
    const double above = std::max(1.0, coupling / transition_coupling(c.states, c.extents.size()));
    return std::max(least, most * std::pow(above, square ? -4 : -2));
}

std::uint64_t layers_of(const SwendsenWangConfig& config) {
    return TileLattice(static_cast<int>(config.extents.size()), config.extents.data()).all_layers();
}

/// The groups of a number of ranks. Single clusters grow on one rank; overlaps compare replicas slab by slab.
ReplicaGroups groups_of(const SwendsenWangConfig& config, int ranks) {
    return {config.replicas(), ranks, config.grows_clusters() ? 1 : layers_of(config),
            config.overlap ? ReplicaGroups::Sizes::equal : ReplicaGroups::Sizes::any};
}

/// The groups of this number of ranks; throws Error(bad_input) if there are none, with the nearest smaller number that has some.
ReplicaGroups existing_groups(const SwendsenWangConfig& config, int ranks) {
    const ReplicaGroups groups = groups_of(config, ranks);
    if (groups.groups > 0) return groups;
    int fewer = ranks - 1;
    while (groups_of(config, fewer).groups == 0) --fewer;
    const std::string given = std::to_string(ranks), use = std::to_string(fewer);
    const std::string replicas =
        config.tempers() ? " of " + std::to_string(config.replicas()) + " replicas" : std::string();
    if (config.grows_clusters())
        throw Error(ExitCode::bad_input, "run.update = wolff grows each cluster on one rank, and " + given +
                                             " ranks would divide the lattice" + replicas + "; use " + use + " rank" +
                                             (fewer > 1 ? "s" : "") + ", or run.update = swendsen-wang.");
    const std::uint64_t layers = layers_of(config);
    const int edge = config.extents.size() == 2 ? 8 : 4;
    if (static_cast<std::uint64_t>(ranks) > layers * config.replicas())
        throw Error(ExitCode::bad_input, given + " ranks are more than the " + std::to_string(layers) +
                                             " tile layers of " + std::to_string(edge) + " sites along the last axis" +
                                             replicas + "; use at most " + use +
                                             " ranks or make that axis the longest.");
    throw Error(ExitCode::bad_input, given + " ranks cannot share the" + replicas.substr(3) +
                                         " of run.overlap equally, each on at most " + std::to_string(layers) +
                                         " tile layers; use " + use + " ranks.");
}

/// The slab of a rank: whole tile layers, in numbers as equal as possible.
TileLattice slab_of(const SwendsenWangConfig& config, std::uint64_t ranks, std::uint64_t rank) {
    TileLattice lattice(static_cast<int>(config.extents.size()), config.extents.data());
    lattice.layers = equal_part(lattice.all_layers(), ranks, rank);
    return lattice;
}

/// The extents as a product, e.g. 64 x 64.
std::string joined(const std::vector<std::uint64_t>& numbers) {
    std::string text;
    for (std::uint64_t n : numbers) text += (text.empty() ? "" : " x ") + std::to_string(n);
    return text;
}

/// The temperature or temperatures of a run, e.g. "beta 0.4".
std::string temperatures(const SwendsenWangConfig& config) {
    if (config.tempers())
        return formatted("%zu temperatures from %.10g to %.10g", config.betas.size(), 1 / config.betas.front(),
                         1 / config.betas.back());
    return config.coordinate == Coordinate::beta ? formatted("beta %.10g", config.beta)
                                                 : formatted("temperature %.10g", config.temperature());
}

}  // namespace

/// The time of a sweep is that of the group of the fewest ranks, in sweeps of one replica by one rank.
ReplicaGroups::ReplicaGroups(std::uint64_t n_replicas, int n_ranks, std::uint64_t most_ranks, Sizes sizes)
    : replicas(n_replicas), all_ranks(n_ranks) {
    const auto total = static_cast<std::uint64_t>(n_ranks);
    std::uint64_t time = 0, fewest = 1;
    for (std::uint64_t count = 1; count <= total && count <= replicas; ++count) {
        if ((total + count - 1) / count > most_ranks || (sizes == Sizes::equal && total % count != 0)) continue;
        const std::uint64_t sweeps = (replicas + count - 1) / count, ranks = total / count;
        if (groups > 0 && sweeps * fewest > time * ranks) continue;
        groups = static_cast<int>(count);
        time = sweeps;
        fewest = ranks;
    }
}

SwendsenWangPlan::SwendsenWangPlan(const SwendsenWangConfig& config, int ranks, int rank, int threads,
                                   BackendKind backend)
    : config_(config),
      groups_(existing_groups(config, ranks)),
      own_ranks_(groups_.ranks_of(groups_.of(rank))),
      lattice_(slab_of(config, own_ranks_.size(), static_cast<std::uint64_t>(rank) - own_ranks_.first)),
      kernels_(&choose_kernels(sweep_variants(), config.simd)),
      threads_(backend == BackendKind::cuda ? 1 : std::max(1, threads)),
      backend_(backend),
      id_capacity_(0) {
    for (int t = 0; t < threads_; ++t) id_capacity_ += thread_ids(t);
    if (id_capacity_ > max_ids) {
        // smallest number of ranks whose largest slab has few enough ids
        std::uint64_t fitting = own_ranks_.size();
        const auto ids_of_first = [&](std::uint64_t r) {
            return ids_for(config_, equal_part(lattice_.all_layers(), r, 0).size() * lattice_.rows_per_layer() *
                                        lattice_.row_tiles());
        };
        while (fitting < lattice_.all_layers() && ids_of_first(fitting) > max_ids) ++fitting;
        throw Error(ExitCode::does_not_fit, "A slab of this lattice on " + std::to_string(ranks) +
                                                " ranks needs more than 2^32 - 1 labels; at least " +
                                                std::to_string(fitting * static_cast<std::uint64_t>(groups_.groups)) +
                                                " ranks are necessary.");
    }
}

Range SwendsenWangPlan::thread_rows(int thread) const {
    const std::uint64_t per_layer = lattice_.rows_per_layer();
    const Range layers =
        equal_part(lattice_.layers.size(), static_cast<std::uint64_t>(threads_), static_cast<std::uint64_t>(thread));
    return {layers.first * per_layer, layers.last * per_layer};
}

std::uint64_t SwendsenWangPlan::thread_ids(int thread) const {
    return ids_for(config_, thread_rows(thread).size() * lattice_.row_tiles()) + id_slack;
}

/// The tree is the faster one on any number of ranks (perf/notebook.md).
LabelProtocol SwendsenWangPlan::label_protocol() const {
    return config_.merge == Merge::exchange ? LabelProtocol::exchange : LabelProtocol::tree;
}

std::uint64_t SwendsenWangPlan::halo_words() const { return (border_sites() + 63) / 64; }

std::uint64_t SwendsenWangPlan::border_sites() const {
    return lattice_.rows_per_layer() * lattice_.row_tiles() *
           static_cast<std::uint64_t>(boundary_sites(lattice_.dimensions));
}

/// A checkpoint stores the spins and one digest per tile row.
MemoryPrediction SwendsenWangPlan::memory() const {
    MemoryPrediction prediction = backend_ == BackendKind::cuda ? device_memory() : host_memory();
    for (auto* items : {&prediction.host, &prediction.device})
        for (MemoryPrediction::Item& item : *items) item.bytes *= groups_.most_replicas();
    if (config_.overlap)
        prediction.host.push_back({"spins for overlaps", 2 * 8 * lattice_.slab_tiles() * groups_.most_replicas()});
    prediction.checkpoint_bytes = groups_.replicas * 8 * spin_arrays() * lattice_.all_layers() *
                                  lattice_.rows_per_layer() * (lattice_.row_tiles() + 1);
    return prediction;
}

/// Memory of Slab<Cuda> and Borders<Cuda>.
MemoryPrediction SwendsenWangPlan::device_memory() const {
    const std::uint64_t tiles = lattice_.slab_tiles(), words = lattice_.stored_rows() * lattice_.row_tiles();
    const std::uint64_t border = ranks() > 1 ? border_sites() : 0, halo = 4 * 8 * halo_words();
    const auto dimensions = static_cast<std::uint64_t>(lattice_.dimensions);
    MemoryPrediction prediction;
    prediction.device = {
        {"spins", 8 * words * (config_.has_metropolis() ? 2 : spin_arrays())},
        {"bonds", 8 * words * dimensions},
        {"component indices", 8 * static_cast<std::uint64_t>(component_bits(lattice_.dimensions)) * tiles},
        {"cluster spins and ids of tiles", (4 + 16 * spin_arrays()) * tiles + tiles / 64},
        {"parents and cluster spins", 5 * id_capacity_},
        {"cluster sizes", 8 * id_capacity_},
        {"borders", halo + 2 * border * (4 + 4 + 1 + 8) + (ranks() > 1 ? 4 * id_capacity_ : 0)},
        {"tile rows, planes, moments", sizeof(DeviceTileRow) * lattice_.stored_rows() +
                                           8 * (lattice_.extent[0] + lattice_.extent[1] + lattice_.extent[2]) +
                                           sizeof(ClusterMoments) * moment_warps(id_capacity_)},
    };
    prediction.host = {
        {"checkpoint slab", std::min<std::uint64_t>(checkpoint_slab_bytes, 8 * tiles)},
        {"border labels", halo + 2 * border * (4 + 4 + 1 + 8 + 64)},
    };
    return prediction;
}

/// Memory of Slab<Cpu> and Borders<Cpu>. Lists of border clusters, of the neighbour's and of their sets take 20 (3D) to 32
/// (2D) bytes per border site at T_c, where half of the sites or fewer have an active bond, and half more as they grow.
MemoryPrediction SwendsenWangPlan::host_memory() const {
    const std::uint64_t tiles = lattice_.slab_tiles(), dimensions = static_cast<std::uint64_t>(lattice_.dimensions);
    const auto threads = static_cast<std::uint64_t>(threads_);
    constexpr std::uint64_t border_label_bytes = 48;
    const auto ids = std::min(id_capacity_, static_cast<std::uint64_t>(used_ids_per_site(config_) *
                                                                       static_cast<double>(sites_per_tile * tiles)));
    std::uint64_t planes = 0;
    for (std::uint64_t extent : config_.extents) planes += extent;
    MemoryPrediction prediction;
    prediction.host = {
        {"spins", 8 * padded_words() * (config_.has_metropolis() ? 2 : spin_arrays())},
        {"bonds", 8 * padded_words() * dimensions},
        {"component indices", 64 * tiles},
        {"minimal sites and first ids", ((2 + spin_arrays()) * 8 + 4) * tiles},
        {"parents and cluster spins", 5 * ids},
        {"cluster sizes", 8 * ids},
        {"growing cluster", config_.grows_clusters() ? (sizeof(ClusterTile) + 8) * tiles + 4 : 0},
        {"border labels", ranks() > 1 ? 4 * 8 * halo_words() + border_label_bytes * border_sites() : 0},
        {"scratch of threads",
         threads * (8 * (8 * lattice_.row_stride() + 64) + 8 * (staged_pairs + 64)) + 40 * planes},
        {"checkpoint slab", std::min<std::uint64_t>(checkpoint_slab_bytes, 8 * tiles)},
    };
    return prediction;
}

std::vector<std::string> SwendsenWangPlan::description() const {
    std::vector<std::string> lines;
    std::string boundaries, signs = config_.coupling < 0 ? "Antiferromagnetic Ising model" : "Ising model";
    if (config_.states > 2) signs = std::to_string(config_.states) + "-state Potts model, H = -J sum delta(s, s'),";
    for (const Boundary b : config_.periodic() ? std::vector{Boundary::periodic} : config_.boundaries)
        boundaries += (boundaries.empty() ? "" : ",") +
                      std::string(std::ranges::find(boundary_choices, b, &Choice<Boundary>::value)->word);
    if (config_.opposite > 0) {
        char fraction[80];
        std::snprintf(fraction, sizeof fraction, " with a fraction %.10g of couplings -J", config_.opposite);
        signs += fraction;
    }
    if (config_.field != 0) {
        char field[60];
        std::snprintf(field, sizeof field, " in a field h = %.10g", config_.field);
        signs += field;
    }
    lines.push_back(signs + " on " + joined(config_.extents) + " sites, " + boundaries + "; " + temperatures(config_));
    constexpr const char* updates[] = {"Swendsen-Wang, ", "Metropolis, ", "Metropolis and Swendsen-Wang, ", "Wolff, "};
    const std::string sweeps = std::to_string(config_.sweeps) + " sweeps";
    const std::string clusters =
        config_.grows_clusters()
            ? formatted(" of %llu cluster%s", static_cast<unsigned long long>(config_.clusters_per_sweep),
                        config_.clusters_per_sweep > 1 ? "s" : "")
            : std::string();
    lines.push_back(updates[static_cast<int>(config_.update)] +
                    (config_.finds_thermalization ? sweeps + " that include the thermalization"
                                                  : std::to_string(config_.thermalization) + " + " + sweeps) +
                    clusters + ", observed every " + std::to_string(config_.measure_every) + "; seed " +
                    std::to_string(config_.seed) +
                    (config_.target_error == 0 ? std::string()
                                               : formatted("; fewer sweeps once the error of %s is at most %.10g",
                                                           config_.target.c_str(), config_.target_error)));
    if (config_.tempers())
        lines.push_back(formatted("parallel tempering: neighbouring temperatures exchange replicas every %llu sweeps%s",
                                  static_cast<unsigned long long>(config_.exchange_every),
                                  config_.overlap ? "; two replicas at each, and their overlap" : "") +
                        (groups_.groups > 1 ? formatted("; %d groups of %s%d rank%s", groups_.groups,
                                                        groups_.all_ranks % groups_.groups > 0 ? "up to " : "", ranks(),
                                                        ranks() > 1 ? "s" : "")
                                            : std::string()));
    lines.push_back("slabs of " + counted(lattice_.layers.size(), "tile layer") +
                    (ranks() > 1 ? std::string(", border labels by ") +
                                       (label_protocol() == LabelProtocol::tree ? "tree" : "exchange")
                                 : std::string()));
    return lines;
}

/// Sweeps of thermalization are not observed; afterwards every measure_every-th sweep is, starting with the first.
bool SwendsenWangPlan::observes(std::uint64_t step) const {
    return step >= config_.thermalization && (step - config_.thermalization) % config_.measure_every == 0;
}

bool SwendsenWangPlan::may_end(std::uint64_t steps) const {
    if (config_.target_error == 0 || steps == 0 || !observes(steps - 1)) return false;
    const std::uint64_t made = (steps - 1 - config_.thermalization) / config_.measure_every + 1;
    std::uint64_t review = 100;
    while (review < made) review += review / 4;
    return review == made;
}

std::uint64_t SwendsenWangPlan::observations() const {
    return (config_.sweeps + config_.measure_every - 1) / config_.measure_every;
}

}  // namespace strata::swendsen_wang
