// SPDX-License-Identifier: BSD-3-Clause
// Numbering of the components of a band: boundary components get consecutive ids, tile by tile and within a tile in the
// order of their minimal sites, so that the order of ids is the order of minimal sites. Every component gets the random
// spin of its own minimal site; flips_cpu.cpp replaces it by the spin of the component's cluster.
#include "kernels/swendsen_wang/band_kernels.hpp"
#include "kernels/swendsen_wang/counters.hpp"
#include "kernels/swendsen_wang/philox_simd.hpp"

namespace strata::swendsen_wang::STRATA_ISA {
namespace {

/// Writes random bits for the cluster spins (counters.hpp) of `count` tiles from `first_tile` on to `scratch`. Returns
/// the address of the first tile's word: the second word if the number of the tile is odd, since two tiles share a
/// call.
const std::uint64_t* draw_cluster_spins(const SlabView& s, std::uint64_t first_tile, std::uint64_t count,
                                        std::uint64_t* scratch) {
    const std::uint64_t first_call = first_tile / 2;
    const std::uint32_t purpose = counter_purpose(Purpose::cluster_spin, 0, 0);
    for (std::uint64_t call = first_call; 2 * call < first_tile + count; call += 2 * lanes) {
        const Words even = set(call) + ramp(2), odd = even + 1;
        const WordQuad r = TileRandom(even, odd, s.sweep.index, s.sweep.seed).words(purpose);
        const Words low = set(0xFFFFFFFFu);
        const Words tile[4] = {(r.w[0] & low) | r.w[1] << 32, (r.w[2] & low) | r.w[3] << 32,
                               r.w[0] >> 32 | (r.w[1] & ~low), r.w[2] >> 32 | (r.w[3] & ~low)};
        std::uint64_t* out = scratch + 2 * (call - first_call);
        for (int i = 0; i < lanes; ++i)
            for (int j = 0; j < 4; ++j) out[4 * i + j] = tile[j][i];
    }
    return scratch + first_tile % 2;
}

/// Writes the digits of the random states of `count` tiles from `first_tile` on to scratch, [digit][tile].
void draw_cluster_states(const SlabView& s, std::uint64_t first_tile, std::uint64_t count, std::uint64_t* scratch) {
    for (std::uint64_t t = 0; t < count; t += lanes) {
        const Words even = set(2 * (first_tile + t)) + ramp(2);
        Words state[max_state_bits];
        draw_states(s.sweep.states, LaneDraws{TileRandom(even, even + 1, s.sweep.index, s.sweep.seed), Purpose::state},
                    state);
        for (int bit = 0; bit < s.state_bits; ++bit)
            store(scratch + static_cast<std::uint64_t>(bit) * s.lattice.row_stride() + t, state[bit]);
    }
}

/// The random state of a cluster with minimal site `minimum` in a tile.
inline std::uint8_t state_at(const SlabView& s, const std::uint64_t* random, std::uint64_t tile, int minimum) {
    unsigned state = 0;
    for (int bit = 0; bit < s.state_bits; ++bit)
        state |= static_cast<unsigned>(
                     random[static_cast<std::uint64_t>(bit) * s.lattice.row_stride() + tile] >> minimum & 1)
                 << bit;
    return static_cast<std::uint8_t>(state);
}

/// Sets the cluster states of the components of tile number `n`, column `tile`: by id, and those of interior
/// components.
void set_states(const SlabView& s, const std::uint64_t* random, std::uint64_t n, std::uint64_t tile, std::uint32_t id,
                int boundary) {
    std::uint64_t sites = s.boundary_minima[n];
    for (int c = 0; c < boundary; ++c, sites &= sites - 1)
        s.cluster_spin[id + static_cast<std::uint32_t>(c)] = state_at(s, random, tile, __builtin_ctzll(sites));
    for (int bit = 0; bit < s.state_bits; ++bit) {
        const std::uint64_t digits = random[static_cast<std::uint64_t>(bit) * s.lattice.row_stride() + tile];
        s.interior_spins[bit][n] = boundary == 64 ? 0 : extract_bits(digits, s.interior_minima[n]) << boundary;
    }
}

}  // namespace

void assign_ids(const SlabView& s, ThreadPart& mine, Range rows) {
    const std::uint64_t tiles = s.lattice.row_tiles();
    std::uint32_t id = mine.last_id;
    for (std::uint64_t row = rows.first; row < rows.last; ++row) {
        const std::uint64_t first_tile = s.lattice.first_tile(static_cast<std::int64_t>(row));
        const std::uint64_t* random = mine.row_words;
        if (s.state_bits == 1)
            random = draw_cluster_spins(s, first_tile, tiles, mine.row_words);
        else
            draw_cluster_states(s, first_tile, tiles, mine.row_words);
        for (std::uint64_t t = 0; t < tiles; ++t) {
            const std::uint64_t n = s.index_of(row, t);
            const int boundary = count_bits(s.boundary_minima[n]);
            s.first_id[n] = id;
            write_ramp(s.parent + id, id, boundary);
            if (s.state_bits == 1) {
                unpack_bits(extract_bits(random[t], s.boundary_minima[n]), boundary, s.cluster_spin + id);
                s.interior_spins[0][n] = boundary == 64 ? 0 : extract_bits(random[t], s.interior_minima[n]) << boundary;
            } else {
                set_states(s, random, n, t, id, boundary);
            }
            id += static_cast<std::uint32_t>(boundary);
        }
    }
    mine.last_id = id;
}

}  // namespace strata::swendsen_wang::STRATA_ISA
