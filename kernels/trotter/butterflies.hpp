// SPDX-License-Identifier: BSD-3-Clause
// Building blocks of all passes over a state, in vectors of the lanes: complex products, the unnormalised
// Walsh-Hadamard transform T of a few bits of the block index in registers, and that of the lane bits by shuffles.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "kernels/lanes.hpp"

namespace strata::trotter::STRATA_ISA {

using namespace strata::STRATA_ISA;

template <class Real>
using Vector = strata::STRATA_ISA::Lanes<Real>;
/// Part of a vector that fits in one register. Operations that do not mix lanes process one part of all blocks after
/// the other, since registers hold only 16 or 32 parts.
template <class Real>
using Part = strata::STRATA_ISA::Lanes<Real, register_bytes>;

/// Calls f(first lane) for every part of a vector.
template <class Real, class F>
[[gnu::always_inline]] inline void for_parts(F f) {
#pragma GCC unroll 1
    for (int lane = 0; lane < lanes<Real>; lane += lanes<Real, register_bytes>) f(lane);
}
template <class Real>
[[gnu::always_inline]] inline Part<Real> load_part(const Real* p) {
    return load<Real, register_bytes>(p);
}
template <class Real>
[[gnu::always_inline]] inline void store_part(Real* p, Part<Real> v) {
    store<register_bytes>(p, v);
}

/// Vector of complex numbers, or a part of one. In memory the imaginary parts follow 64 bytes after the real parts.
template <class Real, int Bytes = 64>
struct ComplexVector {
    Lanes<Real, Bytes> re, im;
    [[gnu::always_inline]] static ComplexVector load(const Real* p) {
        return {strata::STRATA_ISA::load<Real, Bytes>(p), strata::STRATA_ISA::load<Real, Bytes>(p + lanes<Real>)};
    }
    [[gnu::always_inline]] friend ComplexVector operator*(const ComplexVector& a, const ComplexVector& b) {
        return {fma(a.re, b.re, -(a.im * b.im)), fma(a.re, b.im, a.im * b.re)};
    }
};

/// Complex number whose products are fused explicitly: g++ 12 may fuse them despite -ffp-contract=off, and only in some
/// instruction sets.
struct Number {
    double re, im;
    Number operator*(const Number& b) const {
        return {__builtin_fma(re, b.re, -(im * b.im)), __builtin_fma(re, b.im, im * b.re)};
    }
};

/// out[x] for x < 2^bits: `first` times the factors of all bits set in x; `factors` holds pairs (re, im).
inline void products(const double* factors, int bits, Number first, Number* out) {
    out[0] = first;
    for (int j = 0; j < bits; ++j)
        for (int x = 0; x < 1 << j; ++x) out[x + (1 << j)] = out[x] * Number{factors[2 * j], factors[2 * j + 1]};
}

/// Products of the factors of the lane bits, one product per lane.
template <class Real>
inline ComplexVector<Real> lane_products(const double* factors, int lane_bits) {
    Number number[lanes<Real>];
    products(factors, lane_bits, {1, 0}, number);
    ComplexVector<Real> vector;
    for (int l = 0; l < lanes<Real>; ++l) {
        vector.re[l] = static_cast<Real>(number[l].re);
        vector.im[l] = static_cast<Real>(number[l].im);
    }
    return vector;
}

enum class Order { ascending, descending };

/// (a, b) -> (a + b, a - b) for all pairs of 2^Bits vectors whose indices differ in one bit, for every bit.
template <int Bits, Order order, class V>
[[gnu::always_inline]] inline void transform(V* v) {
#pragma GCC unroll 4
    for (int i = 0; i < Bits; ++i) {
        const int step = 1 << (order == Order::ascending ? i : Bits - 1 - i);
#pragma GCC unroll 8
        for (int pair = 0; pair < (1 << Bits) / 2; ++pair) {
            const int low = (pair & (step - 1)) | ((pair & ~(step - 1)) << 1);
            const V a = v[low], b = v[low + step];
            v[low] = a + b;
            v[low + step] = a - b;
        }
    }
}

/// Transform of the lane bit of value S, if `mask` contains it and vectors have so many lanes.
template <class Real, std::size_t S, unsigned mask>
[[gnu::always_inline]] inline Vector<Real> transform_lane(Vector<Real> v) {
    if constexpr ((mask & S) != 0 && S < static_cast<std::size_t>(lanes<Real>))
        return fma(v, signs<Real, 64, S>(), flip<Real, 64, S>(v));
    else
        return v;
}

constexpr unsigned all_lane_bits = 15;

/// Transform of the lane bits in `mask`.
template <Order order, class Real, unsigned mask = all_lane_bits>
[[gnu::always_inline]] inline Vector<Real> transform_lanes(Vector<Real> v) {
    if constexpr (order == Order::ascending) {
        v = transform_lane<Real, 1, mask>(v);
        v = transform_lane<Real, 2, mask>(v);
        v = transform_lane<Real, 4, mask>(v);
        v = transform_lane<Real, 8, mask>(v);
    } else {
        v = transform_lane<Real, 8, mask>(v);
        v = transform_lane<Real, 4, mask>(v);
        v = transform_lane<Real, 2, mask>(v);
        v = transform_lane<Real, 1, mask>(v);
    }
    return v;
}

/// Transforms `Bits` bits of the block index: 2^Bits vectors at place(0), place(1), ... The lane bits in `mask` are
/// transformed before the bits in ascending order, and after them in descending order.
template <int Bits, Order order, unsigned mask, class Real, class Place>
[[gnu::always_inline]] inline void transform_vectors(Place place) {
    constexpr bool lanes_apart = mask != 0 && register_bytes < 64, lanes_at_once = mask != 0 && !lanes_apart;
    const auto transform_lanes_in_place = [&]() __attribute__((always_inline)) {
        for (int i = 0; i < 1 << Bits; ++i) store(place(i), transform_lanes<order, Real, mask>(load(place(i))));
    };
    if constexpr (lanes_apart && order == Order::ascending) transform_lanes_in_place();
    for_parts<Real>([&](int lane) __attribute__((always_inline)) {
        Part<Real> v[1 << Bits];
#pragma GCC unroll 16
        for (int i = 0; i < 1 << Bits; ++i) {
            v[i] = load_part(place(i) + lane);
            if constexpr (lanes_at_once && order == Order::ascending) v[i] = transform_lanes<order, Real, mask>(v[i]);
        }
        transform<Bits, order>(v);
#pragma GCC unroll 16
        for (int i = 0; i < 1 << Bits; ++i) {
            if constexpr (lanes_at_once && order == Order::descending) v[i] = transform_lanes<order, Real, mask>(v[i]);
            store_part(place(i) + lane, v[i]);
        }
    });
    if constexpr (lanes_apart && order == Order::descending) transform_lanes_in_place();
}

}  // namespace strata::trotter::STRATA_ISA
