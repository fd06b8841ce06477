// SPDX-License-Identifier: BSD-3-Clause
// A plain matrix product for systems without a library: register tiles over matrices as they are, rows that fill no
// vector one by one.
#include <cmath>

#include "kernels/kronecker/register_tile.hpp"

namespace strata::kronecker::STRATA_ISA {
namespace {

template <class Real>
void scalar_rows(const GemmShape& s, std::uint64_t first, const Real* a, const Real* b, Real* c) {
    for (std::uint64_t j = 0; j < s.n; ++j)
        for (std::uint64_t i = first; i < s.m; ++i) {
            Real sum = 0;
            for (std::uint64_t l = 0; l < s.k; ++l) sum = std::fma(a[i + s.lda * l], b[l + s.ldb * j], sum);
            Real& out = c[i + s.ldc * j];
            out = s.update == GemmUpdate::set ? sum : out + sum;
        }
}

}  // namespace

template <class Real>
void gemm(const GemmShape& s, const Real* a, const Real* b, Real* c) {
    PacedPrefetch none({}, 0);
    const Update update = s.update == GemmUpdate::set ? Update::set : Update::add;
    const std::uint64_t vectors = s.m / lanes<Real>;
    for (std::uint64_t j = 0; j < s.n; j += max_columns)
        for (std::uint64_t v = 0; v < vectors; v += max_vectors) {
            const std::uint64_t i = v * lanes<Real>;
            with_tile<max_columns, register_parts>(
                int(std::min<std::uint64_t>(max_vectors, vectors - v)) * register_parts,
                int(std::min<std::uint64_t>(max_columns, s.n - j)), [&]<int P, int N>() {
                    tile<P, N, Real>({1, s.k, s.k}, Adjacent<Real, lanes<Real>>{a + i, std::ptrdiff_t(s.lda)},
                                     Strided<Real>{b + j * s.ldb, std::ptrdiff_t(s.ldb), 1},
                                     Rows<Real>{c + i + j * s.ldc, std::ptrdiff_t(s.ldc), P * part_lanes<Real>, update},
                                     none);
                });
        }
    scalar_rows(s, vectors * lanes<Real>, a, b, c);
}
template void gemm<double>(const GemmShape&, const double*, const double*, double*);
template void gemm<float>(const GemmShape&, const float*, const float*, float*);

}  // namespace strata::kronecker::STRATA_ISA
