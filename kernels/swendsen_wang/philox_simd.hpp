// SPDX-License-Identifier: BSD-3-Clause
// Philox4x32-10 (Salmon et al., SC11) for `lanes` tiles at once, both halves of each (counters.hpp). Lanes are 64 bits
// wide and only their low halves are used, so that the high half of a product needs one shift and no shuffle.
#pragma once

#include <cstdint>

#include "kernels/swendsen_wang/counters.hpp"
#include "kernels/swendsen_wang/simd.hpp"

namespace strata::swendsen_wang::STRATA_ISA {

/// Four words of a call, each for both half tiles of `lanes` tiles.
struct WordQuad {
    Words w[4];
};

/// Part of the ten rounds that depends on the half tiles, the sweep and the seed but not on the purpose; all words of
/// the same tiles share it.
class TileRandom {
  public:
    /// `even`, `odd`: half-tile indices for the low and for the high halves of the lanes.
    TileRandom(Words even, Words odd, std::uint64_t sweep, std::uint64_t seed)
        : key0_(static_cast<std::uint32_t>(seed)), key1_(static_cast<std::uint32_t>(seed >> 32)) {
        const std::uint64_t product = (sweep & 0xFFFFFFFFu) * multiplier1;
        a1_ = static_cast<std::uint32_t>(product >> 32) ^ key0_;  // word of round 1, without the purpose
        const Words index[2] = {even, odd};
        for (int half = 0; half < 2; ++half) {
            const Words p0 = multiply_low(index[half], set(multiplier0));
            const Words c1 = xor3(p0 >> 32, index[half] >> 32, set((sweep >> 32 << 16) ^ key1_));
            const Words p1 = multiply_low(c1, set(multiplier1));
            const Words a2 = xor3(p1 >> 32, set(product & 0xFFFFFFFFu), set(key0_ + weyl0));
            d1_[half] = p0;
            b2_[half] = p1;
            p3_[half] = multiply_low(a2, set(multiplier0));
        }
    }

    /// Words 0..3 for `purpose` (counters.hpp). 15 multiplications of lanes per half.
    [[gnu::always_inline]] WordQuad words(std::uint32_t purpose) const {
        const std::uint64_t p2 = std::uint64_t{a1_ ^ purpose} * multiplier0;
        Words a[2], b[2], c[2], d[2];
#pragma GCC unroll 2
        for (int half = 0; half < 2; ++half) {
            const Words c2 = d1_[half] ^ set((p2 >> 32) ^ (key1_ + weyl1));
            const Words p1 = multiply_low(c2, set(multiplier1));
            a[half] = xor3(p1 >> 32, b2_[half], set(key0_ + 2 * weyl0));
            c[half] = p3_[half] >> 32 ^ set((p2 & 0xFFFFFFFFu) ^ (key1_ + 2 * weyl1));
            b[half] = p1;
            d[half] = p3_[half];
        }
#pragma GCC unroll 7
        for (std::uint32_t round = 3; round < 10; ++round) {
#pragma GCC unroll 2
            for (int half = 0; half < 2; ++half) {
                const Words p0 = multiply_low(a[half], set(multiplier0)), p1 = multiply_low(c[half], set(multiplier1));
                a[half] = xor3(p1 >> 32, b[half], set(key0_ + round * weyl0));
                c[half] = xor3(p0 >> 32, d[half], set(key1_ + round * weyl1));
                b[half] = p1;
                d[half] = p0;
            }
        }
        return {{join_halves(a[0], a[1]), join_halves(b[0], b[1]), join_halves(c[0], c[1]), join_halves(d[0], d[1])}};
    }

  private:
    static constexpr std::uint64_t multiplier0 = 0xD2511F53u, multiplier1 = 0xCD9E8D57u;
    static constexpr std::uint32_t weyl0 = 0x9E3779B9u, weyl1 = 0xBB67AE85u;
    std::uint32_t key0_, key1_, a1_;
    Words d1_[2], b2_[2], p3_[2];
};

/// Random words of `lanes` tiles for a purpose, as draw_flips() and draw_states() take them.
struct LaneDraws {
    TileRandom random;
    Purpose purpose;
    [[gnu::always_inline]] void operator()(int call, Words (&words)[4]) const {
        const WordQuad quad = random.words(counter_purpose(purpose, 0, call));
        for (int i = 0; i < 4; ++i) words[i] = quad.w[i];
    }
    static bool any(Words w) { return STRATA_ISA::any(w); }
};

}  // namespace strata::swendsen_wang::STRATA_ISA
