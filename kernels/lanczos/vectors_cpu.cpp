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

}  // namespace strata::lanczos::STRATA_ISA
