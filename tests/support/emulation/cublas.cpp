// SPDX-License-Identifier: BSD-3-Clause
// The functions of cuBLAS that perf/kronecker calls, as plain loops in an emulated stream: a library of its own,
// which tests load in place of the real one. Arguments that cuBLAS would refuse are refused.
#include <cstdint>
#include <vector>

#include "emulation/device.hpp"

namespace {

constexpr int success = 0, invalid_value = 7;

struct Handle {
    emulation::Stream* stream = nullptr;
};

std::uint64_t groups_so_far = 0;

template <class T>
struct Problem {
    bool transposed_a, transposed_b;
    std::int64_t m, n, k, lda, ldb, ldc;
    T alpha, beta;

    bool sound() const {
        return m > 0 && n > 0 && k > 0 && lda >= (transposed_a ? k : m) && ldb >= (transposed_b ? n : k) && ldc >= m;
    }
    void run(const T* a, const T* b, T* c) const {
        for (std::int64_t j = 0; j < n; ++j)
            for (std::int64_t i = 0; i < m; ++i) {
                T sum = 0;
                for (std::int64_t d = 0; d < k; ++d)
                    sum += a[transposed_a ? d + i * lda : i + d * lda] * b[transposed_b ? j + d * ldb : d + j * ldb];
                T& out = c[i + j * ldc];
                out = alpha * sum + (beta == 0 ? 0 : beta * out);
            }
    }
};

/// Arrays of the host are read now, pointers on the device when the stream comes here.
template <class T>
int grouped(void* handle, const int* ta, const int* tb, const std::int64_t* m, const std::int64_t* n,
            const std::int64_t* k, const T* alpha, const T* const* a, const std::int64_t* lda, const T* const* b,
            const std::int64_t* ldb, const T* beta, T* const* c, const std::int64_t* ldc, std::int64_t groups,
            const std::int64_t* size) {
    std::vector<Problem<T>> problems;
    for (std::int64_t g = 0; g < groups; ++g) {
        problems.push_back({ta[g] != 0, tb[g] != 0, m[g], n[g], k[g], lda[g], ldb[g], ldc[g], alpha[g], beta[g]});
        if (size[g] != 1 || !problems.back().sound()) return invalid_value;
    }
    groups_so_far += problems.size();
    emulation::Stream& stream = *static_cast<Handle*>(handle)->stream;
    stream.work.emplace_back([=] {
        for (std::size_t g = 0; g < problems.size(); ++g) problems[g].run(a[g], b[g], c[g]);
    });
    ++stream.queued;
    return success;
}

}  // namespace

extern "C" {
int cublasCreate_v2(void** handle) { return *handle = new Handle, success; }
int cublasDestroy_v2(void* handle) { return delete static_cast<Handle*>(handle), success; }
int cublasSetStream_v2(void* handle, void* stream) {
    return static_cast<Handle*>(handle)->stream = static_cast<emulation::Stream*>(stream), success;
}
int cublasDgemmGroupedBatched_64(void* handle, const int* ta, const int* tb, const std::int64_t* m,
                                 const std::int64_t* n, const std::int64_t* k, const double* alpha,
                                 const double* const* a, const std::int64_t* lda, const double* const* b,
                                 const std::int64_t* ldb, const double* beta, double* const* c, const std::int64_t* ldc,
                                 std::int64_t groups, const std::int64_t* size) {
    return grouped(handle, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, groups, size);
}
int cublasSgemmGroupedBatched_64(void* handle, const int* ta, const int* tb, const std::int64_t* m,
                                 const std::int64_t* n, const std::int64_t* k, const float* alpha,
                                 const float* const* a, const std::int64_t* lda, const float* const* b,
                                 const std::int64_t* ldb, const float* beta, float* const* c, const std::int64_t* ldc,
                                 std::int64_t groups, const std::int64_t* size) {
    return grouped(handle, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, groups, size);
}
/// Groups of all calls so far.
std::uint64_t emulated_cublas_groups() { return groups_so_far; }
}
