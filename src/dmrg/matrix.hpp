// SPDX-License-Identifier: BSD-3-Clause
// Dense matrices of one sector, column by column, and their products by the program's own kernel: the same bits with
// every instruction set.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/kronecker/block_product.hpp"

namespace strata::dmrg {

struct Matrix {
    std::uint64_t rows = 0, columns = 0;
    std::vector<double> elements;

    Matrix() = default;
    Matrix(std::uint64_t n_rows, std::uint64_t n_columns)
        : rows(n_rows), columns(n_columns), elements(n_rows * n_columns) {}

    bool empty() const { return elements.empty(); }
    double& operator()(std::uint64_t i, std::uint64_t j) { return elements[j * rows + i]; }
    double operator()(std::uint64_t i, std::uint64_t j) const { return elements[j * rows + i]; }
    double* data() { return elements.data(); }
    const double* data() const { return elements.data(); }
};

Matrix transposed(const Matrix& a);
/// Sum of the squares of all elements.
double squared_norm(const Matrix& a);

/// to += factor * a.
void add_scaled(const Matrix& a, double factor, Matrix& to);

/// Some rows of a matrix, all columns.
struct Rows {
    std::uint64_t first = 0, count = 0;
};

/// Products of matrices by the kernels of one instruction set.
class Algebra {
  public:
    /// `simd` as in backend.simd; loops over independent matrices take `threads`.
    Algebra(const std::string& simd, int threads);

    int threads() const { return threads_; }
    /// A B[rows `of_b`] into the rows `to` of C, as many as A has.
    void multiply(const Matrix& a, const Matrix& b, Rows of_b, Matrix& c, Rows to, kronecker::GemmUpdate update) const;
    /// A B.
    Matrix product(const Matrix& a, const Matrix& b) const;

  private:
    void (*gemm_)(const kronecker::GemmShape&, const double*, const double*, double*);
    int threads_;
};

/// Calls body(i) for i < count on the threads of `algebra`, one call at a time for each; for independent matrices of
/// different sizes.
template <class Body>
void for_each(const Algebra& algebra, std::size_t count, Body body) {
#pragma omp parallel for schedule(dynamic) num_threads(algebra.threads())
    for (std::size_t i = 0; i < count; ++i) body(i);
}

}  // namespace strata::dmrg
