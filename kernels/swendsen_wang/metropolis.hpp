// SPDX-License-Identifier: BSD-3-Clause
// Single-spin update of Metropolis et al., J. Chem. Phys. 21, 1087 (1953), for 64 spins of a tile at once (multispin
// coding): the sites of one colour of the checkerboard have no bonds with each other, so that all of them are updated
// together. A flip changes the energy by 2 |J| (satisfied - unsatisfied bonds) + 2 h s. Each site is chosen with
// probability 7/8, and its flip accepted with probability min(1, exp(-beta times that)). If all sites were chosen,
// flips that cost nothing would be certain, and the update of a whole colour nearly deterministic: at weak coupling,
// and on chains and frustrated lattices, where such flips are many, it would not reach all states. The arithmetic below
// serves words of one tile (devices) and vectors of tiles (CPU).
#pragma once

#include <cstdint>

#include "kernels/swendsen_wang/sweep.hpp"
#include "strata/backend.hpp"

namespace strata::swendsen_wang {

/// Spins that a class of sites has.
enum class SpinClass : std::uint8_t { either, up, down };

/// Probabilities of all flips. Sites are in classes by the number of their satisfied bonds, the number of bonds that
/// they miss at open ends of the lattice, and, in a field, their spin.
struct MetropolisTable {
    struct Entry {
        std::uint8_t satisfied = 0, missing = 0;
        SpinClass spin = SpinClass::either;
        std::uint64_t threshold = 0;  ///< floor(2^64 p): flipped if a uniform 64-bit number is smaller
    };
    static constexpr int most = 64;  ///< satisfied 0 .. 6, missing 0 .. 3, two spins, without those that cannot be
    /// Threshold of p = 7/8, for the sites of no class: their flips do not raise the energy.
    static constexpr std::uint64_t otherwise = std::uint64_t{7} << 61;
    Entry entries[most];
    int count = 0;
};

/// The table at K = beta |J| and H = beta h, both finite, on a lattice with `open` open axes of `dimensions`.
MetropolisTable metropolis_table(int dimensions, int open, double reduced_coupling, double reduced_field);

/// Sites of colour 0 (even x + y + z) or 1 in a tile; tiles begin at even coordinates.
STRATA_HOST_DEVICE constexpr std::uint64_t sites_of_colour(int dimensions, int colour) {
    const std::uint64_t even = dimensions == 2 ? 0xAA55AA55AA55AA55u : 0x5A5AA5A55A5AA5A5u;
    return colour == 0 ? even : ~even;
}

/// Numbers of satisfied bonds (0 .. 6) and of missing bonds (0 .. 3) of each site of a word W, as binary digits.
template <class W>
struct BondCounts {
    W satisfied[3] = {}, missing[2] = {};

    /// Counts the bonds of all sites in one direction.
    STRATA_HOST_DEVICE void add(W is_satisfied, W is_missing) {
        const W two = satisfied[0] & is_satisfied;
        satisfied[0] ^= is_satisfied;
        satisfied[2] |= satisfied[1] & two;
        satisfied[1] ^= two;
        missing[1] |= missing[0] & is_missing;
        missing[0] ^= is_missing;
    }
};

/// Sites in the class of an entry; `up`: sites whose spin is +1.
template <class W>
STRATA_HOST_DEVICE W sites_in_class(const BondCounts<W>& n, W up, const MetropolisTable::Entry& e) {
    W others = e.spin == SpinClass::either ? W{} : e.spin == SpinClass::up ? ~up : up;
    for (int digit = 0; digit < 3; ++digit)
        others |= e.satisfied >> digit & 1 ? ~n.satisfied[digit] : n.satisfied[digit];
    for (int digit = 0; digit < 2; ++digit) others |= e.missing >> digit & 1 ? ~n.missing[digit] : n.missing[digit];
    return ~others;
}

/// The candidates that flip. The uniform number of each site is compared with the threshold of its class binary digit by
/// binary digit, until none is undecided; the first call decides the sites of no class, whose threshold has no further
/// digits. draws(call, words) writes four random words W, one digit each; draws.any(w) tells whether any bit is set.
template <class W, class Draws>
STRATA_HOST_DEVICE W draw_flips(const MetropolisTable& table, const BondCounts<W>& n, W up, W candidates,
                                const Draws& draws) {
    W in_class[MetropolisTable::most], others = candidates, undecided = candidates, flips = {};
    for (int i = 0; i < table.count; ++i) {
        in_class[i] = sites_in_class(n, up, table.entries[i]) & candidates;
        others &= ~in_class[i];
    }
    for (int call = 0; call < 16 && draws.any(undecided); ++call) {
        W words[4];
        draws(call, words);
        for (int level = 0; level < 4; ++level) {
            const int place = 63 - 4 * call - level;
            W digit = MetropolisTable::otherwise >> place & 1 ? others : W{};
            for (int i = 0; i < table.count; ++i)
                if (table.entries[i].threshold >> place & 1) digit |= in_class[i];
            flips |= undecided & ~words[level] & digit;
            undecided &= ~(words[level] ^ digit);
        }
        undecided &= ~others;
    }
    return flips;
}

}  // namespace strata::swendsen_wang
