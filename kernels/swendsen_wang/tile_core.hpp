// SPDX-License-Identifier: BSD-3-Clause
// The sweep's arithmetic on one tile of 64 sites, word by word, for kernels that give a thread a tile. The vector
// kernels of the CPU do the same on many tiles at once and give the same bits.
#pragma once

#include <cstdint>

#include "kernels/swendsen_wang/counter_words.hpp"
#include "kernels/swendsen_wang/tile_lattice.hpp"
#include "strata/backend.hpp"

namespace strata::swendsen_wang {

/// Bits that number the open components of a tile, and leave one number over: none has more than 28 (2D) or 56 (3D),
/// its sites on the border.
constexpr int code_bits(int dimensions) { return dimensions == 2 ? 5 : 6; }

/// The lowest set bit, or 0.
STRATA_HOST_DEVICE constexpr std::uint64_t lowest(std::uint64_t bits) { return bits & (0 - bits); }

/// What a sweep draws its bonds from.
struct BondDraw {
    std::uint64_t seed = 0, sweep = 0;
    std::uint64_t threshold = 0;  ///< an aligned pair is bonded if its 64-bit random number is below
    bool always = false;          ///< zero temperature: probability 1
};

/// How a tile meets the next one along an axis.
struct TileFace {
    std::uint64_t first = 0;  ///< sites on the side of the previous tile
    std::uint64_t last = 0;   ///< sites on the side of the next tile
    int stride = 0;           ///< bits from a site to the next one
    int shift = 0;            ///< bits from `first` to `last`
};
template <int D>
STRATA_HOST_DEVICE constexpr TileFace tile_face(int axis, int shift) {
    const std::uint64_t first = first_sites(D, axis);
    return {first, first << shift, stride_of(D, axis), shift};
}

/// Where each site has the spin of the next one along the face's axis; `next` is the next tile.
STRATA_HOST_DEVICE constexpr std::uint64_t aligned_pairs(std::uint64_t here, std::uint64_t next, const TileFace& face) {
    return ~(here ^ ((here >> face.stride & ~face.last) | (next & face.first) << face.shift));
}

/// Those of the aligned pairs along `axis` that are bonded: each pair's uniform number is compared with the threshold
/// binary digit by binary digit until no site is undecided.
STRATA_HOST_DEVICE inline std::uint64_t draw_tile_bonds(const BondDraw& draw, std::uint64_t tile, int axis,
                                                        std::uint64_t aligned) {
    if (draw.always) return aligned;
    std::uint64_t undecided = aligned, bonded = 0;
    for (int call = 0; call < 16 && undecided != 0; ++call) {
        const std::uint32_t purpose = counter_purpose(Purpose::bond, axis, call);
        const Philox4x32 low = half_tile_words(draw.seed, 2 * tile, purpose, draw.sweep);
        const Philox4x32 high = half_tile_words(draw.seed, 2 * tile + 1, purpose, draw.sweep);
        for (unsigned level = 0; level < 4; ++level) {
            const std::uint64_t digits = std::uint64_t{high[level]} << 32 | low[level];
            const bool one = draw.threshold >> (63 - 4 * call - static_cast<int>(level)) & 1;
            if (one) bonded |= undecided & ~digits;
            undecided &= one ? digits : ~digits;
        }
    }
    return bonded;
}

/// The sites that bonds inside the tile reach from `sites` in about one step; to the right as far as they go: adding a
/// site to the row of bonds on its right carries through all of them.
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

enum class Component { open, closed };

/// Calls visit(sites, seed, kind) for each component of a tile in canonical order: those with one of the `open` sites,
/// by their first open site, then those within `closed` alone, by their first site; `seed` is that site. `inside` holds
/// the bonds along each axis that do not leave the tile. Growing and handing over share one loop, so that the threads
/// of a warp wait for each other at the end only.
template <int D, class Visit>
STRATA_HOST_DEVICE inline void for_each_component(const std::uint64_t (&inside)[D], std::uint64_t open,
                                                  std::uint64_t closed, Visit visit) {
    Component kind = open != 0 ? Component::open : Component::closed;
    std::uint64_t seeds = open != 0 ? open : closed, covered = 0, sites = lowest(seeds);
    while (sites != 0) {
        const std::uint64_t grown = spread<D>(inside, sites);
        if (grown != sites) {
            sites = grown;
            continue;
        }
        visit(sites, lowest(seeds), kind);
        covered |= sites;
        seeds &= ~sites;
        if (seeds == 0 && kind == Component::open) {
            kind = Component::closed;
            seeds = closed & ~covered;
        }
        sites = lowest(seeds);
    }
}

/// Of neighbouring face bonds that unite the same two components, because bonds run along the face on both sides, all
/// but the first. `here` and `there`: bonds along the face in the two tiles; `along`: the direction they run in.
STRATA_HOST_DEVICE constexpr std::uint64_t redundant_bonds(std::uint64_t face_bonds, const TileFace& face,
                                                           std::uint64_t here, std::uint64_t there,
                                                           const TileFace& along) {
    const std::uint64_t joined = here & (there & face.first) << face.shift;
    return (face_bonds & joined & ~along.last) << along.stride;
}

}  // namespace strata::swendsen_wang
