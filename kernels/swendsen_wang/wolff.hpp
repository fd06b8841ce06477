// SPDX-License-Identifier: BSD-3-Clause
// The single-cluster update of U. Wolff, Phys. Rev. Lett. 62, 361 (1989), on a slab that is the whole lattice: the
// cluster of a site drawn at random gets another state. Its bonds have the random words of a Swendsen-Wang sweep of the
// same number, so that it is the cluster that this sweep would label at that site.
//
// The cluster grows tile by tile. A tile that it reaches draws its bonds once, and all sites that these bonds connect
// within the tile are added together:
//
//   tile n - 1    tile n      tile n + 1      the bonds of a tile lead to the next tiles; those from the previous tile
//    . . . o--->--o o o . .--.-. . .          belong to it, and it draws the ones along that axis alone until the
//    . . . . . .  . o o o->--o o . .          cluster has reached it
//
// Work is done for the tiles that the cluster reaches, and for no others. At T_c, where they have 41 (64 x 64 tiles) or 16
// (16 x 16 x 16 tiles) of its sites on average, each is visited 2.2 times and draws its bonds along all axes once.
#pragma once

#include <cstdint>

#include "kernels/swendsen_wang/slab_view.hpp"

namespace strata::swendsen_wang {

/// Part of a growing cluster in one tile, one line of the cache. All are zero between two clusters.
struct alignas(64) ClusterTile {
    std::uint64_t sites = 0;      ///< sites of the cluster
    std::uint64_t spread = 0;     ///< sites whose bonds have been followed
    std::uint64_t drawn = 0;      ///< bit `axis`: the bonds along that axis are drawn
    std::uint64_t bonds[3] = {};  ///< active bonds to the next site along each axis
};

/// Memory of a growing cluster.
struct ClusterGrowth {
    ClusterTile* tiles = nullptr;      ///< [tile]
    std::uint32_t* reached = nullptr;  ///< [tiles] scratch: tiles with drawn bonds
    std::uint32_t* waiting = nullptr;  ///< [tiles + 1] scratch: tiles with sites that have not spread
};

/// Grows the cluster number `s.sweep.index` and changes its state: all its spins flip; Potts states move by one random
/// number from 1 to q - 1, modulo q. The slab must be the whole lattice, of N sites. The cluster is empty with probability
/// 1 / (N + 1): where no bond is active, flips of single sites would otherwise alternate between even and odd numbers of up
/// spins for ever. Returns the number of its sites.
std::uint64_t change_one_cluster(const SlabView& s, const ClusterGrowth& growth);

}  // namespace strata::swendsen_wang
