// SPDX-License-Identifier: BSD-3-Clause
// LAPACK's drivers are called by their Fortran names and work on copies, in one thread: the matrices are small, and the
// threads of a BLAS would compete with those of the kernels.
#include "krylov/tridiagonal.hpp"

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <limits>
#include <string>

#include "comm/collectives.hpp"
#include "strata/buffer.hpp"
#include "strata/error.hpp"

/// LAPACK's own names.
/// All eigenpairs of a Hermitian matrix.
extern "C" void zheev_(const char* job, const char* triangle, const int* n, std::complex<double>* a, const int* lda,
                       double* w, std::complex<double>* work, const int* lwork, double* rwork, int* info);
/// Reduction of a symmetric matrix to tridiagonal form, all eigenpairs of that form by divide and conquer, and the
/// transformation of its vectors to those of the matrix.
extern "C" void dsytrd_(const char* triangle, const int* n, double* a, const int* lda, double* d, double* e,
                        double* tau, double* work, const int* lwork, int* info);
extern "C" void dstedc_(const char* job, const int* n, double* d, double* e, double* z, const int* ldz, double* work,
                        const int* lwork, int* iwork, const int* liwork, int* info);
extern "C" void dormtr_(const char* side, const char* triangle, const char* transposed, const int* m, const int* n,
                        const double* a, const int* lda, const double* tau, double* c, const int* ldc, double* work,
                        const int* lwork, int* info);

/// A function of OpenBLAS; null if another library implements the names above.
extern "C" [[gnu::weak]] void openblas_set_num_threads(int threads);
/// OpenBLAS's work memory of one call, which it keeps for later calls; likewise null.
extern "C" [[gnu::weak]] void* blas_memory_alloc(int position);
extern "C" [[gnu::weak]] void blas_memory_free(void* memory);

namespace strata::krylov {
namespace {

void use_one_thread() {
    if (openblas_set_num_threads != nullptr) openblas_set_num_threads(1);
}

/// Broadcasts `numbers` from rank 0; other ranks resize theirs to `size`.
template <class Number>
void share(const Communicator& comm, std::vector<Number>& numbers, std::size_t size) {
    numbers.resize(size);
    broadcast_bytes(comm, numbers.data(), size * sizeof(Number), 0);
}

/// Memory for LAPACK that begins with `values`; the rest is 0. It is aligned to a cache line, since kernels that treat
/// the elements before an aligned address separately give other bits for another alignment (seen in OpenBLAS' code for
/// Sandybridge, documented for others).
template <class Number>
Buffer<Number> aligned(std::span<const Number> values, std::size_t size) {
    Buffer<Number> memory(size);
    std::fill(std::ranges::copy(values, memory.begin()).out, memory.end(), Number());
    return memory;
}

/// A copy of the matrix, followed by a column of zeros: zgemv of OpenBLAS 0.3.21 (Debian 12) reads up to one column
/// beyond the end of a matrix, and crashes where that memory is not mapped
/// (https://github.com/OpenMathLib/OpenBLAS/issues/4013).
Buffer<std::complex<double>> with_another_column(std::span<const std::complex<double>> matrix, std::size_t size) {
    return aligned(matrix, size * (size + 1));
}

void expect_success(int info, const char* what) {
    if (info != 0)
        throw Error(ExitCode::numerical,
                    std::string("LAPACK found no ") + what + " (info " + std::to_string(info) + ").");
}

/// Bytes of OpenBLAS's work memory of one call, on the processors where it takes most.
constexpr std::size_t work_memory = std::size_t{128} << 20;

bool is_limited(int resource) {
    rlimit limit{};
    return getrlimit(static_cast<__rlimit_resource>(resource), &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/// Throws Error(does_not_fit) if the limits of this process do not leave the memory of one more call.
void expect_work_memory(int threads) {
    void* memory = mmap(nullptr, work_memory, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        throw Error(ExitCode::does_not_fit,
                    "The limit of address space or data of this process (ulimit -v or -d, h_vmem) leaves no 128 MiB "
                    "for LAPACK" +
                        (threads == 1 ? std::string("; raise it.")
                                      : " in each of " + std::to_string(threads) +
                                            " threads; raise it, or give fewer backend.threads."));
    munmap(memory, work_memory);
}

/// Eigenvectors of a symmetric tridiagonal matrix, row by row; `values` becomes its eigenvalues, and `off` is destroyed.
Buffer<double> divide_and_conquer(std::size_t size, Buffer<double>& values, Buffer<double>& off) {
    const std::size_t words = 1 + 4 * size + size * size;
    const int n = static_cast<int>(size), lwork = static_cast<int>(words), liwork = 3 + 5 * n;
    Buffer<double> vectors(size * size), work(words);
    Buffer<int> iwork(static_cast<std::size_t>(liwork));
    int info = 0;
    dstedc_("I", &n, values.data(), off.data(), vectors.data(), &n, work.data(), &lwork, iwork.data(), &liwork, &info);
    expect_success(info, "eigenvalues of the tridiagonal matrix");
    return vectors;
}

}  // namespace

void reserve_lapack_memory(int threads) {
    if (blas_memory_alloc == nullptr || !(is_limited(RLIMIT_AS) || is_limited(RLIMIT_DATA))) return;
    std::vector<void*> taken;
    for (int i = 0; i < threads; ++i) {
        expect_work_memory(threads);
        taken.push_back(blas_memory_alloc(0));
    }
    for (void* memory : taken) blas_memory_free(memory);
}

RitzPair lowest_pair(const Communicator& comm, std::span<const double> diagonal, std::span<const double> off) {
    RitzPair pair;
    if (comm.is_root()) pair = lowest_pair(diagonal, off);
    broadcast(comm, pair.value);
    share(comm, pair.vector, diagonal.size());
    return pair;
}

/// Divide and conquer takes a third of the time of the QR method (dstev) for 100 rows, a twelfth for 200, with smaller
/// errors.
TridiagonalPairs all_pairs(std::span<const double> diagonal, std::span<const double> off) {
    use_one_thread();
    const std::size_t size = diagonal.size();
    Buffer<double> values = aligned(diagonal, size), e = aligned(off.first(size - 1), size);
    const Buffer<double> vectors = divide_and_conquer(size, values, e);
    return {{values.begin(), values.end()}, {vectors.begin(), vectors.end()}};
}

/// f(H) v_0 is sum_ik f(E_i) s_i0 s_ik v_k, with the eigenvectors s_i of the tridiagonal matrix.
Quadrature gauss_rule(std::span<const double> alpha, std::span<const double> beta, const Overlaps& overlaps) {
    const TridiagonalPairs pairs = all_pairs(alpha, beta);
    const std::size_t n = alpha.size();
    Quadrature rule{pairs.values, std::vector<double>(n)};
    for (std::size_t i = 0; i < n; ++i) rule.weights[i] = pairs.vectors[i * n] * pairs.vectors[i * n];
    for (const std::span<const double> y : overlaps) {
        std::vector<double>& mixed = rule.mixed.emplace_back(n);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t k = 0; k < std::min(n, y.size()); ++k) mixed[i] += pairs.vectors[i * n + k] * y[k];
            mixed[i] *= pairs.vectors[i * n];
        }
    }
    return rule;
}

/// T is extended by a row whose diagonal element makes `lowest` an eigenvalue: lowest + beta_n^2 / d_n, where d_i are
/// the pivots of T - lowest. They are positive if `lowest` is below the spectrum of T.
Quadrature gauss_radau_rule(std::span<const double> alpha, std::span<const double> beta, double lowest,
                            const Overlaps& overlaps) {
    double pivot = 0;
    for (std::size_t i = 0; i < alpha.size(); ++i)
        pivot = alpha[i] - lowest - (i == 0 ? 0 : beta[i - 1] * beta[i - 1] / pivot);
    const double last = beta[alpha.size() - 1];
    if (!(pivot > 0) || last == 0) return gauss_rule(alpha, beta, overlaps);
    std::vector<double> extended(alpha.begin(), alpha.end());
    extended.push_back(lowest + last * last / pivot);
    return gauss_rule(extended, beta, overlaps);
}

namespace {

/// Eigenvalues of a Hermitian matrix and, if the job is "V", its eigenvectors.
DensePairs solve_hermitian(const char* job, std::size_t size, std::span<const std::complex<double>> matrix) {
    use_one_thread();
    const int n = static_cast<int>(size), lwork = 64 * n;
    Buffer<std::complex<double>> a = with_another_column(matrix, size), work(static_cast<std::size_t>(lwork));
    Buffer<double> values(size), rwork(3 * size);
    int info = 0;
    zheev_(job, "U", &n, a.data(), &n, values.data(), work.data(), &lwork, rwork.data(), &info);
    expect_success(info, "eigenvalues of the Hermitian matrix");
    return {{values.begin(), values.end()}, {a.begin(), a.begin() + size * size}};
}

}  // namespace

DensePairs hermitian_pairs(std::size_t size, std::vector<std::complex<double>> matrix) {
    return solve_hermitian("V", size, matrix);
}

std::vector<double> hermitian_values(std::size_t size, std::vector<std::complex<double>> matrix) {
    return solve_hermitian("N", size, matrix).values;
}

/// Like dsyevd, but only the requested vectors are transformed back from the tridiagonal form. Divide and conquer for
/// all pairs of that form takes less time than the methods for some of them (perf/notebook.md).
LargestPairs largest_symmetric_pairs(std::size_t size, std::span<const double> matrix, double lower) {
    if (size == 0) return {};
    use_one_thread();
    if (size * size + 4 * size + 1 > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        throw Error(ExitCode::does_not_fit,
                    "A symmetric matrix of " + std::to_string(size) +
                        " rows is to be diagonalised, and LAPACK with integers of 32 bits takes "
                        "46306 rows at most; keep fewer states.");
    const int n = static_cast<int>(size), lwork = 64 * n;
    Buffer<double> a = aligned(matrix, size * size), values(size), off(size), tau(size),
                   work(static_cast<std::size_t>(lwork));
    int info = 0;
    dsytrd_("U", &n, a.data(), &n, values.data(), off.data(), tau.data(), work.data(), &lwork, &info);
    expect_success(info, "tridiagonal form of the symmetric matrix");
    Buffer<double> z = divide_and_conquer(size, values, off);
    const auto first = static_cast<std::size_t>(std::ranges::upper_bound(values, lower) - values.begin());
    const int requested = static_cast<int>(size - first);
    double* vectors = z.data() + first * size;
    if (requested > 0)
        dormtr_("L", "U", "N", &n, &requested, a.data(), &n, tau.data(), vectors, &n, work.data(), &lwork, &info);
    expect_success(info, "eigenvectors of the symmetric matrix");
    LargestPairs pairs{{}, {}};
    for (std::size_t i = size; i-- > first;) {
        pairs.values.push_back(values[i]);
        pairs.vectors.insert(pairs.vectors.end(), z.begin() + i * size, z.begin() + (i + 1) * size);
    }
    return pairs;
}

DensePairs hermitian_pairs(const Communicator& comm, std::size_t size, std::vector<std::complex<double>> matrix) {
    DensePairs pairs;
    if (comm.is_root()) pairs = hermitian_pairs(size, std::move(matrix));
    share(comm, pairs.values, size);
    share(comm, pairs.vectors, size * size);
    return pairs;
}

}  // namespace strata::krylov
