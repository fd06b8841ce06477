// SPDX-License-Identifier: BSD-3-Clause
// Calls of LAPACK, on one thread so that the levels have the same bits for every number of threads.
#include "krylov/dense_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "strata/error.hpp"

extern "C" void dsyev_(const char* job, const char* triangle, const int* n, double* a, const int* lda, double* w,
                       double* work, const int* lwork, int* info);
extern "C" void dsyev_2stage_(const char* job, const char* triangle, const int* n, double* a, const int* lda, double* w,
                              double* work, const int* lwork, int* info);
extern "C" void zheev_(const char* job, const char* triangle, const int* n, std::complex<double>* a, const int* lda,
                       double* w, std::complex<double>* work, const int* lwork, double* rwork, int* info);
extern "C" void zheev_2stage_(const char* job, const char* triangle, const int* n, std::complex<double>* a,
                              const int* lda, double* w, std::complex<double>* work, const int* lwork, double* rwork,
                              int* info);
extern "C" [[gnu::weak]] void openblas_set_num_threads(int threads);

namespace strata::krylov {
namespace {

/// Rows from which two stages are faster.
constexpr std::size_t two_stages = 1500;
/// LAPACK's upper bound of the numbers that the two stages work with, for blocks of up to 64 rows, for each row.
constexpr std::uint64_t work_per_row = 64 * 4 + 64;

/// Calls `solve(work, size)` twice: for the size of its memory, and with it. Behind the memory there is another column of
/// `rows`, which zgemv of OpenBLAS 0.3.21 (Debian 12) may read (https://github.com/OpenMathLib/OpenBLAS/issues/4013).
template <class Number, class Solve>
void with_work(std::size_t rows, Solve solve) {
    Number size = {};
    solve(&size, -1);
    const int length = static_cast<int>(std::real(size));
    Buffer<Number> work(static_cast<std::size_t>(std::max(1, length)) + rows);
    solve(work.data(), length);
}

}  // namespace

DenseMatrix::DenseMatrix(std::size_t n, bool complex) : n_(n), reals_(complex ? 2 : 1) {
    if (n * n > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        throw Error(ExitCode::does_not_fit, "A matrix of " + std::to_string(n) +
                                                " rows is to be diagonalised, and LAPACK with integers of 32 bits "
                                                "takes 46340 rows at most.");
    a_ = Buffer<double>(n * (n + 1) * reals_);
    std::fill(a_.begin(), a_.end(), 0.0);
}

std::uint64_t DenseMatrix::bytes(std::uint64_t n, bool complex) {
    return (n * (n + 1) + work_per_row * n) * (complex ? 16 : 8);
}

double DenseMatrix::seconds(double n, bool complex) { return (complex ? 2.2e-10 : 1.1e-10) * n * n * n; }

std::vector<double> DenseMatrix::levels(double scale) {
    if (openblas_set_num_threads != nullptr) openblas_set_num_threads(1);
    double trace = 0, squares = 0, largest = std::max(scale, 1e-300);
    for (std::size_t j = 0; j < n_; ++j)
        for (std::size_t i = 0; i <= j; ++i) {
            const double* element = a_.data() + (j * n_ + i) * reals_;
            const double imaginary = reals_ == 2 && i != j ? element[1] : 0;
            squares += (i == j ? 1 : 2) * (element[0] * element[0] + imaginary * imaginary);
            if (i == j) trace += element[0];
        }
    const int n = static_cast<int>(n_);
    Buffer<double> values(n_), rwork(3 * n_ + 1);
    int info = 0;
    const bool stages = n_ >= two_stages;
    if (reals_ == 1)
        with_work<double>(n_, [&](double* work, int length) {
            (stages ? dsyev_2stage_ : dsyev_)("N", "U", &n, a_.data(), &n, values.data(), work, &length, &info);
        });
    else
        with_work<std::complex<double>>(n_, [&](std::complex<double>* work, int length) {
            (stages ? zheev_2stage_ : zheev_)("N", "U", &n, reinterpret_cast<std::complex<double>*>(a_.data()), &n,
                                              values.data(), work, &length, rwork.data(), &info);
        });
    double sum = 0, sum_of_squares = 0;
    for (const double value : values) {
        sum += value;
        sum_of_squares += value * value;
        largest = std::max(largest, std::abs(value));
    }
    const double rounding = 1e-11 * static_cast<double>(n_) * largest;
    if (info != 0 || std::abs(sum - trace) > rounding ||
        !(std::abs(sum_of_squares - squares) <= 4 * rounding * largest))
        throw Error(ExitCode::numerical, "LAPACK has not found the levels of a matrix of " + std::to_string(n_) +
                                             " rows (info " + std::to_string(info) +
                                             "), or their sums differ from those of the matrix.");
    return {values.begin(), values.end()};
}

}  // namespace strata::krylov
