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

}  // namespace

void assign_ids(const SlabView& s, ThreadPart& mine, Range rows) {
    const std::uint64_t tiles = s.lattice.row_tiles();
    std::uint32_t id = mine.last_id;
    for (std::uint64_t row = rows.first; row < rows.last; ++row) {
        const std::uint64_t* random =
            draw_cluster_spins(s, s.lattice.first_tile(static_cast<std::int64_t>(row)), tiles, mine.row_words);
        for (std::uint64_t t = 0; t < tiles; ++t) {
            const std::uint64_t n = s.index_of(row, t);
            const int boundary = count_bits(s.boundary_minima[n]);
            s.first_id[n] = id;
            write_ramp(s.parent + id, id, boundary);
            unpack_bits(extract_bits(random[t], s.boundary_minima[n]), boundary, s.cluster_spin + id);
            s.interior_spins[n] = boundary == 64 ? 0 : extract_bits(random[t], s.interior_minima[n]) << boundary;
            id += static_cast<std::uint32_t>(boundary);
        }
    }
    mine.last_id = id;
}

}  // namespace strata::swendsen_wang::STRATA_ISA
