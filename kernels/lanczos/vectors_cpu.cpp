// SPDX-License-Identifier: BSD-3-Clause
// Sums and products of whole vectors, tile by tile: bound by memory.
#include "kernels/lanczos/lanes.hpp"
#include "kernels/lanczos/step_kernels.hpp"

namespace strata::lanczos::STRATA_ISA {
namespace {

/// A factor ready to multiply lanes of reals or of pairs (re, im).
struct Factor {
    Lanes re, im;
    bool real;
    explicit Factor(Complex z) : re(all(z.real())), im(all(z.imag())), real(z.imag() == 0) {}
    [[gnu::always_inline]] Lanes times(Lanes v) const { return real ? re * v : fma(im, times_i(v), re * v); }
};

}  // namespace

void combine(const BlockLayout& layout, Complex a, const double* x, Complex b, const double* y, double* out,
             TileSums* sums) {
    const Factor by_a(a), by_b(b);
#pragma omp parallel for schedule(static)
    for (std::uint64_t tile = 0; tile < layout.tiles(); ++tile) {
        Lanes squares = {};
        for (std::uint64_t i = tile * tile_reals; i < (tile + 1) * tile_reals; i += lanes) {
            const Lanes v = by_a.times(load(x + i)) + by_b.times(load(y + i));
            if (out != nullptr) store(out + i, v);
            squares = fma(v, v, squares);
        }
        sums[tile] = {0, 0, sum(squares)};
    }
}

void dot(const BlockLayout& layout, const double* x, const double* y, TileSums* sums) {
    const bool complex = layout.arithmetic == Arithmetic::complex;
#pragma omp parallel for schedule(static)
    for (std::uint64_t tile = 0; tile < layout.tiles(); ++tile) {
        Lanes re = {}, im = {};
        for (std::uint64_t i = tile * tile_reals; i < (tile + 1) * tile_reals; i += lanes) {
            const Lanes a = load(x + i), b = load(y + i);
            re = fma(a, b, re);
            if (complex) im = fma(times_i(a), b, im);  // (-im a, re a) . (re b, im b)
        }
        sums[tile] = {sum(re), sum(im), 0};
    }
}

void project(const BlockLayout& layout, const double* const* v, std::uint64_t count, const double* x, double* sums) {
    const bool complex = layout.arithmetic == Arithmetic::complex;
#pragma omp parallel for schedule(static)
    for (std::uint64_t block = 0; block < layout.blocks.size(); ++block) {
        double* out = sums + block * count * 2;
        for (std::uint64_t i = 0; i < 2 * count; ++i) out[i] = 0;
        for (std::uint64_t tile = block * layout.block_size(); tile < (block + 1) * layout.block_size();
             tile += tile_reals)
            for (std::uint64_t i = 0; i < count; ++i) {
                Lanes re = {}, im = {};
                for (std::uint64_t at = tile; at < tile + tile_reals; at += lanes) {
                    const Lanes a = load(v[i] + at), b = load(x + at);
                    re = fma(a, b, re);
                    if (complex) im = fma(times_i(a), b, im);
                }
                out[2 * i] += sum(re);
                out[2 * i + 1] += sum(im);
            }
    }
}

void subtract(const BlockLayout& layout, const double* const* v, std::uint64_t count, const Complex* h, double* x) {
#pragma omp parallel for schedule(static)
    for (std::uint64_t tile = 0; tile < layout.tiles(); ++tile)
        for (std::uint64_t i = 0; i < count; ++i) {
            const Factor minus(-h[i]);
            for (std::uint64_t at = tile * tile_reals; at < (tile + 1) * tile_reals; at += lanes)
                store(x + at, load(x + at) + minus.times(load(v[i] + at)));
        }
}

void rotate(const BlockLayout& layout, double* const* v, std::uint64_t count, const Complex* c, std::uint64_t kept) {
    constexpr std::uint64_t piece = 64, most = 8;  // reals, and vectors that are summed up together
#pragma omp parallel
    {
        std::vector<double> old(count * piece + lanes), rotated(kept * piece + lanes);
        const auto aligned = [](std::vector<double>& space) {
            return reinterpret_cast<double*>((reinterpret_cast<std::uintptr_t>(space.data()) + 63) / 64 * 64);
        };
        double *in = aligned(old), *out = aligned(rotated);
#pragma omp for schedule(static)
        for (std::uint64_t at = 0; at < layout.size(); at += piece) {
            for (std::uint64_t i = 0; i < count; ++i)
                for (std::uint64_t k = 0; k < piece; k += lanes) store(in + i * piece + k, load(v[i] + at + k));
            for (std::uint64_t j = 0; j < kept; ++j) {
                Lanes sum[most] = {};
                for (std::uint64_t i = 0; i < count; ++i) {
                    const Factor factor(c[j * count + i]);
                    for (std::uint64_t k = 0; k < most; ++k) sum[k] += factor.times(load(in + i * piece + k * lanes));
                }
                for (std::uint64_t k = 0; k < most; ++k) store(out + j * piece + k * lanes, sum[k]);
            }
            for (std::uint64_t j = 0; j < kept; ++j)
                for (std::uint64_t k = 0; k < piece; k += lanes) store(v[j] + at + k, load(out + j * piece + k));
        }
    }
}

}  // namespace strata::lanczos::STRATA_ISA
