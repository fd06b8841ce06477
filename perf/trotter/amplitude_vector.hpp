// SPDX-License-Identifier: BSD-3-Clause
// Vectors of interleaved complex numbers in one register, four with AVX-512 and two with AVX2, and the two rotations of
// splitting.hpp on pairs of them. The compiler would keep a vector type wider than a register in memory.
#pragma once

#include <utility>

#include "splitting.hpp"

namespace strata::perf {

#if defined(__AVX512F__)
constexpr int vector_bits = 2;  ///< Spins whose values differ within a vector
#else
constexpr int vector_bits = 1;
#endif
constexpr std::uint64_t vector_size = 1 << vector_bits;
typedef double AmplitudeVector __attribute__((vector_size(16 << vector_bits), aligned(16 << vector_bits), may_alias));
typedef long long LaneIndex __attribute__((vector_size(16 << vector_bits)));

inline AmplitudeVector load(const Amplitude* from) { return *reinterpret_cast<const AmplitudeVector*>(from); }
inline void store(Amplitude* to, AmplitudeVector value) { *reinterpret_cast<AmplitudeVector*>(to) = value; }

/// The vector with elements f(lane), of indices or of factors.
template <class Vector, class F>
constexpr Vector by_lane(F f) {
    return [&]<std::size_t... lane>(std::index_sequence<lane...>) { return Vector{f(static_cast<int>(lane))...}; }
    (std::make_index_sequence<2 * vector_size>());
}
/// The vector whose lane i is lane source(i) of v.
template <class F>
[[gnu::always_inline]] inline AmplitudeVector shuffled(AmplitudeVector v, F source) {
    return __builtin_shuffle(v, by_lane<LaneIndex>([=](int lane) { return static_cast<long long>(source(lane)); }));
}
/// The vector with -1 in the lanes where `negative` holds and 1 elsewhere.
template <class F>
constexpr AmplitudeVector signs(F negative) {
    return by_lane<AmplitudeVector>([=](int lane) { return negative(lane) ? -1.0 : 1.0; });
}

/// (-i) v up to signs: real and imaginary parts are exchanged.
inline AmplitudeVector exchanged(AmplitudeVector v) {
    return shuffled(v, [](int lane) { return lane ^ 1; });
}

inline AmplitudeVector product(AmplitudeVector a, AmplitudeVector b) {
    constexpr AmplitudeVector sign = signs([](int lane) { return lane % 2 == 0; });
    const AmplitudeVector real = shuffled(b, [](int lane) { return lane & ~1; });
    const AmplitudeVector imaginary = shuffled(b, [](int lane) { return lane | 1; });
    return a * real + sign * (exchanged(a) * imaginary);
}

/// Rotates the pair (a, b) of one spin to (a - i b, a + i b), or (a + b, i (a - b)).
template <Rotation rotation>
inline void rotate_pair(AmplitudeVector& a, AmplitudeVector& b) {
    constexpr AmplitudeVector sign = signs([](int lane) { return lane % 2 == 1; });
    if constexpr (rotation == Rotation::forward) {
        const AmplitudeVector turned = exchanged(b);
        b = a - sign * turned;
        a = a + sign * turned;
    } else {
        const AmplitudeVector difference = exchanged(b - a);
        a = a + b;
        b = sign * difference;
    }
}

/// The same for a spin whose pairs lie within one vector.
template <Rotation rotation, int spin>
inline AmplitudeVector rotate_within(AmplitudeVector v) {
    constexpr int bit = 2 << spin;
    constexpr auto is_b = [](int lane) { return (lane & bit) != 0; };
    constexpr auto imaginary = [](int lane) { return lane % 2 == 1; };
    if constexpr (rotation == Rotation::forward) {
        constexpr AmplitudeVector sign = signs([=](int lane) { return is_b(lane) != imaginary(lane); });
        return shuffled(v, [](int lane) { return lane & ~bit; }) +
               sign * shuffled(v, [](int lane) { return (lane | bit) ^ 1; });
    } else {
        constexpr AmplitudeVector sign_a = signs([=](int lane) { return is_b(lane) && !imaginary(lane); }),
                                  sign_b = signs([=](int lane) { return is_b(lane) && imaginary(lane); });
        return sign_a * shuffled(v, [=](int lane) { return (lane & ~bit) ^ int(is_b(lane)); }) +
               sign_b * shuffled(v, [=](int lane) { return (lane | bit) ^ int(is_b(lane)); });
    }
}

/// Rotates all spins whose pairs lie within one vector.
template <Rotation rotation, int spin = 0>
inline AmplitudeVector rotate_all_within(AmplitudeVector v) {
    if constexpr (spin == vector_bits)
        return v;
    else
        return rotate_all_within<rotation, spin + 1>(rotate_within<rotation, spin>(v));
}

}  // namespace strata::perf
