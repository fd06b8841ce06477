// SPDX-License-Identifier: BSD-3-Clause
// Plain matrix product by register tiles over unpacked matrices, whose last rows may fill a vector only in part. It
// gives the same bits with every instruction set: every element is one chain of fused multiply-adds in the order of k.
#include "kernels/kronecker/block_product.hpp"
#include "kernels/kronecker/register_tile.hpp"

namespace strata::kronecker::STRATA_ISA {
namespace {

template <class Real>
void gemm(const GemmShape& s, const Real* a, const Real* b, Real* c) {
    PacedPrefetch none({}, 0);
    const Update update = s.update == GemmUpdate::set ? Update::set : Update::add;
    for_row_registers<Real>(s.m, [&](std::uint64_t row, int parts) {
        for_parts(s.n, max_scalars(vectors_of(parts)), [&](std::uint64_t j, std::uint64_t columns) {
            with_tile<max_scalars(1), 1>(parts, int(columns), [&]<int P, int N>() {
                tile<P, N, Real>({1, s.k, s.k}, matrix_rows<P>(a + row, std::ptrdiff_t(s.lda), s.m - row),
                                 Strided<Real>{b + j * s.ldb, std::ptrdiff_t(s.ldb), 1},
                                 Rows<Real>{c + row + j * s.ldc, std::ptrdiff_t(s.ldc), int(s.m - row), update}, none);
            });
        });
    });
}

}  // namespace

template <class Real>
void fill_gemm(BlockKernels<Real>& table) {
    table.gemm = gemm;
}
template void fill_gemm(BlockKernels<double>&);
template void fill_gemm(BlockKernels<float>&);

}  // namespace strata::kronecker::STRATA_ISA
