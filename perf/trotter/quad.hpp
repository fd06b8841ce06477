// SPDX-License-Identifier: BSD-3-Clause
// Four interleaved complex numbers in one vector, and the two rotations of splitting.hpp on pairs of them.
#pragma once

#include "splitting.hpp"

namespace strata::perf {

typedef double Quad __attribute__((vector_size(64), aligned(64), may_alias));
typedef long long QuadIndex __attribute__((vector_size(64)));
constexpr int quad_bits = 2;  ///< Spins whose values differ within a Quad
constexpr std::uint64_t quad_size = 4;

inline Quad load(const Amplitude* from) { return *reinterpret_cast<const Quad*>(from); }
inline void store(Amplitude* to, Quad value) { *reinterpret_cast<Quad*>(to) = value; }

/// (-i) v up to signs: real and imaginary parts exchanged.
inline Quad exchanged(Quad v) { return __builtin_shuffle(v, QuadIndex{1, 0, 3, 2, 5, 4, 7, 6}); }

inline Quad product(Quad a, Quad b) {
    constexpr Quad sign = {-1, 1, -1, 1, -1, 1, -1, 1};
    const Quad real = __builtin_shuffle(b, QuadIndex{0, 0, 2, 2, 4, 4, 6, 6});
    const Quad imaginary = __builtin_shuffle(b, QuadIndex{1, 1, 3, 3, 5, 5, 7, 7});
    return a * real + sign * (exchanged(a) * imaginary);
}

/// The pair (a, b) of one spin: (a - i b, a + i b), or (a + b, i (a - b)).
template <Rotation rotation>
inline void rotate_pair(Quad& a, Quad& b) {
    constexpr Quad sign = {1, -1, 1, -1, 1, -1, 1, -1};
    if constexpr (rotation == Rotation::forward) {
        const Quad turned = exchanged(b);
        b = a - sign * turned;
        a = a + sign * turned;
    } else {
        const Quad difference = exchanged(b - a);
        a = a + b;
        b = sign * difference;
    }
}

/// The same for spin 0 or 1, whose pairs lie within the vector.
template <Rotation rotation, int spin>
inline Quad rotate_within(Quad v) {
    constexpr bool first = spin == 0;
    if constexpr (rotation == Rotation::forward) {
        constexpr Quad sign = first ? Quad{1, -1, -1, 1, 1, -1, -1, 1} : Quad{1, -1, 1, -1, -1, 1, -1, 1};
        constexpr QuadIndex up = first ? QuadIndex{0, 1, 0, 1, 4, 5, 4, 5} : QuadIndex{0, 1, 2, 3, 0, 1, 2, 3};
        constexpr QuadIndex down = first ? QuadIndex{3, 2, 3, 2, 7, 6, 7, 6} : QuadIndex{5, 4, 7, 6, 5, 4, 7, 6};
        return __builtin_shuffle(v, up) + sign * __builtin_shuffle(v, down);
    } else {
        constexpr Quad up_sign = first ? Quad{1, 1, -1, 1, 1, 1, -1, 1} : Quad{1, 1, 1, 1, -1, 1, -1, 1};
        constexpr Quad down_sign = first ? Quad{1, 1, 1, -1, 1, 1, 1, -1} : Quad{1, 1, 1, 1, 1, -1, 1, -1};
        constexpr QuadIndex up = first ? QuadIndex{0, 1, 1, 0, 4, 5, 5, 4} : QuadIndex{0, 1, 2, 3, 1, 0, 3, 2};
        constexpr QuadIndex down = first ? QuadIndex{2, 3, 3, 2, 6, 7, 7, 6} : QuadIndex{4, 5, 6, 7, 5, 4, 7, 6};
        return up_sign * __builtin_shuffle(v, up) + down_sign * __builtin_shuffle(v, down);
    }
}

}  // namespace strata::perf
