// SPDX-License-Identifier: BSD-3-Clause
#include "lanczos/tridiagonal.hpp"

#include <algorithm>
#include <string>

#include "strata/error.hpp"

/// LAPACK's own name: selected eigenpairs of a symmetric tridiagonal matrix by bisection and inverse iteration.
extern "C" void dstevx_(const char* job, const char* range, const int* n, double* d, double* e, const double* vl,
                        const double* vu, const int* il, const int* iu, const double* tolerance, int* found, double* w,
                        double* z, const int* ldz, double* work, int* iwork, int* ifail, int* info);

namespace strata::lanczos {

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
    if (info != 0 || found != 1)
        throw Error(ExitCode::numerical,
                    "LAPACK found no lowest eigenvalue of the tridiagonal matrix (info " + std::to_string(info) + ").");
    pair.value = values[0];
    return pair;
}

}  // namespace strata::lanczos
