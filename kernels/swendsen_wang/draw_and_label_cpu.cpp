// SPDX-License-Identifier: BSD-3-Clause
// First half of a sweep on the CPU: bonds, components of the tiles, ids and unions. Each thread processes its tile
// layers in bands that fit in its second-level cache, because a phase that reads the arrays of the phase before it from
// the cache does not wait for memory (4096 x 4096: unions 0.37 instead of 0.56 ns per site).
#include <algorithm>

#include "kernels/instruction_sets.hpp"
#include "kernels/swendsen_wang/band_kernels.hpp"
#include "kernels/swendsen_wang/sweep_kernels.hpp"
#include "strata/parallel.hpp"
#include "strata/timer.hpp"

namespace strata::swendsen_wang::STRATA_ISA {
namespace {

/// 64 KiB of component indices, 0.14 MB in all. 512 to 2048 tiles take the same time where the cache has 1 MiB.
constexpr std::uint64_t band_tiles = 1024;

/// Adds the time since the end of the last phase to that of a phase.
class PhaseTimers {
  public:
    explicit PhaseTimers(std::uint64_t* ticks) : ticks_(ticks), last_(TickClock::now()) {}
    void end(LabellingPhase phase) {
        const std::uint64_t now = TickClock::now();
        ticks_[phase] += now - last_;
        last_ = now;
    }

  private:
    std::uint64_t* ticks_;
    std::uint64_t last_;
};

/// Runs all phases on the rows of `band`; `undrawn`: the rows of the band whose bonds are not drawn yet.
void draw_and_label_band(const SlabView& s, ThreadPart& mine, Range undrawn, Range band, PhaseTimers& timers) {
    draw_rows(s, mine, undrawn);
    timers.end(bonds_phase);
    const std::uint64_t boundary_components = label_rows(s, band);
    timers.end(labels_phase);
    mine.overflow = mine.overflow || boundary_components > mine.id_end - mine.last_id;
    if (mine.overflow) return;
    assign_ids(s, mine, band);
    if (s.sweep.ghost.binds()) bind_components(s, mine, band);
    timers.end(numbering_phase);
    unite_rows(s, mine, band);
    timers.end(union_phase);
}

bool draw_and_label(const SlabView& s) {
    const std::uint64_t per_layer = s.lattice.rows_per_layer(), layer_tiles = per_layer * s.lattice.row_tiles();
    const std::uint64_t band_rows = std::max<std::uint64_t>(1, band_tiles / layer_tiles) * per_layer;
    in_team(s.thread_count, [&](int thread) {
        ThreadPart& mine = s.threads[thread];
        std::fill(mine.ticks, mine.ticks + labelling_phases, 0);
        PhaseTimers timers(mine.ticks);
        mine.satisfied = mine.up = mine.bound_sites = mine.bound_squares = 0;
        mine.last_id = mine.first_id;
        mine.overflow = false;
        // the labels of a layer need the bonds of the layer before: each thread draws its last layer before any starts
        const Range rows = mine.rows;
        const std::uint64_t last_layer = rows.empty() ? rows.last : rows.last - per_layer;
        draw_rows(s, mine, {last_layer, rows.last});
        if (rows.first == 0 && !rows.empty()) draw_entering_rows(s);
        timers.end(bonds_phase);
#pragma omp barrier
        for (std::uint64_t row = rows.first; row < rows.last; row += band_rows) {
            const Range band = {row, std::min(row + band_rows, rows.last)};
            draw_and_label_band(s, mine, {std::min(row, last_layer), std::min(band.last, last_layer)}, band, timers);
        }
    });
    return std::none_of(s.threads, s.threads + s.thread_count, [](const ThreadPart& t) { return t.overflow; });
}

}  // namespace

// Parts of the table that other files fill.
void fill_bonds(SweepKernels&);
void fill_unions(SweepKernels&);
void fill_ghost(SweepKernels&);
void fill_borders(SweepKernels&);
void fill_flips(SweepKernels&);
void fill_cluster_statistics(SweepKernels&);
void fill_metropolis(SweepKernels&);
void fill_replicas(SweepKernels&);

}  // namespace strata::swendsen_wang::STRATA_ISA

namespace strata::swendsen_wang {

SweepKernels sweep_kernels(instruction_set::STRATA_ISA set) {
    using namespace STRATA_ISA;
    SweepKernels table = {};
    table.name = set.name;
    table.draw_and_label = draw_and_label;
    fill_bonds(table);
    fill_unions(table);
    fill_ghost(table);
    fill_borders(table);
    fill_flips(table);
    fill_cluster_statistics(table);
    fill_metropolis(table);
    fill_replicas(table);
    return table;
}

}  // namespace strata::swendsen_wang
