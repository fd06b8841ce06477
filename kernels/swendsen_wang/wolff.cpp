// SPDX-License-Identifier: BSD-3-Clause
// Growth of one cluster from tile to tile, with the arithmetic of one tile (tile_core.hpp), for every instruction set alike.
#include "kernels/swendsen_wang/wolff.hpp"

#include <bit>

#include "kernels/swendsen_wang/cluster_moments.hpp"
#include "kernels/swendsen_wang/tile_core.hpp"

namespace strata::swendsen_wang {
namespace {

/// floor(count u) of a uniform 64-bit number 2^64 u.
std::uint64_t below(std::uint64_t count, std::uint64_t uniform) {
    return static_cast<std::uint64_t>(static_cast<WideCount>(count) * uniform >> 64);
}

/// Number of a tile, its indices along the axes, and its word in arrays with halo rows.
struct Tile {
    std::uint32_t number;
    std::uint32_t index[3];
    std::int64_t word;
};

template <int D>
class Growth {
  public:
    Growth(const SlabView& s, const ClusterGrowth& memory) : s_(s), l_(s.lattice), memory_(memory) {
        std::uint32_t tiles = 1;
        for (int axis = 0; axis < D; ++axis) {
            tiles_[axis] = static_cast<std::uint32_t>(l_.tiles[axis]);
            step_[axis] = tiles;
            word_step_[axis] = axis == 0 ? 1 : s.word(tiles / tiles_[0], 0);
            tiles *= tiles_[axis];
            const std::uint64_t width = l_.width(axis, l_.tiles[axis] - 1);
            last_shift_[axis] = static_cast<int>(width - 1) * stride_of(D, axis);
            within_[axis] = sites_below(D, axis, width);
        }
    }

    std::uint64_t run() {
        const Philox4x32 random =
            half_tile_words(s_.sweep.seed, 0, counter_purpose(Purpose::wolff, 0, 0), s_.sweep.index);
        const std::uint64_t site = below(l_.sites() + 1, std::uint64_t{random[1]} << 32 | random[0]);
        if (site == l_.sites()) return 0;
        const std::uint64_t shift =
            1 + below(static_cast<std::uint64_t>(s_.sweep.states - 1), std::uint64_t{random[3]} << 32 | random[2]);
        const unsigned before = plant(site);
        while (waiting_ > 0) spread_from(tile_at(memory_.waiting[--waiting_]));
        return change(before, static_cast<unsigned>((before + shift) % static_cast<unsigned>(s_.sweep.states)));
    }

  private:
    Tile tile_at(std::uint32_t number) const {
        const std::uint32_t row = number / tiles_[0], column = number % tiles_[0];
        return {number,
                {column, D == 2 ? row : row % tiles_[1], D == 2 ? 0 : row / tiles_[1]},
                s_.word(static_cast<std::int64_t>(row), column)};
    }
    bool at_end(const Tile& t, int axis) const { return t.index[axis] + 1 == tiles_[axis]; }
    /// The tile that is `tiles` further along the axis.
    Tile moved(Tile t, int axis, std::int32_t tiles) const {
        t.number += static_cast<std::uint32_t>(tiles) * step_[axis];
        t.index[axis] += static_cast<std::uint32_t>(tiles);
        t.word += tiles * word_step_[axis];
        return t;
    }
    Tile next(const Tile& t, int axis) const {
        return moved(t, axis, at_end(t, axis) ? -static_cast<std::int32_t>(t.index[axis]) : 1);
    }
    Tile previous(const Tile& t, int axis) const {
        return moved(t, axis, t.index[axis] == 0 ? static_cast<std::int32_t>(tiles_[axis]) - 1 : -1);
    }
    /// Bits from the first sites of the tile along the axis to the last ones.
    int shift(const Tile& t, int axis) const {
        return at_end(t, axis) ? last_shift_[axis] : static_cast<int>(edge - 1) * stride_of(D, axis);
    }
    std::uint64_t sites(const Tile& t) const {
        std::uint64_t all = ~std::uint64_t{0};
        for (int axis = 0; axis < D; ++axis) all &= at_end(t, axis) ? within_[axis] : ~std::uint64_t{0};
        return all;
    }

    /// Makes a site, counted with x fastest, the first one of the cluster. Returns its state.
    unsigned plant(std::uint64_t site) {
        std::uint64_t bit = 0;
        std::uint32_t number = 0;
        for (int axis = 0; axis < D; site /= l_.extent[axis++]) {
            const std::uint64_t x = site % l_.extent[axis];
            bit += x % edge * static_cast<std::uint64_t>(stride_of(D, axis));
            number += static_cast<std::uint32_t>(x / edge) * step_[axis];
        }
        add(number, std::uint64_t{1} << bit);
        unsigned state = 0;
        for (int k = 0; k < s_.state_bits; ++k)
            state |= static_cast<unsigned>(s_.spins[k][tile_at(number).word] >> bit & 1) << k;
        return state;
    }

    /// Adds sites to the cluster. A tile waits if not all of its sites have spread.
    void add(std::uint32_t number, std::uint64_t sites) {
        ClusterTile& tile = memory_.tiles[number];
        memory_.waiting[waiting_] = number;
        waiting_ += tile.sites == tile.spread && (sites & ~tile.sites) != 0 ? 1 : 0;
        tile.sites |= sites;
    }

    /// Active bonds of a tile along an axis, drawn when they are needed first.
    std::uint64_t bonds(const Tile& t, int axis) {
        std::uint64_t& drawn = memory_.tiles[t.number].drawn;
        if ((drawn >> axis & 1) == 0) {
            if (drawn == 0) memory_.reached[reached_++] = t.number;
            drawn |= std::uint64_t{1} << axis;
            memory_.tiles[t.number].bonds[axis] = draw_tile_bonds(s_.sweep, t.number, axis, satisfied(t, axis));
        }
        return memory_.tiles[t.number].bonds[axis];
    }
    std::uint64_t satisfied(const Tile& t, int axis) const {
        const TileBoundary b = tile_boundary<D>(axis, shift(t, axis));
        const std::int64_t after = next(t, axis).word;
        std::uint64_t equal = ~std::uint64_t{0};
        for (int k = 0; k < s_.state_bits; ++k) equal &= equal_neighbours(s_.spins[k][t.word], s_.spins[k][after], b);
        const std::uint64_t all = sites(t);
        return satisfied_bonds(s_.sweep.couplings, t.number, axis, equal, all, at_end(t, axis) ? b.last & all : 0);
    }

    /// Adds all sites of the tile that its bonds connect to the cluster, then those of other tiles that are bonded to the
    /// added ones.
    void spread_from(const Tile& t) {
        ClusterTile& tile = memory_.tiles[t.number];
        std::uint64_t active[D], inside[D];
#pragma GCC unroll 3
        for (int axis = 0; axis < D; ++axis) {
            active[axis] = bonds(t, axis);
            inside[axis] = active[axis] & ~(first_sites(D, axis) << shift(t, axis));
        }
        std::uint64_t sites = 0;
        for (std::uint64_t more = tile.sites; more != sites;) {
            sites = more;
            more = spread<D>(inside, sites);
        }
        const std::uint64_t added = sites & ~tile.spread;
        tile.sites = tile.spread = sites;
#pragma GCC unroll 3
        for (int axis = 0; axis < D; ++axis) {
            const std::uint64_t first = first_sites(D, axis), leaving = added & active[axis] & first << shift(t, axis);
            if (leaving != 0) add(next(t, axis).number, leaving >> shift(t, axis));
            if ((added & first) == 0) continue;
            const Tile before = previous(t, axis);
            add(before.number, bonds(before, axis) & (added & first) << shift(before, axis));
        }
    }

    /// Gives the sites of the cluster their new state, or flips their spins, and empties its tiles.
    std::uint64_t change(unsigned before, unsigned after) {
        std::uint64_t count = 0;
        for (std::uint32_t i = 0; i < reached_; ++i) {
            const Tile t = tile_at(memory_.reached[i]);
            ClusterTile& tile = memory_.tiles[t.number];
            count += static_cast<std::uint64_t>(std::popcount(tile.sites));
            for (int k = 0; k < s_.state_bits; ++k) {
                if (((before ^ after) >> k & 1) == 0) continue;
                s_.spins[k][t.word] ^= tile.sites;
                if (t.index[0] == 0)  // also the copy that is the periodic right neighbour of the last tile
                    s_.spins[k][t.word + tiles_[0]] = s_.spins[k][t.word];
            }
            tile = {};
        }
        return count;
    }

    static constexpr std::uint64_t edge = D == 2 ? 8 : 4;
    const SlabView& s_;
    const TileLattice& l_;
    const ClusterGrowth memory_;
    std::uint32_t tiles_[D], step_[D];  ///< tiles along each axis, and from a tile to the next one
    std::int64_t word_step_[D];         ///< words from a tile to the next one
    int last_shift_[D];                 ///< shift() of the last tiles of an axis
    std::uint64_t within_[D];           ///< sites of these tiles that are within the lattice
    std::uint32_t reached_ = 0, waiting_ = 0;
};

}  // namespace

std::uint64_t change_one_cluster(const SlabView& s, const ClusterGrowth& growth) {
    return s.lattice.dimensions == 2 ? Growth<2>(s, growth).run() : Growth<3>(s, growth).run();
}

}  // namespace strata::swendsen_wang
