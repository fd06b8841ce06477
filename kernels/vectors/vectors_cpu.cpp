// SPDX-License-Identifier: BSD-3-Clause
// Vectors are processed in pieces of eight reals, one for each accumulator of a segment. Complex numbers are pairs
// (re, im); a factor with an imaginary part multiplies them by i through an exchange within the pair.
#include <omp.h>

#include "kernels/instruction_sets.hpp"
#include "kernels/lanes.hpp"
#include "kernels/vectors/vector_kernels.hpp"
#include "strata/parallel.hpp"

namespace strata::vectors::STRATA_ISA {

using namespace strata::STRATA_ISA;

/// Bytes of a piece.
template <class Real>
constexpr int piece_bytes = accumulators * sizeof(Real);
template <class Real>
using Piece = Lanes<Real, piece_bytes<Real>>;
using Sums = Lanes<double, accumulators * sizeof(double)>;

/// Reals of the segments that a thread processes at a time: they remain in the second-level cache for several passes.
constexpr std::uint64_t group_reals = 4096;

template <class Real>
[[gnu::always_inline]] inline Sums doubles(Piece<Real> v) {
    if constexpr (sizeof(Real) == sizeof(double))
        return v;
    else
        return to_doubles<piece_bytes<Real>>(v);
}

/// Sum of the accumulators in the order of segments.hpp.
template <int Bytes = accumulators * sizeof(double)>
[[gnu::always_inline]] inline double total(Lanes<double, Bytes> v) {
    if constexpr (Bytes == 2 * sizeof(double))
        return v[0] + v[1];
    else if constexpr (Bytes > register_bytes)
        return total<Bytes / 2>(v.low + v.high);
    else {
        union {
            Lanes<double, Bytes> whole;
            Lanes<double, Bytes / 2> half[2];
        } parts = {v};
        return total<Bytes / 2>(parts.half[0] + parts.half[1]);
    }
}

/// A factor in vector registers.
template <class Real, Arithmetic A>
struct FactorLanes {
    Piece<Real> re, im;
    bool real;
    explicit FactorLanes(Factor z)
        : re(all<Real, piece_bytes<Real>>(z.re)), im(all<Real, piece_bytes<Real>>(z.im)), real(z.im == 0) {}
    /// sum + z v, with the product by i added last.
    [[gnu::always_inline]] Piece<Real> add_to(Piece<Real> sum, Piece<Real> v) const {
        sum += re * v;
        if constexpr (A == Arithmetic::complex)
            if (!real) sum += im * times_i<Real, piece_bytes<Real>>(v);
        return sum;
    }
    [[gnu::always_inline]] Piece<Real> times(Piece<Real> v) const {
        if constexpr (A == Arithmetic::complex)
            if (!real) return re * v + im * times_i<Real, piece_bytes<Real>>(v);
        return re * v;
    }
};

/// Calls work(load, store, i) for the pieces of the reals first ... last - 1. load and store take addresses; for the last
/// piece they are limited to the reals that are left.
template <class Real, class Work>
[[gnu::always_inline]] inline void for_pieces(std::uint64_t first, std::uint64_t last, Work work) {
    constexpr int bytes = piece_bytes<Real>;
    std::uint64_t i = first;
    for (; i + accumulators <= last; i += accumulators)
        work(
            [](const Real* p) __attribute__((always_inline)) { return load_unaligned<Real, bytes>(p); },
            [](Real * p, Piece<Real> v) __attribute__((always_inline)) { store_unaligned<bytes>(p, v); }, i);
    if (i == last) return;
    const auto left = static_cast<int>(last - i);
    work(
        [left](const Real* p) __attribute__((always_inline)) { return load_first<Real, bytes>(p, left); },
        [left](Real * p, Piece<Real> v) __attribute__((always_inline)) { store_first<bytes>(p, v, left); }, i);
}

/// Calls work(first segment, last segment) for groups of segments, by all threads.
template <class Work>
void for_groups(const Workers<Cpu>& workers, const Segments& segments, Work work) {
    if (segments.count == 0) return;
    const std::uint64_t mean = segments.reals / segments.count,
                        together = mean < group_reals ? group_reals / (mean + 1) + 1 : 1;
    in_team(workers.threads, [&](int) {
#pragma omp for schedule(static) nowait
        for (std::uint64_t first = 0; first < segments.count; first += together)
            work(first, std::min(first + together, segments.count));
    });
}

template <class Real, Arithmetic A>
void subtract_range(const Subtraction<Real>& s, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = 0; i < s.count; ++i) {
        const FactorLanes<Real, A> minus(Factor{-s.factors[2 * i], -s.factors[2 * i + 1]});
        for_pieces<Real>(
            first, last, [&](auto load, auto store, std::uint64_t at) __attribute__((always_inline)) {
                store(s.x + at, minus.add_to(load(s.x + at), load(s.basis[i] + at)));
            });
    }
}

template <class Real, Arithmetic A>
void dot_of_segment(const Pair<Real>& pair, std::uint64_t first, std::uint64_t last, double* sums) {
    Sums re = {}, im = {};
    for_pieces<Real>(
        first, last, [&](auto load, auto, std::uint64_t at) __attribute__((always_inline)) {
            const Piece<Real> x = load(pair.x + at);
            if (pair.y == nullptr) {
                re += doubles<Real>(x);
                return;
            }
            const Sums y = doubles<Real>(load(pair.y + at));
            re += doubles<Real>(x) * y;
            if constexpr (A == Arithmetic::complex)
                im += doubles<Real>(times_i<Real, piece_bytes<Real>>(x)) * y;  // (-im x, re x) . (re y, im y)
        });
    sums[0] = total(re);
    if constexpr (A == Arithmetic::complex) sums[1] = total(im);
}

namespace {

template <class Real>
void clear(const Workers<Cpu>& workers, const Segments& segments, Real* x) {
    for_groups(workers, segments, [=](std::uint64_t first, std::uint64_t last) {
        std::fill(x + segments.begin(first), x + segments.begin(last), Real(0));
    });
}

template <class Real>
void advance(const Workers<Cpu>& workers, const Segments& segments, Real scale, Real part, Real beta, Real* v,
             Real* w) {
    for_groups(workers, segments, [=](std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t i = segments.begin(first); i < segments.begin(last); ++i) {
            w[i] = scale * w[i] + part * v[i];
            v[i] = beta * v[i];
        }
    });
}

template <class Real, Arithmetic A>
void axpby(const Workers<Cpu>& workers, const Segments& segments, Factor a, const Real* x, Factor b, const Real* y,
           Real* out, double* sums, std::uint64_t stride) {
    const FactorLanes<Real, A> by_a(a), by_b(b);
    for_groups(workers, segments, [&](std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t s = first; s < last; ++s) {
            Sums squares = {};
            for_pieces<Real>(
                segments.begin(s),
                segments.begin(s + 1), [&](auto load, auto store, std::uint64_t at) __attribute__((always_inline)) {
                    const Piece<Real> v = by_a.times(load(x + at)) + by_b.times(load(y + at));
                    if (out != nullptr) store(out + at, v);
                    const Sums value = doubles<Real>(v);
                    squares += value * value;
                });
            if (sums != nullptr) sums[s * stride] = total(squares);
        }
    });
}

template <class Real, Arithmetic A>
void dots(const Workers<Cpu>& workers, const Segments& segments, const Subtraction<Real>& subtraction,
          const Pair<Real>* pairs, std::uint64_t count, double* sums, std::uint64_t stride) {
    constexpr std::uint64_t numbers = A == Arithmetic::complex ? 2 : 1;
    for_groups(workers, segments, [&](std::uint64_t first, std::uint64_t last) {
        subtract_range<Real, A>(subtraction, segments.begin(first), segments.begin(last));
        for (std::uint64_t s = first; s < last; ++s)
            for (std::uint64_t i = 0; i < count; ++i)
                dot_of_segment<Real, A>(pairs[i], segments.begin(s), segments.begin(s + 1),
                                        sums + s * stride + numbers * i);
    });
}

template <class Real, Arithmetic A>
void subtract(const Workers<Cpu>& workers, const Segments& segments, const Subtraction<Real>& subtraction) {
    for_groups(workers, segments, [&](std::uint64_t first, std::uint64_t last) {
        subtract_range<Real, A>(subtraction, segments.begin(first), segments.begin(last));
    });
}

/// The old numbers of all vectors are copied piece by piece; sums of a piece remain in registers.
template <class Real, Arithmetic A>
void rotate(const Workers<Cpu>& workers, const Segments& segments, Real* const* v, std::uint64_t count, const double* c,
            std::uint64_t kept, double* scratch) {
    constexpr std::uint64_t pieces = rotated_by_thread / accumulators;
    in_team(workers.threads, [&](int) {
#pragma omp for schedule(static) nowait
        for (std::uint64_t first = 0; first < segments.reals; first += rotated_by_thread) {
            double* old = scratch + count * rotated_by_thread * static_cast<std::uint64_t>(omp_get_thread_num());
            const std::uint64_t size = std::min(rotated_by_thread, segments.reals - first);
            for (std::uint64_t i = 0; i < count; ++i) {
                std::copy_n(v[i] + first, size, old + i * rotated_by_thread);
                std::fill_n(old + i * rotated_by_thread + size, rotated_by_thread - size, 0.0);
            }
            for (std::uint64_t j = 0; j < kept; ++j) {
                Sums sum[pieces] = {};
                for (std::uint64_t i = 0; i < count; ++i) {
                    const double* z = c + 2 * (j * count + i);
                    const FactorLanes<double, A> factor(Factor{z[0], z[1]});
                    for (std::uint64_t k = 0; k < pieces; ++k)
                        sum[k] = factor.add_to(sum[k], load_unaligned<double, piece_bytes<double>>(
                                                           old + i * rotated_by_thread + k * accumulators));
                }
                alignas(64) double rotated[rotated_by_thread];
                for (std::uint64_t k = 0; k < pieces; ++k)
                    store<piece_bytes<double>>(rotated + k * accumulators, sum[k]);
                std::transform(rotated, rotated + size, v[j] + first,
                               [](double value) { return static_cast<Real>(value); });
            }
        }
    });
}

}  // namespace
}  // namespace strata::vectors::STRATA_ISA

namespace strata::vectors {

template <class Real, Arithmetic A>
VectorKernels<Cpu, Real> vector_kernels(instruction_set::STRATA_ISA set) {
    using namespace STRATA_ISA;
    return {.name = set.name,
            .clear = clear<Real>,
            .advance = advance<Real>,
            .axpby = axpby<Real, A>,
            .dots = dots<Real, A>,
            .subtract = subtract<Real, A>,
            .rotate = rotate<Real, A>};
}
#define STRATA_INSTANTIATE(Real, A) \
    template VectorKernels<Cpu, Real> vector_kernels<Real, A>(instruction_set::STRATA_ISA);
STRATA_INSTANTIATE(double, Arithmetic::real)
STRATA_INSTANTIATE(double, Arithmetic::complex)
STRATA_INSTANTIATE(float, Arithmetic::real)
STRATA_INSTANTIATE(float, Arithmetic::complex)

}  // namespace strata::vectors
