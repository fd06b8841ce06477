// SPDX-License-Identifier: BSD-3-Clause
// Linear algebra of whole vectors, tile by tile. All kernels are limited by memory bandwidth; their bytes are listed in
// kernels/lanczos/step_kernels.hpp. Complex vectors are pairs (re, im), and a factor with an imaginary part multiplies
// them by i through a swap within the pair.
#include "kernels/lanczos/step_kernels.hpp"
#include "kernels/lanes.hpp"

namespace strata::lanczos::STRATA_ISA {

using namespace strata::STRATA_ISA;
namespace {

/// Scalar factor in vector registers, for reals or for pairs (re, im).
template <class Real>
struct Factor {
    Lanes<Real> re, im;
    bool real;
    explicit Factor(Complex z) : re(all<Real>(z.real())), im(all<Real>(z.imag())), real(z.imag() == 0) {}
    [[gnu::always_inline]] Lanes<Real> times(Lanes<Real> v) const {
        return real ? re * v : fma(im, times_i<Real>(v), re * v);
    }
};

}  // namespace

template <class Real>
void axpby(const BlockLayout& layout, Complex a, const Real* x, Complex b, const Real* y, Real* out, TileSums* sums) {
    const Factor<Real> by_a(a), by_b(b);
#pragma omp parallel for schedule(static)
    for (std::uint64_t tile = 0; tile < layout.tiles(); ++tile) {
        DoubleSum<Real> squares;
        for (std::uint64_t i = tile * layout.tile(); i < (tile + 1) * layout.tile(); i += lanes<Real>) {
            const Lanes<Real> v = by_a.times(load(x + i)) + by_b.times(load(y + i));
            if (out != nullptr) store(out + i, v);
            squares.add(v, v);
        }
        sums[tile] = {0, 0, squares.total()};
    }
}

template <class Real>
void dot(const BlockLayout& layout, const Real* x, const Real* y, TileSums* sums) {
    const bool complex = layout.arithmetic == Arithmetic::complex;
#pragma omp parallel for schedule(static)
    for (std::uint64_t tile = 0; tile < layout.tiles(); ++tile) {
        DoubleSum<Real> re, im;
        for (std::uint64_t i = tile * layout.tile(); i < (tile + 1) * layout.tile(); i += lanes<Real>) {
            const Lanes<Real> a = load(x + i), b = load(y + i);
            re.add(a, b);
            if (complex) im.add(times_i<Real>(a), b);  // (-im a, re a) . (re b, im b)
        }
        sums[tile] = TileSums::of_dot(re.total(), im.total());
    }
}

template <class Real>
void project(const BlockLayout& layout, const Real* const* v, std::uint64_t count, const Real* x, double* sums,
             std::uint64_t stride) {
    const bool complex = layout.arithmetic == Arithmetic::complex;
#pragma omp parallel for schedule(static)
    for (std::uint64_t block = 0; block < layout.blocks.size(); ++block) {
        double* out = sums + block * stride;
        for (std::uint64_t i = 0; i < 2 * count; ++i) out[i] = 0;
        for (std::uint64_t tile = block * layout.block_size(); tile < (block + 1) * layout.block_size();
             tile += layout.tile())
            for (std::uint64_t i = 0; i < count; ++i) {
                DoubleSum<Real> re, im;
                for (std::uint64_t at = tile; at < tile + layout.tile(); at += lanes<Real>) {
                    const Lanes<Real> a = load(v[i] + at), b = load(x + at);
                    re.add(a, b);
                    if (complex) im.add(times_i<Real>(a), b);
                }
                out[2 * i] += re.total();
                out[2 * i + 1] += im.total();
            }
    }
}

template <class Real>
void subtract(const BlockLayout& layout, const Real* const* v, std::uint64_t count, const Complex* h, Real* x) {
#pragma omp parallel for schedule(static)
    for (std::uint64_t tile = 0; tile < layout.tiles(); ++tile)
        for (std::uint64_t i = 0; i < count; ++i) {
            const Factor<Real> minus(-h[i]);
            for (std::uint64_t at = tile * layout.tile(); at < (tile + 1) * layout.tile(); at += lanes<Real>)
                store(x + at, load(x + at) + minus.times(load(v[i] + at)));
        }
}

template <class Real>
void rotate(const BlockLayout& layout, Real* const* v, std::uint64_t count, const Complex* c, std::uint64_t kept) {
    constexpr std::uint64_t max_sums = 8,
                            piece = max_sums * lanes<Real>;  // sums in registers at a time, and their reals
#pragma omp parallel
    {
        std::vector<Real> old(count * piece + lanes<Real>), rotated(kept * piece + lanes<Real>);
        const auto aligned = [](std::vector<Real>& space) {
            return reinterpret_cast<Real*>((reinterpret_cast<std::uintptr_t>(space.data()) + 63) / 64 * 64);
        };
        Real *in = aligned(old), *out = aligned(rotated);
#pragma omp for schedule(static)
        for (std::uint64_t at = 0; at < layout.size(); at += piece) {
            for (std::uint64_t i = 0; i < count; ++i)
                for (std::uint64_t k = 0; k < piece; k += lanes<Real>) store(in + i * piece + k, load(v[i] + at + k));
            for (std::uint64_t j = 0; j < kept; ++j) {
                Lanes<Real> sum[max_sums] = {};
                for (std::uint64_t i = 0; i < count; ++i) {
                    const Factor<Real> factor(c[j * count + i]);
                    for (std::uint64_t k = 0; k < max_sums; ++k)
                        sum[k] += factor.times(load(in + i * piece + k * lanes<Real>));
                }
                for (std::uint64_t k = 0; k < max_sums; ++k) store(out + j * piece + k * lanes<Real>, sum[k]);
            }
            for (std::uint64_t j = 0; j < kept; ++j)
                for (std::uint64_t k = 0; k < piece; k += lanes<Real>) store(v[j] + at + k, load(out + j * piece + k));
        }
    }
}

#define STRATA_INSTANTIATE(Real)                                                                                 \
    template void axpby<Real>(const BlockLayout&, Complex, const Real*, Complex, const Real*, Real*, TileSums*); \
    template void dot<Real>(const BlockLayout&, const Real*, const Real*, TileSums*);                            \
    template void project<Real>(const BlockLayout&, const Real* const*, std::uint64_t, const Real*, double*,     \
                                std::uint64_t);                                                                  \
    template void subtract<Real>(const BlockLayout&, const Real* const*, std::uint64_t, const Complex*, Real*);  \
    template void rotate<Real>(const BlockLayout&, Real* const*, std::uint64_t, const Complex*, std::uint64_t);
STRATA_INSTANTIATE(double)
STRATA_INSTANTIATE(float)

}  // namespace strata::lanczos::STRATA_ISA
