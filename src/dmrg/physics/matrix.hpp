// SPDX-License-Identifier: BSD-3-Clause
// Dense matrices of one sector, stored column by column, and their products by the program's own kernel, which gives
// the same bits with every instruction set.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/kronecker/block_product.hpp"
#include "strata/parallel.hpp"

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

/// A range of rows of a matrix.
struct Rows {
    std::uint64_t first = 0, count = 0;
};

/// Products of matrices by the kernels of one instruction set.
class Algebra {
  public:
    /// `simd`: value of backend.simd; `threads`: threads of for_each().
    Algebra(const std::string& simd, int threads);

    int threads() const { return threads_; }
    /// Sets or adds to the rows `to` of C the product of A and the rows `of_b` of B.
    void multiply(const Matrix& a, const Matrix& b, Rows of_b, Matrix& c, Rows to, kronecker::GemmUpdate update) const;
    /// The product A B.
    Matrix product(const Matrix& a, const Matrix& b) const;

  private:
    void (*gemm_)(const kronecker::GemmShape&, const double*, const double*, double*);
    int threads_;
};

/// Calls body(i) for all i < count, distributed dynamically over the threads of `algebra`, because matrices differ in
/// size. What a thread throws is thrown at the end.
template <class Body>
void for_each(const Algebra& algebra, std::size_t count, Body body) {
    RegionFailure failure;
#pragma omp parallel for schedule(dynamic) num_threads(algebra.threads())
    for (std::size_t i = 0; i < count; ++i) failure.guard([&] { body(i); });
    failure.rethrow();
}

}  // namespace strata::dmrg
