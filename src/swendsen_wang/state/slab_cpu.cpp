// SPDX-License-Identifier: BSD-3-Clause
// Allocation of a slab in host memory, and the calls of the kernels of a sweep. Memory is first written by the thread
// that works on it, so that on machines with several memory nodes the tile rows of each thread lie on its own node.
#include "swendsen_wang/state/slab_cpu.hpp"

#include <algorithm>
#include <utility>

#include "strata/error.hpp"
#include "strata/parallel.hpp"

namespace strata::swendsen_wang {
namespace {

/// Zeroes the tile rows of each thread, and the adjacent halo and guard words, by that thread.
void first_touch(const SlabView& s, std::uint64_t* memory, std::uint64_t words, std::uint64_t origin) {
    const std::uint64_t stride = s.lattice.row_stride();
    in_team(s.thread_count, [&](int t) {
        const Range rows = s.threads[t].rows;
        const std::uint64_t first = t == 0 ? 0 : origin + rows.first * stride;
        const std::uint64_t last = t + 1 == s.thread_count ? words : origin + rows.last * stride;
        std::fill(memory + first, memory + last, 0);
    });
}

/// Three rows of words, one word per tile of a tile row: its sites, its last sites along x, and the shift to the last
/// sites.
Buffer<std::uint64_t> make_columns(const TileLattice& l) {
    const std::uint64_t length = l.row_stride();
    Buffer<std::uint64_t> columns(3 * length);
    std::fill(columns.begin(), columns.end(), 0);
    for (std::uint64_t tile = 0; tile < l.row_tiles(); ++tile) {
        const std::uint64_t width = l.width(0, tile);
        columns[tile] = sites_below(l.dimensions, 0, width);
        columns[length + tile] = last_sites(l.dimensions, 0, width);
        columns[2 * length + tile] = width - 1;
    }
    return columns;
}

}  // namespace

/// Threads are allocated first, because they write the memory of spins and bonds first.
Slab<Cpu>::Slab(const SwendsenWangPlan& plan) : kernels_(plan.kernels()) {
    view_.lattice = plan.lattice();
    view_.sweep.seed = plan.config().seed;
    view_.sweep.states = plan.config().states;
    view_.state_bits = plan.config().state_bits();
    view_.id_capacity = plan.id_capacity();
    allocate_threads(plan);
    allocate_spins_and_bonds(plan);
    allocate_labels();
    if (plan.config().grows_clusters()) allocate_growth();
}

/// Sets the tile rows and ids of each thread and allocates its scratch memory.
void Slab<Cpu>::allocate_threads(const SwendsenWangPlan& plan) {
    threads_.resize(static_cast<std::size_t>(plan.threads()));
    for (std::size_t t = 0; t < threads_.size(); ++t) {
        ThreadPart& part = threads_[t];
        part.rows = plan.thread_rows(static_cast<int>(t));
        part.first_id = part.last_id = t == 0 ? 0 : threads_[t - 1].id_end + id_slack;
        part.id_end = part.first_id + static_cast<std::uint32_t>(plan.thread_ids(static_cast<int>(t))) - id_slack;
        part.row_words = row_words_.emplace_back(8 * view_.lattice.row_stride() + 64).data();
        part.pair_a = pairs_.emplace_back(staged_pairs + 32).data();
        part.pair_b = pairs_.emplace_back(staged_pairs + 32).data();
    }
    view_.threads = threads_.data();
    view_.thread_count = plan.threads();
}

/// Allocates spins and bonds with halo rows and guard words, all zero, and the properties of tile columns.
void Slab<Cpu>::allocate_spins_and_bonds(const SwendsenWangPlan& plan) {
    const auto padded = [&] {
        std::uint64_t* memory = padded_.emplace_back(plan.padded_words()).data();
        first_touch(view_, memory, plan.padded_words(), plan.origin());
        return memory + plan.origin();
    };
    for (int bit = 0; bit < view_.state_bits; ++bit) view_.spins[bit] = padded();
    for (int axis = 0; axis < view_.lattice.dimensions; ++axis) view_.bonds[axis] = padded();
    if (plan.config().has_metropolis()) view_.next_spins = padded();
    const std::uint64_t length = view_.lattice.row_stride();
    columns_ = make_columns(view_.lattice);
    view_.column_sites = columns_.data();
    view_.column_last = columns_.data() + length;
    view_.column_shift = columns_.data() + 2 * length;
}

/// Allocates the components of each tile and the union-find over their ids.
void Slab<Cpu>::allocate_labels() {
    const std::uint64_t tiles = view_.lattice.slab_tiles(), ids = view_.id_capacity;
    view_.component = allocate(components_, sites_per_tile * tiles).data();
    view_.boundary_minima = allocate(boundary_minima_, tiles).data();
    view_.interior_minima = allocate(interior_minima_, tiles).data();
    for (int bit = 0; bit < view_.state_bits; ++bit)
        view_.interior_spins[bit] = allocate(interior_spins_[bit], tiles).data();
    view_.first_id = allocate(first_ids_, tiles).data();
    view_.parent = allocate(parents_, ids).data();
    view_.cluster_spin = allocate(cluster_spins_, ids).data();
    allocate(sizes_, ids);
}

void Slab<Cpu>::allocate_growth() {
    const std::uint64_t tiles = view_.lattice.slab_tiles();
    growth_.tiles = allocate(growing_, tiles).data();
    growth_.reached = allocate(reached_, tiles).data();
    growth_.waiting = allocate(waiting_, tiles + 1).data();
    std::fill(growing_.begin(), growing_.end(), ClusterTile());
}

void Slab<Cpu>::fill(const FirstSpins& first) {
    for (int bit = 0; bit < view_.state_bits; ++bit)
        fill_spins(view_.lattice, first, bit, {0, view_.lattice.rows()}, view_.lattice.row_stride(), view_.thread_count,
                   view_.spins[bit] + view_.word(0, 0));
    restored();
}

std::vector<DistributedArray> Slab<Cpu>::state() {
    const TileLattice& l = view_.lattice;
    std::vector<DistributedArray> arrays;
    for (int bit = 0; bit < view_.state_bits; ++bit)
        arrays.push_back(host_array(spin_shape(l, view_.sweep.states, bit), spin_rows(l),
                                    view_.spins[bit] + view_.word(0, 0), l.row_stride()));
    return arrays;
}

/// Copies the first word of each tile row to the word after its end, which the kernels read as the periodic neighbour.
void Slab<Cpu>::restored() {
    for (int bit = 0; bit < view_.state_bits; ++bit)
        for (std::uint64_t r = 0; r < view_.lattice.rows(); ++r) {
            std::uint64_t* spins = view_.spins[bit] + view_.word(static_cast<std::int64_t>(r), 0);
            spins[view_.lattice.row_tiles()] = spins[0];
        }
}

/// The new spins become the spins; two updates bring both arrays back to their places.
void Slab<Cpu>::update_colour(const MetropolisTable& table, int colour, Timers& timers) {
    const Timers::Scope scope = timers.scope("metropolis");
    kernels_.update_colour(view_, table, colour);
    std::swap(view_.spins[0], view_.next_spins);
}

/// The kernel processes bonds, labels, numbering and unions band by band and measures these phases itself.
void Slab<Cpu>::draw_and_label(Timers& timers) {
    if (!kernels_.draw_and_label(view_))
        throw Error(ExitCode::internal, "This configuration has more boundary components than foreseen.");
    constexpr const char* names[] = {"bonds", "labels", "numbering", "union"};
    for (int phase = 0; phase < labelling_phases; ++phase)
        timers.add_ticks(names[phase], phase_ticks(static_cast<LabellingPhase>(phase)));
    {
        const Timers::Scope scope = timers.scope("union across threads");
        kernels_.unite_across_threads(view_);
    }
    if (!view_.sweep.ghost.binds()) return;
    const Timers::Scope scope = timers.scope("ghost spin");
    kernels_.bind_clusters(view_);
}

/// Mean over the threads of the ticks of a phase in the last draw_and_label().
std::uint64_t Slab<Cpu>::phase_ticks(LabellingPhase phase) const {
    std::uint64_t sum = 0;
    for (const ThreadPart& thread : threads_) sum += thread.ticks[phase];
    return sum / threads_.size();
}

void Slab<Cpu>::count_spins(Observation& observation, Timers& timers) {
    const Timers::Scope scope = timers.scope("energies");
    kernels_.count_spins(view_);
    add_spins(observation);
}

void Slab<Cpu>::count_spins_and_planes(Observation& observation, Timers& timers) {
    count_spins(observation, timers);
    const Timers::Scope scope = timers.scope("observation");
    kernels_.count_planes(view_, observation.planes());
}

/// Adds the satisfied bonds and up spins that the threads have counted.
void Slab<Cpu>::add_spins(Observation& observation) const {
    for (const ThreadPart& thread : threads_) observation.add_spins(thread.satisfied, thread.up);
}

/// Satisfied bonds and up spins were counted with the bonds.
void Slab<Cpu>::count(Observation& observation) {
    add_spins(observation);
    kernels_.count_planes(view_, observation.planes());
    if (view_.sweep.states > 2) kernels_.count_states(view_, observation.states());
    kernels_.count_cluster_sizes(view_, sizes_.data(), observation.clusters());
}

void Slab<Cpu>::accumulate_moments(Observation& observation) {
    kernels_.accumulate_moments(view_, sizes_.data(), observation.clusters());
}

void Slab<Cpu>::flip(Timers& timers) {
    const Timers::Scope scope = timers.scope("flip");
    kernels_.flip_clusters(view_);
}

}  // namespace strata::swendsen_wang
