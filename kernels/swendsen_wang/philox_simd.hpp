// SPDX-License-Identifier: BSD-3-Clause
// Philox4x32-10 (Salmon et al., SC11) for `lanes` tiles at once, both halves of each (counters.hpp): tiles of one
// lattice, which share the seed and the sweep, or one tile of several replicas, which have their own. Lanes are 64 bits
// wide and only their low halves are used, so that the high half of a product needs one shift and no shuffle.
#pragma once

#include <cstdint>

#include "kernels/swendsen_wang/counters.hpp"
#include "kernels/swendsen_wang/replicas.hpp"
#include "kernels/swendsen_wang/simd.hpp"

namespace strata::swendsen_wang::STRATA_ISA {

/// Four words of a call, each for both half tiles of `lanes` tiles.
struct WordQuad {
    Words w[4];
};

constexpr std::uint64_t multiplier0 = 0xD2511F53u, multiplier1 = 0xCD9E8D57u;

inline Words set(Words w) { return w; }
inline std::uint64_t multiply_low(std::uint64_t a, std::uint64_t b) { return (a & 0xFFFFFFFFu) * b; }

/// Seed and sweep of all lanes. `key(i, round)` is word i of the key in a round; the high halves of the numbers of
/// lanes are not used.
class CommonKeys {
  public:
    using Number = std::uint64_t;
    CommonKeys(std::uint64_t sweep, std::uint64_t seed) : sweep_(sweep), seed_(seed) {}
    [[gnu::always_inline]] Number sweep() const { return sweep_; }
    [[gnu::always_inline]] Number key(int i, std::uint32_t round) const {
        return static_cast<std::uint32_t>(round_key(seed_, i, round));
    }

  private:
    std::uint64_t sweep_, seed_;
};

/// Seeds and sweeps of `lanes` replicas from lane `first` on of a group.
class ReplicaKeys {
  public:
    using Number = Words;
    ReplicaKeys(const ReplicaGroup& group, int first) : group_(group), first_(first) {}
    [[gnu::always_inline]] Number sweep() const { return load(group_.sweep.lane + first_); }
    [[gnu::always_inline]] Number key(int i, std::uint32_t round) const {
        return load(group_.key[round][i].lane + first_);
    }

  private:
    const ReplicaGroup& group_;
    int first_;
};

/// Part of the ten rounds that depends on the half tiles, the sweep and the seed but not on the purpose; all words of
/// the same tiles share it.
template <class Keys>
class RandomOf {
  public:
    /// `even`, `odd`: half-tile indices for the low and for the high halves of the lanes.
    RandomOf(Words even, Words odd, const Keys& keys) : keys_(keys) {
        using Number = typename Keys::Number;
        const Number sweep = keys.sweep(), product = multiply_low(sweep, multiplier1 + Number{});
        a1_ = (product >> 32) ^ keys.key(0, 0);  // word of round 1, without the purpose
        const Words index[2] = {even, odd};
        for (int half = 0; half < 2; ++half) {
            const Words p0 = multiply_low(index[half], set(multiplier0));
            const Words c1 = xor3(p0 >> 32, index[half] >> 32, set((sweep >> 32 << 16) ^ keys.key(1, 0)));
            const Words p1 = multiply_low(c1, set(multiplier1));
            const Words a2 = xor3(p1 >> 32, set(product & 0xFFFFFFFFu), set(keys.key(0, 1)));
            d1_[half] = p0;
            b2_[half] = p1;
            p3_[half] = multiply_low(a2, set(multiplier0));
        }
    }

    /// Words 0..3 for `purpose` (counters.hpp). 15 multiplications of lanes per half.
    [[gnu::always_inline]] WordQuad words(std::uint32_t purpose) const {
        const auto p2 = multiply_low(a1_ ^ purpose, multiplier0 + typename Keys::Number{});
        Words a[2], b[2], c[2], d[2];
#pragma GCC unroll 2
        for (int half = 0; half < 2; ++half) {
            const Words c2 = d1_[half] ^ set((p2 >> 32) ^ keys_.key(1, 1));
            const Words p1 = multiply_low(c2, set(multiplier1));
            a[half] = xor3(p1 >> 32, b2_[half], set(keys_.key(0, 2)));
            c[half] = p3_[half] >> 32 ^ set((p2 & 0xFFFFFFFFu) ^ keys_.key(1, 2));
            b[half] = p1;
            d[half] = p3_[half];
        }
#pragma GCC unroll 7
        for (std::uint32_t round = 3; round < 10; ++round) {
#pragma GCC unroll 2
            for (int half = 0; half < 2; ++half) {
                const Words p0 = multiply_low(a[half], set(multiplier0)), p1 = multiply_low(c[half], set(multiplier1));
                a[half] = xor3(p1 >> 32, b[half], set(keys_.key(0, round)));
                c[half] = xor3(p0 >> 32, d[half], set(keys_.key(1, round)));
                b[half] = p1;
                d[half] = p0;
            }
        }
        return {{join_halves(a[0], a[1]), join_halves(b[0], b[1]), join_halves(c[0], c[1]), join_halves(d[0], d[1])}};
    }

  private:
    Keys keys_;
    typename Keys::Number a1_;
    Words d1_[2], b2_[2], p3_[2];
};

/// Random words of tiles of one lattice.
class TileRandom : public RandomOf<CommonKeys> {
  public:
    TileRandom(Words even, Words odd, std::uint64_t sweep, std::uint64_t seed)
        : RandomOf(even, odd, CommonKeys(sweep, seed)) {}
};

/// Random words of `lanes` tiles for a purpose, as draw_flips() and draw_states() take them.
template <class Random>
struct LaneDraws {
    Random random;
    Purpose purpose;
    [[gnu::always_inline]] void operator()(int call, Words (&words)[4]) const {
        const WordQuad quad = random.words(counter_purpose(purpose, 0, call));
        for (int i = 0; i < 4; ++i) words[i] = quad.w[i];
    }
    static bool any(Words w) { return STRATA_ISA::any(w); }
};
template <class Random>
LaneDraws(Random, Purpose) -> LaneDraws<Random>;

}  // namespace strata::swendsen_wang::STRATA_ISA
