// SPDX-License-Identifier: BSD-3-Clause
#include "lanczos/tridiagonal.hpp"

#include <algorithm>
#include <string>

#include "strata/error.hpp"

/// LAPACK's own name: selected eigenpairs of a symmetric tridiagonal matrix by bisection and inverse iteration.
extern "C" void dstevx_(const char* job, const char* range, const int* n, double* d, double* e, const double* vl,
                        const double* vu, const int* il, const int* iu, const double* tolerance, int* found, double* w,
                        double* z, const int* ldz, double* work, int* iwork, int* ifail, int* info);
/// All eigenpairs of a symmetric tridiagonal, and of a Hermitian matrix.
extern "C" void dstev_(const char* job, const int* n, double* d, double* e, double* z, const int* ldz, double* work,
                       int* info);
extern "C" void zheev_(const char* job, const char* triangle, const int* n, std::complex<double>* a, const int* lda,
                       double* w, std::complex<double>* work, const int* lwork, double* rwork, int* info);

namespace strata::lanczos {
namespace {

void expect_success(int info, const char* what) {
    if (info != 0)
        throw Error(ExitCode::numerical,
                    std::string("LAPACK found no ") + what + " (info " + std::to_string(info) + ").");
}

}  // namespace

RitzPair lowest_pair(std::span<const double> diagonal, std::span<const double> off) {
    const int n = static_cast<int>(diagonal.size()), first = 1;
    std::vector<double> d(diagonal.begin(), diagonal.end()), e(diagonal.size()), work(5 * diagonal.size());
    std::copy_n(off.begin(), diagonal.size() - 1, e.begin());
    std::vector<int> iwork(5 * diagonal.size()), failed(diagonal.size());
    std::vector<double> values(diagonal.size());
    RitzPair pair{0, std::vector<double>(diagonal.size())};
    const double none = 0, tolerance = 0;
    int found = 0, info = 0;
    dstevx_("V", "I", &n, d.data(), e.data(), &none, &none, &first, &first, &tolerance, &found, values.data(),
            pair.vector.data(), &n, work.data(), iwork.data(), failed.data(), &info);
    expect_success(found == 1 ? info : -1, "lowest eigenvalue of the tridiagonal matrix");
    pair.value = values[0];
    return pair;
}

Spectrum all_pairs(std::span<const double> diagonal, std::span<const double> off) {
    const std::size_t size = diagonal.size();
    const int n = static_cast<int>(size);
    Spectrum s{std::vector<double>(diagonal.begin(), diagonal.end()), std::vector<double>(size)};
    std::vector<double> e(size), z(size * size), work(2 * size);
    std::copy_n(off.begin(), size - 1, e.begin());
    int info = 0;
    dstev_("V", &n, s.values.data(), e.data(), z.data(), &n, work.data(), &info);
    expect_success(info, "eigenvalues of the tridiagonal matrix");
    for (std::size_t i = 0; i < size; ++i) s.weights[i] = z[i * size] * z[i * size];
    return s;
}

DensePairs hermitian_pairs(std::size_t size, std::vector<std::complex<double>> matrix) {
    const int n = static_cast<int>(size), lwork = 64 * n;
    DensePairs pairs{std::vector<double>(size), std::move(matrix)};
    std::vector<std::complex<double>> work(static_cast<std::size_t>(lwork));
    std::vector<double> rwork(3 * size);
    int info = 0;
    zheev_("V", "U", &n, pairs.vectors.data(), &n, pairs.values.data(), work.data(), &lwork, rwork.data(), &info);
    expect_success(info, "eigenvalues of the projected matrix");
    return pairs;
}

}  // namespace strata::lanczos
