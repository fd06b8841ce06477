// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic of the sweep on one tile of 64 sites, for kernels in which one thread computes one tile. The vector
// kernels of the CPU compute many tiles at once and give the same bits.
#pragma once

#include <cstdint>

#include "kernels/swendsen_wang/counter_words.hpp"
#include "kernels/swendsen_wang/sweep.hpp"
#include "kernels/swendsen_wang/tile_lattice.hpp"
#include "strata/backend.hpp"

namespace strata::swendsen_wang {

/// Largest number of boundary components of a tile: each has at least one of the sites on the boundaries of the tile.
constexpr int max_boundary_components(int dimensions) { return dimensions == 2 ? 28 : 56; }

/// Number of bits of a component index on a device. The index of all ones is not used by boundary components; it marks
/// sites of interior components.
constexpr int component_bits(int dimensions) { return dimensions == 2 ? 5 : 6; }

/// Lowest set bit, or 0.
STRATA_HOST_DEVICE constexpr std::uint64_t lowest(std::uint64_t bits) { return bits & (0 - bits); }

/// Boundary between a tile and the next one along an axis.
struct TileBoundary {
    std::uint64_t first = 0;  ///< sites of a tile next to the previous tile
    std::uint64_t last = 0;   ///< sites of a tile next to the next tile
    int stride = 0;           ///< bits from a site to the next one
    int shift = 0;            ///< bits from `first` to `last`
};
/// Boundary along `axis` of a tile whose last sites lie `shift` bits above its first ones.
template <int D>
STRATA_HOST_DEVICE constexpr TileBoundary tile_boundary(int axis, int shift) {
    const std::uint64_t first = first_sites(D, axis);
    return {first, first << shift, stride_of(D, axis), shift};
}

/// Sites whose next site along the axis of boundary `b` has the same spin. `next` is the next tile.
STRATA_HOST_DEVICE constexpr std::uint64_t equal_neighbours(std::uint64_t here, std::uint64_t next,
                                                            const TileBoundary& b) {
    return ~(here ^ ((here >> b.stride & ~b.last) | (next & b.first) << b.shift));
}

/// The candidates whose uniform number is below the threshold, compared binary digit by binary digit until none is
/// undecided.
STRATA_HOST_DEVICE inline std::uint64_t draw_below(Probability p, std::uint64_t seed, std::uint64_t sweep,
                                                   std::uint64_t tile, Purpose purpose, int axis,
                                                   std::uint64_t candidates) {
    if (p.always) return candidates;
    std::uint64_t undecided = candidates, drawn = 0;
    for (int call = 0; call < 16 && p.threshold << 4 * call != 0 && undecided != 0; ++call) {
        const std::uint32_t words = counter_purpose(purpose, axis, call);
        const Philox4x32 low = half_tile_words(seed, 2 * tile, words, sweep);
        const Philox4x32 high = half_tile_words(seed, 2 * tile + 1, words, sweep);
        for (unsigned level = 0; level < 4; ++level) {
            const std::uint64_t digits = std::uint64_t{high[level]} << 32 | low[level];
            const bool one = p.threshold >> (63 - 4 * call - static_cast<int>(level)) & 1;
            if (one) drawn |= undecided & ~digits;
            undecided &= one ? digits : ~digits;
        }
    }
    return drawn;
}

/// Active bonds among the satisfied bonds along `axis`.
STRATA_HOST_DEVICE inline std::uint64_t draw_tile_bonds(const Sweep& sweep, std::uint64_t tile, int axis,
                                                        std::uint64_t satisfied) {
    return draw_below(sweep.bond, sweep.seed, sweep.index, tile, Purpose::bond, axis, satisfied);
}

/// Satisfied bonds along `axis` of the tile `tile` from bonds between equal spins: those that exist, by the signs of
/// their couplings. `across`: sites whose next site is across the end of the lattice.
STRATA_HOST_DEVICE inline std::uint64_t satisfied_bonds(const Couplings& c, std::uint64_t tile, int axis,
                                                        std::uint64_t equal, std::uint64_t sites,
                                                        std::uint64_t across) {
    if (c.uniform) return equal & sites;
    std::uint64_t negative = c.inverted ? sites : 0, exist = sites;
    if (c.opposite.always || c.opposite.threshold != 0)
        negative ^= draw_below(c.opposite, c.seed, 0, tile, Purpose::coupling, axis, sites);
    if (c.boundary[axis] == Boundary::antiperiodic) negative ^= across;
    if (c.boundary[axis] == Boundary::open) exist &= ~across;
    return (equal ^ negative) & exist;
}

/// Adds the sites that bonds inside the tile connect to `sites` in one step. Towards larger x it adds all sites that
/// consecutive bonds reach, because the carry of an integer addition propagates through all of these bonds.
template <int D>
STRATA_HOST_DEVICE inline std::uint64_t spread(const std::uint64_t (&inside)[D], std::uint64_t sites) {
    sites |= inside[0] ^ (inside[0] + (sites & inside[0]));
    sites |= sites >> 1 & inside[0];
    for (int axis = 1; axis < D; ++axis) {
        const int stride = stride_of(D, axis);
        sites |= (sites & inside[axis]) << stride;
        sites |= sites >> stride & inside[axis];
    }
    return sites;
}

enum class ComponentKind { boundary, interior };

/// Calls visit(sites, minimal site, kind) for each component of a tile in the order of minimal sites: boundary
/// components, which have one of the `leaving` sites, by their first leaving site; then interior ones, which lie within
/// `interior`, by their first site. `inside` holds the bonds along each axis that stay within the tile. Growth and
/// visits share one loop, so that the threads of a warp wait for each other only at its end.
template <int D, class Visit>
STRATA_HOST_DEVICE inline void for_each_component(const std::uint64_t (&inside)[D], std::uint64_t leaving,
                                                  std::uint64_t interior, Visit visit) {
    ComponentKind kind = leaving != 0 ? ComponentKind::boundary : ComponentKind::interior;
    std::uint64_t seeds = leaving != 0 ? leaving : interior, covered = 0, sites = lowest(seeds);
    while (sites != 0) {
        const std::uint64_t grown = spread<D>(inside, sites);
        if (grown != sites) {
            sites = grown;
            continue;
        }
        visit(sites, lowest(seeds), kind);
        covered |= sites;
        seeds &= ~sites;
        if (seeds == 0 && kind == ComponentKind::boundary) {
            kind = ComponentKind::interior;
            seeds = interior & ~covered;
        }
        sites = lowest(seeds);
    }
}

/// Bonds across a boundary that unite the same two components as their neighbour, because the sites of the two bonds
/// are also bonded along the boundary on both sides. `here` and `there` are the bonds along the boundary in the two
/// tiles, in the direction of `along`.
STRATA_HOST_DEVICE constexpr std::uint64_t redundant_bonds(std::uint64_t across, const TileBoundary& boundary,
                                                           std::uint64_t here, std::uint64_t there,
                                                           const TileBoundary& along) {
    const std::uint64_t joined = here & (there & boundary.first) << boundary.shift;
    return (across & joined & ~along.last) << along.stride;
}

}  // namespace strata::swendsen_wang
