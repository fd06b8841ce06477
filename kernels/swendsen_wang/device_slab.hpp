// SPDX-License-Identifier: BSD-3-Clause
// Arrays of one slab on a device, which the kernels of the sweep use but do not own. `word` is the position of a tile
// in arrays with a layer of halo rows below and above, `index_of` its index among the slab's own tiles. Boundary
// components have ids in the order of minimal sites, without gaps; the first id of a tile is the first id of its group
// of 256 tiles plus an offset. Arrays have the names of slab_view.hpp; kernels/README.md explains the numberings.
#pragma once

#include <cstdint>

#include "kernels/swendsen_wang/cluster_moments.hpp"
#include "kernels/swendsen_wang/potts_states.hpp"
#include "kernels/swendsen_wang/sweep.hpp"
#include "kernels/swendsen_wang/tile_core.hpp"
#include "kernels/swendsen_wang/tile_lattice.hpp"
#include "strata/buffer.hpp"

namespace strata::swendsen_wang {

/// Number of threads of a block in most kernels, and of tiles whose ids are counted together.
constexpr unsigned group_tiles = 256;

/// Properties that the tiles of one tile row share; halo rows have them too.
struct DeviceTileRow {
    std::uint64_t first_tile = 0;         ///< global index of its first tile
    std::uint64_t sites = 0;              ///< row_sites()
    std::int32_t next[2] = {};            ///< tile rows of the next tiles along y (and z)
    std::int32_t previous[2] = {};        ///< tile rows of the previous tiles along y (and z)
    std::int32_t shift[2] = {};           ///< bits from the first to the last sites along y (and z)
    bool at_end[2] = {};                  ///< the next tiles along y (and z) are across the end of the lattice
    std::int32_t previous_shift[2] = {};  ///< bits from the first to the last sites in the previous tiles
};

/// Indices of the 64-bit counters of a sweep in device memory.
enum Count : std::uint32_t {
    satisfied_count,      ///< satisfied bonds
    up_count,             ///< up spins
    id_count,             ///< boundary components
    border_count,         ///< clusters on the borders to other slabs
    interior_size_count,  ///< from here on: interior components by size, 0 .. 64
    /// From here on: those of them that are bound to the ghost spin, in observed sweeps.
    bound_size_count = interior_size_count + sites_per_tile + 1,
    all_counts = bound_size_count + sites_per_tile + 1
};

struct DeviceSlab {
    int dimensions = 2;
    std::uint32_t row_tiles = 0;
    std::int32_t rows = 0, rows_per_layer = 0;
    std::uint32_t tiles = 0;
    std::int32_t last_column_shift = 0;   ///< bits from the first to the last sites along x in the last tile of a row
    std::uint64_t last_column_sites = 0;  ///< sites of the last tile of a row within the extent along x
    bool whole = false;                   ///< the slab is the whole lattice; its first tile layer follows its last one
    std::uint64_t lattice_sites = 0;      ///< sites of the whole lattice
    std::uint64_t id_capacity = 0;
    Sweep sweep;

    View<const DeviceTileRow, Cuda> tile_rows;  ///< [halo rows, rows, halo rows]
    int state_bits = 1;                         ///< binary digits of a state: 1 in the Ising model, where 1 is spin up
    View<std::uint64_t, Cuda> spins[max_state_bits];  ///< [digit][stored rows][row_tiles] digits of the sites' states
    View<std::uint64_t, Cuda> next_spins;             ///< likewise; written by a Metropolis update, else empty
    View<std::uint64_t, Cuda> bonds[3];               ///< likewise; active bonds to the next site along each axis
    View<std::uint64_t, Cuda> component;  ///< [component_bits][tiles] bit planes of each site's component index
    /// [digit][tiles] sites of interior components whose cluster spin has the digit (Ising: 1 stands for -1)
    View<std::uint64_t, Cuda> interior_flips[max_state_bits];
    /// [digit][tiles] random spins of boundary components, by component index
    View<std::uint64_t, Cuda> boundary_spins[max_state_bits];
    View<std::uint32_t, Cuda> id_range;        ///< [tiles] ids before it in its group << 8 | its boundary components
    View<std::uint32_t, Cuda> group_first_id;  ///< [groups] first id
    View<std::uint32_t, Cuda> parent;          ///< [id] a smaller id of the same cluster, or itself
    /// [id] random spin of the component, or bound_spin; for roots, of the cluster
    View<std::uint8_t, Cuda> cluster_spin;
    View<std::uint64_t, Cuda> size;    ///< [id] sites, in observed sweeps
    View<std::uint64_t, Cuda> counts;  ///< [all_counts]

    STRATA_HOST_DEVICE std::uint64_t word(std::int32_t row, std::uint32_t column) const {
        return static_cast<std::uint64_t>(row + rows_per_layer) * row_tiles + column;
    }
    STRATA_HOST_DEVICE std::uint32_t index_of(std::int32_t row, std::uint32_t column) const {
        return static_cast<std::uint32_t>(row) * row_tiles + column;
    }
};

/// Clusters of a slab that have an active bond to another slab, for comm/label_ownership.hpp.
struct DeviceBorders {
    View<std::uint32_t, Cuda> at_site[2];   ///< [site on the border to the previous, next slab] its cluster, or none
    View<std::uint32_t, Cuda> root;         ///< [cluster] id of its root in this slab
    View<std::uint8_t, Cuda> cluster_spin;  ///< [cluster] its spin
    View<std::uint64_t, Cuda> size;         ///< [cluster] sites
    View<std::uint32_t, Cuda> cluster_of;   ///< [id] its cluster, or none; all none between sweeps
    static constexpr std::uint32_t none = UINT32_MAX;
};

}  // namespace strata::swendsen_wang
