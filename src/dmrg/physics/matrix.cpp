// SPDX-License-Identifier: BSD-3-Clause
// Matrices are transposed in small tiles, so that both matrices are accessed by whole cache lines.
#include "dmrg/physics/matrix.hpp"

#include <algorithm>

#include "kernels/instruction_sets.hpp"

namespace strata::dmrg {

Matrix transposed(const Matrix& a) {
    constexpr std::uint64_t tile = 8;
    Matrix t(a.columns, a.rows);
    for (std::uint64_t j0 = 0; j0 < a.columns; j0 += tile)
        for (std::uint64_t i0 = 0; i0 < a.rows; i0 += tile)
            for (std::uint64_t j = j0; j < std::min(j0 + tile, a.columns); ++j)
                for (std::uint64_t i = i0; i < std::min(i0 + tile, a.rows); ++i) t(j, i) = a(i, j);
    return t;
}

double squared_norm(const Matrix& a) {
    double sum = 0;
    for (double x : a.elements) sum += x * x;
    return sum;
}

void add_scaled(const Matrix& a, double factor, Matrix& to) {
    for (std::size_t i = 0; i < a.elements.size(); ++i) to.elements[i] += factor * a.elements[i];
}

Algebra::Algebra(const std::string& simd, int threads)
    : gemm_(choose_kernels(kronecker::block_variants<double>(), simd).gemm), threads_(threads) {}

void Algebra::multiply(const Matrix& a, const Matrix& b, Rows of_b, Matrix& c, Rows to,
                       kronecker::GemmUpdate update) const {
    if (to.count == 0 || b.columns == 0) return;
    gemm_({to.count, b.columns, of_b.count, a.rows, b.rows, c.rows, update}, a.data(), b.data() + of_b.first,
          c.data() + to.first);
}

Matrix Algebra::product(const Matrix& a, const Matrix& b) const {
    Matrix c(a.rows, b.columns);
    multiply(a, b, {0, b.rows}, c, {0, a.rows}, kronecker::GemmUpdate::set);
    return c;
}

}  // namespace strata::dmrg
