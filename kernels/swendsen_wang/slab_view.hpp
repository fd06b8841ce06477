// SPDX-License-Identifier: BSD-3-Clause
// Arrays of one slab in host memory, which the kernels of the sweep use but do not own. `word(row, tile)` is the
// position of a tile in arrays with halo rows, `index_of(row, tile)` its index among the slab's own tiles.
// kernels/README.md explains the numberings of components and clusters; the arrays of a device have the same names
// (device_slab.hpp).
#pragma once

#include <cstdint>

#include "kernels/swendsen_wang/potts_states.hpp"
#include "kernels/swendsen_wang/sweep.hpp"
#include "kernels/swendsen_wang/tile_lattice.hpp"
#include "strata/partition.hpp"

namespace strata::swendsen_wang {

/// Phases of draw_and_label(), timed by each thread.
enum LabellingPhase : int { bonds_phase, labels_phase, numbering_phase, union_phase, labelling_phases };

/// Part of a slab that belongs to one thread, and the thread's scratch memory. The alignment prevents two parts from
/// sharing a cache line.
struct alignas(128) ThreadPart {
    Range rows;                                  ///< tile rows of this thread: whole tile layers
    std::uint32_t first_id = 0;                  ///< first id of its boundary components, which are numbered in order
    std::uint32_t last_id = 0;                   ///< end of the ids in use
    std::uint32_t id_end = 0;                    ///< end of the ids that it may use
    bool overflow = false;                       ///< there are more boundary components than ids
    std::uint64_t satisfied = 0;                 ///< satisfied bonds
    std::uint64_t up = 0;                        ///< up spins
    std::uint64_t bound_sites = 0;               ///< sites of interior components that are bound to the ghost spin
    std::uint64_t bound_squares = 0;             ///< sum of the squares of the sizes of these components
    std::uint64_t ticks[labelling_phases] = {};  ///< of TickClock, in each phase of the last draw_and_label()
    std::uint64_t* row_words = nullptr;          ///< scratch: 8 rows of words
    std::uint32_t* pair_a = nullptr;             ///< scratch: first ids of the staged pairs
    std::uint32_t* pair_b = nullptr;             ///< scratch: second ids of the staged pairs
};

/// Ids at the end of a thread's range that stay unused, because kernels write whole vectors of ids.
constexpr std::uint32_t id_slack = 64;

/// Pairs of ids that a thread collects before it unites them.
constexpr std::uint64_t staged_pairs = 4096;

struct SlabView {
    TileLattice lattice;
    Sweep sweep;

    int state_bits = 1;  ///< binary digits of a state: 1 in the Ising model, where 1 is spin up
    /// [digit][stored_rows][row_stride] from row 0, tile 0: binary digits of the states of the sites
    std::uint64_t* spins[max_state_bits] = {};
    std::uint64_t* next_spins = nullptr;                    ///< likewise; written by a Metropolis update, else none
    std::uint64_t* bonds[3] = {nullptr, nullptr, nullptr};  ///< likewise; active bonds to the next site along each axis
    const std::uint64_t* column_sites = nullptr;  ///< [row_stride] sites within the extent along x, per tile column
    const std::uint64_t* column_last = nullptr;   ///< [row_stride] sites on the boundary to the next tile along x
    const std::uint64_t* column_shift = nullptr;  ///< [row_stride] bits from the first sites along x to the last ones
    std::uint8_t* component = nullptr;            ///< [tile][64] component index in the tile, boundary components first
    std::uint64_t* boundary_minima = nullptr;     ///< [tile] minimal sites of its boundary components
    std::uint64_t* interior_minima = nullptr;     ///< [tile] minimal sites of its interior components
    /// [digit][tile] cluster spins of interior components, by component index
    std::uint64_t* interior_spins[max_state_bits] = {};
    std::uint32_t* first_id = nullptr;  ///< [tile] id of the tile's first boundary component
    std::uint32_t* parent = nullptr;    ///< [id] a smaller id of the same cluster, or itself
    /// [id] random spin of the component, or bound_spin; after flip_clusters, of its cluster
    std::uint8_t* cluster_spin = nullptr;
    std::uint64_t id_capacity = 0;  ///< ids of all threads together

    ThreadPart* threads = nullptr;
    int thread_count = 1;

    std::int64_t word(std::int64_t row, std::uint64_t tile) const {
        return row * static_cast<std::int64_t>(lattice.row_stride()) + static_cast<std::int64_t>(tile);
    }
    std::uint64_t index_of(std::uint64_t row, std::uint64_t tile) const { return row * lattice.row_tiles() + tile; }
};

}  // namespace strata::swendsen_wang
