// SPDX-License-Identifier: BSD-3-Clause
// Bonds of Fortuin and Kasteleyn: an aligned pair of neighbours is bonded with probability p = 1 - exp(-2 beta J).
// Each pair's uniform number is compared with p binary digit by binary digit, for 64 sites of several tiles at once,
// until no site is undecided: about 12 random bits per pair instead of 64, exact to 2^-64. Since words are addressed by
// (tile, axis, level), stopping early changes nothing else.
#include "kernels/swendsen_wang/band_kernels.hpp"
#include "kernels/swendsen_wang/counters.hpp"
#include "kernels/swendsen_wang/philox_simd.hpp"

namespace strata::swendsen_wang::STRATA_ISA {
namespace {

/// Those of the `aligned` pairs along `axis` that are bonded. Eight digits leave 1.7 of 437 pairs undecided on average,
/// so that nobody asks before.
[[gnu::always_inline]] inline Words draw(const SliceView& s, const TileRandom& random, int axis, Words aligned) {
    if (s.bond_always) return aligned;
    Words undecided = aligned, bonded = {};
    for (int call = 0; call < 16 && (call < 2 || any(undecided)); ++call) {
        const WordQuad digits = random.words(counter_purpose(Purpose::bond, axis, call));
#pragma GCC unroll 4
        for (int level = 0; level < 4; ++level) {
            const Words digit = set(0 - (s.bond_threshold >> (63 - 4 * call - level) & 1));
            bonded = or_decided_below(bonded, undecided, digits.w[level], digit);
            undecided = still_equal(undecided, digits.w[level], digit);
        }
    }
    return bonded;
}

/// How one row of tiles meets its neighbours along `axis`.
struct RowFace {
    const std::uint64_t* next;  ///< spins of the neighbour row
    Words first, last;
    std::uint64_t stride, shift;
};

RowFace row_face(const SliceView& s, std::int64_t row, int axis) {
    const TileLattice& l = s.lattice;
    const std::uint64_t width = l.width(axis, axis == l.slow_axis() ? l.layer_of(row) : l.in_layer(row));
    const auto stride = static_cast<std::uint64_t>(stride_of(l.dimensions, axis));
    return {s.spins + s.word(l.next_row(row, axis), 0), set(first_sites(l.dimensions, axis)),
            set(last_sites(l.dimensions, axis, width)), stride, stride * (width - 1)};
}

/// Where each site has the same spin as the next one along a face's axis.
inline Words aligned_across(Words here, const RowFace& face, std::uint64_t tile) {
    const Words neighbour = (here >> face.stride & ~face.last) | (load(face.next + tile) & face.first) << face.shift;
    return ~(here ^ neighbour);
}

inline std::uint64_t sum(Words w) {
    std::uint64_t total = 0;
    for (int i = 0; i < lanes; ++i) total += w[i];
    return total;
}

void wrap_bonds(std::uint64_t* bonds, std::uint64_t tiles) {
    bonds[-1] = bonds[tiles - 1];
    bonds[tiles] = bonds[0];
}

/// All bonds of one row; adds its aligned pairs and up spins.
template <int D>
void draw_row(const SliceView& s, ThreadSlice& mine, std::int64_t row) {
    const TileLattice& l = s.lattice;
    const std::uint64_t* spins = s.spins + s.word(row, 0);
    const RowFace y = row_face(s, row, 1), z = row_face(s, row, D - 1);
    const Words in_row = set(row_sites(l, row)), first = set(first_sites(D, 0));
    const std::uint64_t tiles = l.row_tiles(), first_half = 2 * l.first_tile(row);
    Words pairs = {}, up = {};
    for (std::uint64_t t = 0; t < tiles; t += lanes) {
        const Words here = load(spins + t), sites = load(s.column_sites + t) & in_row;
        const Words next = (load(spins + t + 1) & first) << load(s.column_shift + t);
        const Words even = set(first_half + 2 * t) + ramp(2);
        const TileRandom random(even, even + 1, s.sweep, s.seed);
        const Words along_x = ~(here ^ ((here >> 1 & ~load(s.column_last + t)) | next)) & sites;
        const Words along_y = aligned_across(here, y, t) & sites;
        up += popcount(here & sites);
        pairs += popcount(along_x) + popcount(along_y);
        store(s.bonds[0] + s.word(row, t), draw(s, random, 0, along_x));
        store(s.bonds[1] + s.word(row, t), draw(s, random, 1, along_y));
        if constexpr (D == 3) {
            const Words along_z = aligned_across(here, z, t) & sites;
            pairs += popcount(along_z);
            store(s.bonds[2] + s.word(row, t), draw(s, random, 2, along_z));
        }
    }
    for (int axis = 0; axis < D; ++axis) wrap_bonds(s.bonds[axis] + s.word(row, 0), tiles);
    mine.aligned += sum(pairs);
    mine.up += sum(up);
}

/// The bonds that enter the slice from the layer below, which draws them for itself too.
template <int D>
void draw_entering(const SliceView& s, std::int64_t row) {
    const RowFace face = row_face(s, row, D - 1);
    const Words in_row = set(row_sites(s.lattice, row));
    const std::uint64_t first_half = 2 * s.lattice.first_tile(row);
    for (std::uint64_t t = 0; t < s.lattice.row_tiles(); t += lanes) {
        const Words sites = load(s.column_sites + t) & in_row & face.last, even = set(first_half + 2 * t) + ramp(2);
        const Words aligned = aligned_across(load(s.spins + s.word(row, t)), face, t) & sites;
        store(s.bonds[D - 1] + s.word(row, t), draw(s, TileRandom(even, even + 1, s.sweep, s.seed), D - 1, aligned));
    }
    wrap_bonds(s.bonds[D - 1] + s.word(row, 0), s.lattice.row_tiles());
}

}  // namespace

void draw_rows(const SliceView& s, ThreadSlice& mine, Range rows) {
    for (std::uint64_t row = rows.first; row < rows.last; ++row)
        if (s.lattice.dimensions == 2)
            draw_row<2>(s, mine, static_cast<std::int64_t>(row));
        else
            draw_row<3>(s, mine, static_cast<std::int64_t>(row));
}

void draw_entering_rows(const SliceView& s) {
    for (auto row = -static_cast<std::int64_t>(s.lattice.rows_per_layer()); row < 0; ++row)
        if (s.lattice.dimensions == 2)
            draw_entering<2>(s, row);
        else
            draw_entering<3>(s, row);
}

}  // namespace strata::swendsen_wang::STRATA_ISA
