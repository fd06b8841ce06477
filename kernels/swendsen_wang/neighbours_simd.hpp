// SPDX-License-Identifier: BSD-3-Clause
// Bonds between neighbouring sites of `lanes` tiles at once: which spins are equal, which bonds exist and are
// satisfied, and random choices among them. Both updates use them: clusters (bonds_cpu.cpp) and single spins
// (metropolis_cpu.cpp).
#pragma once

#include <cstdint>

#include "kernels/swendsen_wang/counters.hpp"
#include "kernels/swendsen_wang/philox_simd.hpp"
#include "kernels/swendsen_wang/slab_view.hpp"

namespace strata::swendsen_wang::STRATA_ISA {

/// Four binary digits of the comparison of uniform numbers with a probability, those of the random words of `call`: adds
/// the candidates whose digit is smaller to `drawn` and leaves those with equal digits in `undecided`.
[[gnu::always_inline]] inline void compare_digits(const TileRandom& random, Purpose purpose, int axis, Probability p,
                                                  int call, Words& undecided, Words& drawn) {
    const WordQuad digits = random.words(counter_purpose(purpose, axis, call));
#pragma GCC unroll 4
    for (int level = 0; level < 4; ++level) {
        const Words digit = set(0 - (p.threshold >> (63 - 4 * call - level) & 1));
        drawn = or_decided_below(drawn, undecided, digits.w[level], digit);
        undecided = still_equal(undecided, digits.w[level], digit);
    }
}

/// Whether the comparison with `p` needs the digits of `call`: no number is below the threshold for the first time at
/// digits where the threshold has only zeros left.
inline bool needs_call(Probability p, int call) { return call < 16 && p.threshold << 4 * call != 0; }

/// Calls that nearly every group of tiles needs: eight digits leave 1.7 of 437 bonds undecided on average.
constexpr int usual_calls = 2;

/// The first calls for a probability that is not 1: returns the candidates whose uniform number is below the threshold
/// by these digits, and leaves in `undecided` those that need more.
[[gnu::always_inline]] inline Words draw_usual(const TileRandom& random, Purpose purpose, int axis, Probability p,
                                               Words& undecided) {
    Words drawn = {};
    for (int call = 0; call < usual_calls && needs_call(p, call); ++call)
        compare_digits(random, purpose, axis, p, call, undecided, drawn);
    return drawn;
}

/// The undecided candidates whose uniform number is below the threshold by the digits after those of draw_usual().
[[gnu::always_inline]] inline Words draw_rest(const TileRandom& random, Purpose purpose, int axis, Probability p,
                                              Words undecided) {
    Words drawn = {};
    for (int call = usual_calls; needs_call(p, call) && any(undecided); ++call)
        compare_digits(random, purpose, axis, p, call, undecided, drawn);
    return drawn;
}

/// The candidates whose uniform number is below the threshold.
[[gnu::always_inline]] inline Words draw(const TileRandom& random, Purpose purpose, int axis, Probability p,
                                         Words candidates) {
    if (p.always) return candidates;
    Words undecided = candidates;
    const Words drawn = draw_usual(random, purpose, axis, p, undecided);
    return drawn | draw_rest(random, purpose, axis, p, undecided);
}

/// Satisfied bonds along `axis` from bonds between equal spins: those that exist, by the signs of their couplings.
/// `across`: sites whose next site is across the end of the lattice; `even`: half tiles of the lanes.
inline Words with_couplings(const Couplings& c, Words equal, Words sites, Words across, int axis, Words even) {
    Words negative = c.inverted ? sites : Words{};
    if (c.opposite.always || c.opposite.threshold != 0)
        negative ^= draw(TileRandom(even, even + 1, 0, c.seed), Purpose::coupling, axis, c.opposite, sites);
    if (c.boundary[axis] == Boundary::antiperiodic) negative ^= across;
    const Words exist = c.boundary[axis] == Boundary::open ? sites & ~across : sites;
    return (equal ^ negative) & exist;
}

/// Boundary between a tile row and the next one along axis 1 or 2.
struct RowBoundary {
    std::int64_t next;     ///< word of the next tile row
    Words first, last;     ///< sites of a tile on the boundary to the previous and to the next tile
    bool at_end;           ///< the next tile row is across the end of the lattice
    std::uint64_t stride;  ///< bits from a site to the next one
    std::uint64_t shift;   ///< bits from `first` to `last`
};

inline RowBoundary row_boundary(const SlabView& s, std::int64_t row, int axis) {
    const TileLattice& l = s.lattice;
    const std::uint64_t width = l.row_width(row, axis);
    const auto stride = static_cast<std::uint64_t>(stride_of(l.dimensions, axis));
    return {s.word(l.next_row(row, axis), 0),
            set(first_sites(l.dimensions, axis)),
            set(last_sites(l.dimensions, axis, width)),
            l.at_end(row, axis),
            stride,
            stride * (width - 1)};
}

/// Sites whose next site along the axis of `b` has the same state, within a tile and across `b`. `row`: word of their
/// tile row.
inline Words equal_across(const SlabView& s, std::int64_t row, const RowBoundary& b, std::uint64_t tile) {
    Words different = {};
    for (int bit = 0; bit < s.state_bits; ++bit) {
        const Words here = load(s.spins[bit] + row + tile);
        different |= here ^ ((here >> b.stride & ~b.last) | (load(s.spins[bit] + b.next + tile) & b.first) << b.shift);
    }
    return ~different;
}

/// The same along x. `row`: word of the tile row.
inline Words equal_along_x(const SlabView& s, std::int64_t row, Words first, std::uint64_t tile) {
    Words different = {};
    for (int bit = 0; bit < s.state_bits; ++bit) {
        const std::uint64_t* spins = s.spins[bit] + row + tile;
        const Words here = load(spins), next = (load(spins + 1) & first) << load(s.column_shift + tile);
        different |= here ^ ((here >> 1 & ~load(s.column_last + tile)) | next);
    }
    return ~different;
}

/// Sites whose next site along the axis of `b` is across the end of the lattice.
inline Words across_end(const RowBoundary& b) { return b.at_end ? b.last : Words{}; }

/// The same along x, in the tiles from column `tile` on: the last sites of the last tile.
inline Words end_of_row(const SlabView& s, std::uint64_t tile) {
    const std::uint64_t last = s.lattice.row_tiles() - 1;
    Words across = {};
    if (last >= tile && last < tile + lanes) across[last - tile] = s.column_last[last];
    return across;
}

}  // namespace strata::swendsen_wang::STRATA_ISA
