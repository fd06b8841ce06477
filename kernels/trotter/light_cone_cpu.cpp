// SPDX-License-Identifier: BSD-3-Clause
// A light-cone pass in five stages for every tile, which stays in the second-level cache. With T the unnormalised
// transform:
//
//     1   for every state u of `top`, in the first-level cache:  T of `mid`, T of inner spins of `low` and lanes
//     2   for every k = (mid, low):                              rotations of `top` by D_{2p-1}
//     3   for every u, in the first-level cache:                 T of `low` and lanes, rotations of `mid` by D_2p, T
//     4   as stage 2, by D_{2p+1}
//     5   as stage 1, in reverse order
//
// In stages 2 to 4 an amplitude is first multiplied by the common factor of the rotations. A pass that begins with D_2p
// begins with stage 3, in which T of `mid` replaces T of `low` and lanes; likewise at the end.
#include <algorithm>

#include "kernels/trotter/butterflies.hpp"
#include "kernels/trotter/light_cone.hpp"
#include "kernels/trotter/pass_kernels.hpp"

namespace strata::trotter::STRATA_ISA {
namespace {

/// Largest number of bits that one loop transforms: 16 vectors fit in registers.
constexpr int sweep_bits = 4;

/// Calls f(std::integral_constant<int, n>) for n = 0 ... Most.
template <int Most, class F>
[[gnu::always_inline]] inline void with_constant(int n, F f) {
    if constexpr (Most > 0)
        if (n < Most) return with_constant<Most - 1>(n, f);
    f(std::integral_constant<int, Most>());
}

/// Offsets of the blocks of a tile, in reals, by the states of its three sets of bits. The states 0, 1, 2, ... of the first
/// `run_bits` bits of `low`, a run, are `stride` apart.
struct Offsets {
    std::uint64_t low[1 << Window::max_low_bits], mid[1 << Window::max_mid_bits], top[1 << Window::max_top_bits];
    std::uint64_t lows, mids, tops;  ///< numbers of states
    int run_bits;
    std::uint64_t stride;

    Offsets(const Window& window, const std::uint64_t* bit)
        : lows(fill(low, window.low.size(), bit)),
          mids(fill(mid, window.mid.size(), bit + window.low.size())),
          tops(fill(top, window.top.size(), bit + window.low.size() + window.mid.size())),
          run_bits(0),
          stride(bit[0]) {
        while (run_bits < static_cast<int>(window.low.size()) && bit[run_bits] == stride << run_bits) ++run_bits;
    }
    std::uint64_t run() const { return std::uint64_t{1} << run_bits; }

  private:
    static std::uint64_t fill(std::uint64_t* offset, std::size_t bits, const std::uint64_t* bit) {
        offset[0] = 0;
        for (std::size_t j = 0; j < bits; ++j)
            for (std::uint64_t x = 0; x < std::uint64_t{1} << j; ++x)
                offset[x + (std::uint64_t{1} << j)] = offset[x] + bit[j];
        return std::uint64_t{1} << bits;
    }
};

/// Blocks that differ in `Bits` bits, at any distances, and are transformed together. Up to four addresses and four
/// distances are kept through the loop over a run, so that they stay in registers.
template <int Bits, class Real>
class Points {
  public:
    /// `offsets`: reals, [state of the bits].
    Points(Real* p, const std::uint64_t* offsets) {
        for (int i = 0; i < near_count; ++i) near_[i] = p + offsets[i];
        for (int i = 0; i < far_count; ++i) far_[i] = offsets[i << near_bits];
    }
    /// The same blocks, `x` reals further.
    class At {
      public:
        [[gnu::always_inline]] At(const Points& points, std::uint64_t x) {
            for (int i = 0; i < near_count; ++i) near_[i] = points.near_[i];
            for (int i = 0; i < far_count; ++i) far_[i] = points.far_[i] + x;
        }
        [[gnu::always_inline]] Real* operator()(int i) const { return near_[i % near_count] + far_[i >> near_bits]; }

      private:
        Real* near_[1 << std::min(Bits, 2)];
        std::uint64_t far_[1 << std::max(Bits - 2, 0)];
    };
    [[gnu::always_inline]] At at(std::uint64_t x) const { return {*this, x}; }

  private:
    static constexpr int near_bits = std::min(Bits, 2), near_count = 1 << near_bits,
                         far_count = 1 << (Bits - near_bits);
    Real* near_[near_count];
    std::uint64_t far_[far_count];
};

/// Applies the product over the bits of (1 - i tan X) to the vectors a. Vectors with an even number of bits set in
/// their index hold real parts and the others imaginary parts (`sign` = +1), or the reverse (`sign` = -1).
template <int Bits, int sign, class Real>
[[gnu::always_inline]] inline void rotate(Part<Real>* a, const Real* tangent) {
#pragma GCC unroll 4
    for (int j = 0; j < Bits; ++j) {
        const Part<Real> t = Part<Real>{} + tangent[j], minus = -t;
#pragma GCC unroll 8
        for (int pair = 0; pair < (1 << Bits) / 2; ++pair) {
            const int low = (pair & ((1 << j) - 1)) | ((pair >> j) << (j + 1)), high = low | 1 << j;
            const bool plus = (__builtin_popcount(static_cast<unsigned>(low)) % 2 == 0) == (sign > 0);
            const Part<Real> x = a[low], y = a[high];
            a[low] = fma(plus ? t : minus, y, x);
            a[high] = fma(plus ? minus : t, x, y);
        }
    }
}

/// Whether the real parts of block i are in the first set of a rotation, and its imaginary parts in the second one.
constexpr bool real_first(int i) { return __builtin_popcount(static_cast<unsigned>(i)) % 2 == 0; }

/// Rotates one set of blocks in place, in the lanes of a part.
template <int Bits, int sign, class Real, class At>
[[gnu::always_inline]] inline void rotate_set(const At& at, int lane, const Real* tangent) {
    constexpr int count = 1 << Bits;
    const auto place = [&](int i) { return at(i) + (real_first(i) == (sign > 0) ? 0 : lanes<Real>)+lane; };
    Part<Real> a[count];
#pragma GCC unroll 16
    for (int i = 0; i < count; ++i) a[i] = load_part(place(i));
    rotate<Bits, sign>(a, tangent);
#pragma GCC unroll 16
    for (int i = 0; i < count; ++i) store_part(place(i), a[i]);
}

/// Rotates blocks (W D W of `Bits` bits), with the common factor. Both sets of 2^Bits vectors stay in registers where they
/// take half of these. Otherwise one set does, while the other one is multiplied by the factor, stored, and rotated
/// afterwards.
template <int Bits, class Real, class At>
[[gnu::always_inline]] inline void rotate_blocks(const At& at, const ComplexVector<Real>& factor, const Real* tangent) {
    constexpr int count = 1 << Bits;
    constexpr bool both_in_registers = 4 * count <= (register_bytes == 64 ? 32 : 16);
    using Complex = ComplexVector<Real, register_bytes>;
    alignas(64) Real factors[2 * lanes<Real>];
    store(factors, factor.re);
    store(factors + lanes<Real>, factor.im);
    for_parts<Real>([&](int lane) __attribute__((always_inline)) {
        const Complex part = Complex::load(factors + lane);
        Part<Real> a[count], b[count];
#pragma GCC unroll 16
        for (int i = 0; i < count; ++i) {
            const Complex z = part * Complex::load(at(i) + lane);
            a[i] = real_first(i) ? z.re : z.im;
            b[i] = real_first(i) ? z.im : z.re;
            if constexpr (!both_in_registers) store_part(at(i) + (real_first(i) ? lanes<Real> : 0) + lane, b[i]);
        }
        rotate<Bits, +1>(a, tangent);
        if constexpr (both_in_registers) rotate<Bits, -1>(b, tangent);
#pragma GCC unroll 16
        for (int i = 0; i < count; ++i) {
            store_part(at(i) + (real_first(i) ? 0 : lanes<Real>)+lane, a[i]);
            if constexpr (both_in_registers) store_part(at(i) + (real_first(i) ? lanes<Real> : 0) + lane, b[i]);
        }
        if constexpr (!both_in_registers) rotate_set<Bits, -1>(at, lane, tangent);
    });
}

/// T of `Bits` bits of the real and the imaginary parts.
template <int Bits, Order order, unsigned lane_mask, class Real, class At>
[[gnu::always_inline]] inline void transform_blocks(const At& at) {
    transform_vectors<Bits, order, lane_mask, Real>(at);
    transform_vectors<Bits, order, lane_mask, Real>([&](int i) { return at(i) + lanes<Real>; });
}

/// T of the first Run + Apart bits of `low`, of which the first Run belong to a run, and of the lanes in `lane_mask`, for
/// all blocks with one state of `top`.
template <int Run, int Apart, bool within_row, Order order, unsigned lane_mask, class Real>
void transform_runs(Real* group, const Offsets& o) {
    const std::uint64_t stride = within_row ? 2 * lanes<Real> : o.stride;
    for (std::uint64_t m = 0; m < o.mids; ++m)
        for (std::uint64_t x = 0; x < o.lows; x += std::uint64_t{1} << (Run + Apart)) {
            Real* first[1 << Apart];  // blocks with which the runs begin
            for (std::uint64_t i = 0; i < 1 << Apart; ++i) first[i] = group + o.mid[m] + o.low[x + (i << Run)];
            transform_blocks<Run + Apart, order, lane_mask, Real>([&](int i) __attribute__((always_inline)) {
                return first[i >> Run] + static_cast<std::uint64_t>(i % (1 << Run)) * stride;
            });
        }
}

/// T of the first `bits` bits of `low`, and of the lanes in `lane_mask`, for all blocks with one state of `top`, which
/// begin at `group`.
template <bool within_row, Order order, unsigned lane_mask, class Real>
void transform_low(Real* group, const Offsets& o, int bits) {
    // Within a row all bits but the last one belong to the run, and distances are known to the compiler. Across rows the
    // distances of more than four blocks need too many registers, and slabs of rows may divide a run.
    constexpr int max_run = within_row ? sweep_bits : 2, max_apart = within_row ? 1 : sweep_bits - 1;
    const int first = std::min(bits, sweep_bits), rest = bits - first, run = std::min({first, o.run_bits, max_run});
    const auto sweep = [&] {
        with_constant<max_run>(run, [&](auto r) {
            with_constant<std::min(max_apart, sweep_bits - r)>(
                first - run, [&](auto apart) { transform_runs<r, apart, within_row, order, lane_mask>(group, o); });
        });
    };
    const auto sweep_rest = [&] {
        std::uint64_t offsets[1 << (Window::max_low_bits - sweep_bits)];
        for (std::uint64_t i = 0; i < std::uint64_t{1} << rest; ++i) offsets[i] = o.low[i << sweep_bits];
        const std::uint64_t run_blocks = std::min(o.run(), std::uint64_t{1} << sweep_bits);
        with_constant<sweep_bits>(rest, [&](auto n) {
            for (std::uint64_t m = 0; m < o.mids; ++m)
                for (std::uint64_t high = 0; high < o.lows; high += std::uint64_t{1} << bits)
                    for (std::uint64_t x = 0; x < std::uint64_t{1} << sweep_bits; x += run_blocks) {
                        const Points<n, Real> points(group + (o.mid[m] + o.low[high + x]), offsets);
                        for (std::uint64_t i = 0; i < run_blocks; ++i)
                            transform_blocks<n, order, 0, Real>(points.at(i * o.stride));
                    }
        });
    };
    if (order == Order::ascending) sweep();
    if (rest > 0) sweep_rest();
    if (order == Order::descending) sweep();
}

/// T of the bits of the points for all blocks of a run of `low`, which are `stride` reals apart and end before `end`. A
/// function of its own, as those of the other runs, so that all addresses stay in registers.
template <int Bits, Order order, class Real>
[[gnu::noinline]] void transform_run(const Points<Bits, Real>& points, std::uint64_t stride, std::uint64_t end) {
    const Points<Bits, Real> p = points;
    for (std::uint64_t x = 0; x < end; x += stride) transform_blocks<Bits, order, 0, Real>(p.at(x));
}

/// T of `mid` for all blocks with one state of `top`.
template <Order order, class Real>
void transform_mid(Real* group, const Offsets& o, int bits) {
    with_constant<Window::max_mid_bits>(bits, [&](auto n) {
        constexpr int mid_bits = n;
        for (std::uint64_t x = 0; x < o.lows; x += o.run())
            transform_run<mid_bits, order>(Points<mid_bits, Real>(group + o.low[x], o.mid), o.stride,
                                           o.run() * o.stride);
    });
}

/// Rotates the blocks of `top` for a run of `low`, and prefetches those of half of their states, `next` reals ahead. factor,
/// tangent: of the first block of the run.
template <int Bits, int half, class Real>
[[gnu::noinline]] void rotate_top_run(const Points<Bits, Real>& points, std::uint64_t stride, std::uint64_t end,
                                      const Real* factor, const Real* tangent, std::ptrdiff_t next) {
    constexpr int half_count = (1 << Bits) / 2;
    const Points<Bits, Real> p = points;
    for (std::uint64_t x = 0; x < end; x += stride) {
        const auto at = p.at(x);
        rotate_blocks<Bits>(at, ComplexVector<Real>::load(factor), tangent);
#pragma GCC unroll 8
        for (int i = 0; i < half_count; ++i) fetch(at(half * half_count + i) + next, 2 * lanes<Real>);
        factor += 2 * lanes<Real>;
        tangent += Bits;
    }
}

/// Stages 2 and 4. Also prefetches the blocks of the next tile, `next` reals ahead, for half of the states of `top`.
template <int half, class Real>
void rotate_top(Real* tile, const Offsets& o, const Window& window, const PartialView<Real>& d, std::ptrdiff_t next) {
    with_constant<Window::max_top_bits>(static_cast<int>(window.top.size()), [&](auto n) {
        constexpr int bits = n;
        for (std::uint64_t m = 0; m < o.mids; ++m)
            for (std::uint64_t x = 0; x < o.lows; x += o.run()) {
                const std::uint64_t k = m * o.lows + x;
                rotate_top_run<bits, half>(Points<bits, Real>(tile + o.mid[m] + o.low[x], o.top), o.stride,
                                           o.run() * o.stride, d.factor + k * 2 * lanes<Real>, d.tangent + k * bits,
                                           next);
            }
    });
}

/// Factors of lanes and `low` of a diagonal for one tile: the factors of the view times those of the outer spins.
template <class Real>
class TileFactors {
  public:
    TileFactors(const FullView<Real>& d, const Window& window, std::uint64_t outer) {
        const int bits = static_cast<int>(window.low.size());
        const double* flip = d.flip + 2 * outer * static_cast<std::uint64_t>(window.lane_bits + bits);
        Number on_low[1 << Window::max_low_bits];
        products(flip + 2 * window.lane_bits, bits, {d.outer[2 * outer], d.outer[2 * outer + 1]}, on_low);
        const auto lane = lane_products<Real>(flip, window.lane_bits);
        for (std::uint64_t x = 0; x < std::uint64_t{1} << bits; ++x) {
            const auto outside = lane * ComplexVector<Real>{all<Real>(on_low[x].re), all<Real>(on_low[x].im)};
            factor_[x] = ComplexVector<Real>::load(d.lanes + x * 2 * lanes<Real>) * outside;
        }
    }
    const ComplexVector<Real>& operator[](std::uint64_t x) const { return factor_[x]; }

  private:
    ComplexVector<Real> factor_[1 << Window::max_low_bits];
};

/// Rotates the blocks of `mid` for a run of `low`. factors, scalar, tangent: of the first block of the run.
template <int Bits, class Real>
[[gnu::noinline]] void rotate_mid_run(const Points<Bits, Real>& points, std::uint64_t stride, std::uint64_t end,
                                      const ComplexVector<Real>* factors, const Real* scalar, const Real* tangent) {
    const Points<Bits, Real> p = points;
    for (std::uint64_t x = 0; x < end; x += stride) {
        const ComplexVector<Real> number{Vector<Real>{} + scalar[0], Vector<Real>{} + scalar[1]};
        rotate_blocks<Bits>(p.at(x), *factors * number, tangent);
        ++factors;
        scalar += 2;
        tangent += Bits;
    }
}

/// Rotations of `mid` in stage 3 for the blocks with state u of `top`.
template <class Real>
void rotate_mid(Real* group, const Offsets& o, const Window& window, const FullView<Real>& d,
                const TileFactors<Real>& factors, std::uint64_t u) {
    with_constant<Window::max_mid_bits>(static_cast<int>(window.mid.size()), [&](auto n) {
        constexpr int bits = n;
        for (std::uint64_t x = 0; x < o.lows; x += o.run()) {
            const std::uint64_t y = u * o.lows + x;
            rotate_mid_run<bits>(Points<bits, Real>(group + o.low[x], o.mid), o.stride, o.run() * o.stride, &factors[x],
                                 d.scalar + 2 * y, d.tangent + y * bits);
        }
    });
}

template <bool within_row, unsigned inner_lanes, unsigned window_lanes, class Real>
void pass_tile(const LightConePass<Real>& pass, const Offsets& o, Real* tile, std::uint64_t outer,
               std::ptrdiff_t next) {
    const Window& window = *pass.window;
    const int low = static_cast<int>(window.low.size()), mid = static_cast<int>(window.mid.size());
    const bool before = pass.before.factor != nullptr, after = pass.after.factor != nullptr;
    if (before) {
        for (std::uint64_t u = 0; u < o.tops; ++u) {
            transform_mid<Order::ascending>(tile + o.top[u], o, mid);
            transform_low<within_row, Order::ascending, inner_lanes>(tile + o.top[u], o, low - 1);
        }
        rotate_top<0>(tile, o, window, pass.before, next);
    }
    const TileFactors<Real> factors(pass.full, window, outer);
    for (std::uint64_t u = 0; u < o.tops; ++u) {
        Real* group = tile + o.top[u];
        if (before) transform_low<within_row, Order::ascending, window_lanes>(group, o, low);
        if (!before) transform_mid<Order::ascending>(group, o, mid);
        rotate_mid(group, o, window, pass.full, factors, u);
        if (!after) transform_mid<Order::descending>(group, o, mid);
        if (after) transform_low<within_row, Order::descending, window_lanes>(group, o, low);
    }
    if (after) {
        rotate_top<1>(tile, o, window, pass.after, next);
        for (std::uint64_t u = 0; u < o.tops; ++u) {
            transform_low<within_row, Order::descending, inner_lanes>(tile + o.top[u], o, low - 1);
            transform_mid<Order::descending>(tile + o.top[u], o, mid);
        }
    }
}

template <class Real>
void light_cone_pass(const LightConePass<Real>& pass, Range tiles) {
    const Offsets offsets(*pass.window, pass.offsets);
    const auto place = [&](std::uint64_t t) {
        return pass.first + t * pass.tile_stride + (t >> StateLayout::group_bits) * pass.tile_gap;
    };
#pragma omp parallel for schedule(static)
    for (std::uint64_t t = tiles.first; t < tiles.last; ++t) {
        const std::ptrdiff_t next = t + 1 < tiles.last ? place(t + 1) - place(t) : 0;
        const std::uint64_t outer = pass.first_outer + t;
        if (pass.window->within_row)
            pass_tile<true, all_lane_bits - 1, all_lane_bits>(pass, offsets, place(t), outer, next);
        else
            pass_tile<false, 0, 1>(pass, offsets, place(t), outer, next);
    }
}

}  // namespace

template <class Real>
void fill_light_cone(PassKernels<Real>& table) {
    table.light_cone_pass = light_cone_pass;
}
template void fill_light_cone(PassKernels<double>&);
template void fill_light_cone(PassKernels<float>&);

}  // namespace strata::trotter::STRATA_ISA
