// SPDX-License-Identifier: BSD-3-Clause
// Preloaded into the ranks of a program, makes one call of one rank fail: STRATA_FAILING_RANK="RANK KIND NUMBER FILE",
// where KIND is
//   mpi      a call of MPI is not made and returns MPI_ERR_OTHER, as in a broken network
//   memory   operator new or aligned_alloc get no memory
//   arrays   the same, of allocations of 4 KiB and more
//   lapack   a driver of LAPACK returns that it did not converge
//   windows  MPI_Win_free is not made and returns an error
// Calls of each kind are counted from 0, after MPI_Init. The time of the failure (CLOCK_MONOTONIC) is written to FILE,
// or at the end the numbers of calls if the failure did not come. STRATA_NODES="0,0,1" puts the ranks on two nodes.
// STRATA_FREE_KIB=N says, and does not enforce, that the limit of the address space leaves so much to each of them.
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>

namespace {

enum Kind { mpi, memory, arrays, lapack, windows, kinds };
constexpr const char* names[kinds] = {"mpi", "memory", "arrays", "lapack", "windows"};

/// The failure that is asked for. Nothing is counted before begin() has read it.
std::atomic<bool> counting{false};
std::atomic<long> calls[kinds];
Kind failing = kinds;
long failing_call = -1;
char file_name[4096];

void note(const char* text) {
    const int file = open(file_name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file < 0 || write(file, text, std::strlen(text)) < 0) _exit(99);
    close(file);
}

void begin() {
    const char* setting = std::getenv("STRATA_FAILING_RANK");
    int rank = -1, own = 0;
    char kind[16] = "";
    if (setting == nullptr ||
        std::sscanf(setting, "%d %15s %ld %4095[^\n]", &rank, kind, &failing_call, file_name) != 4)
        return;
    PMPI_Comm_rank(MPI_COMM_WORLD, &own);
    if (own != rank) return;
    for (int k = 0; k < kinds; ++k)
        if (std::strcmp(names[k], kind) == 0) failing = static_cast<Kind>(k);
    counting = true;
}

void end() {
    if (!counting.exchange(false)) return;
    char text[256];
    std::snprintf(text, sizeof text, "%ld %ld %ld %ld %ld calls\n", calls[mpi].load(), calls[memory].load(),
                  calls[arrays].load(), calls[lapack].load(), calls[windows].load());
    note(text);
}

bool fails(Kind kind) {
    if (!counting) return false;
    if (calls[kind]++ != failing_call || kind != failing) return false;
    counting = false;
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    char text[64];
    std::snprintf(text, sizeof text, "%ld.%09ld failed\n", static_cast<long>(now.tv_sec), now.tv_nsec);
    note(text);
    return true;
}

bool refuses(std::size_t bytes) {
    const bool large = bytes >= 4096 && fails(arrays);
    return fails(memory) || large;
}

template <class... Parameters, class... Arguments>
int call(int (*real)(Parameters...), Arguments... arguments) {
    return fails(mpi) ? MPI_ERR_OTHER : real(arguments...);
}

template <class Function, class... Arguments>
void solve(const char* name, int* info, Arguments... arguments) {
    reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name))(arguments..., info);
    if (fails(lapack)) *info = 1;
}

void* allocate(std::size_t bytes) {
    void* memory = refuses(bytes) ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
    if (memory == nullptr) {
        if (const std::new_handler handler = std::get_new_handler()) handler();
        throw std::bad_alloc();
    }
    return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

extern "C" {
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
    void* memory = nullptr;
    if (refuses(bytes) || posix_memalign(&memory, alignment, bytes) != 0) errno = ENOMEM, memory = nullptr;
    return memory;
}

int getrlimit(__rlimit_resource_t resource, rlimit* limit) noexcept {
    const char* left = std::getenv("STRATA_FREE_KIB");
    if (left == nullptr || resource != RLIMIT_AS)
        return static_cast<int>(syscall(SYS_prlimit64, 0, resource, nullptr, limit));
    long pages = 0;
    if (std::FILE* file = std::fopen("/proc/self/statm", "r"); file != nullptr) {
        if (std::fscanf(file, "%ld", &pages) != 1) pages = 0;
        std::fclose(file);
    }
    limit->rlim_cur = limit->rlim_max = static_cast<rlim_t>(pages * sysconf(_SC_PAGESIZE) + 1024 * std::atol(left));
    return 0;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
    const int error = PMPI_Init_thread(argc, argv, required, provided);
    begin();
    return error;
}
int MPI_Finalize() {
    const int error = call(PMPI_Finalize);
    end();
    return error;
}
int MPI_Abort(MPI_Comm comm, int code) {
    counting = false;
    return PMPI_Abort(comm, code);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) { return call(PMPI_Comm_dup, comm, made); }
int MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm* made) {
    return call(PMPI_Comm_split, comm, colour, key, made);
}
int MPI_Comm_free(MPI_Comm* comm) { return call(PMPI_Comm_free, comm); }
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
    const char* nodes = std::getenv("STRATA_NODES");
    if (nodes == nullptr) return call(PMPI_Comm_split_type, comm, type, key, info, made);
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return call(PMPI_Comm_split, comm, nodes[2 * rank] - '0', key, made);
}

int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return call(PMPI_Allreduce, from, to, count, type, op, comm);
}
int MPI_Reduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
    return call(PMPI_Reduce, from, to, count, type, op, root, comm);
}
int MPI_Exscan(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return call(PMPI_Exscan, from, to, count, type, op, comm);
}
int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    return call(PMPI_Bcast, data, count, type, root, comm);
}
int MPI_Allgather(const void* from, int n, MPI_Datatype sent, void* to, int m, MPI_Datatype received, MPI_Comm comm) {
    return call(PMPI_Allgather, from, n, sent, to, m, received, comm);
}
int MPI_Alltoall(const void* from, int n, MPI_Datatype sent, void* to, int m, MPI_Datatype received, MPI_Comm comm) {
    return call(PMPI_Alltoall, from, n, sent, to, m, received, comm);
}
int MPI_Barrier(MPI_Comm comm) { return call(PMPI_Barrier, comm); }
int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) { return call(PMPI_Ibarrier, comm, request); }

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
    return call(PMPI_Isend, data, count, type, to, tag, comm, request);
}
int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
    return call(PMPI_Irecv, data, count, type, from, tag, comm, request);
}
int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    return call(PMPI_Send, data, count, type, to, tag, comm);
}
int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
    return call(PMPI_Recv, data, count, type, from, tag, comm, status);
}
int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
    return call(PMPI_Waitall, count, requests, statuses);
}
int MPI_Waitany(int count, MPI_Request* requests, int* index, MPI_Status* status) {
    return call(PMPI_Waitany, count, requests, index, status);
}

int MPI_Win_allocate_shared(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* window) {
    return call(PMPI_Win_allocate_shared, bytes, unit, info, comm, base, window);
}
int MPI_Win_lock_all(int assertion, MPI_Win window) { return call(PMPI_Win_lock_all, assertion, window); }
int MPI_Win_unlock_all(MPI_Win window) { return call(PMPI_Win_unlock_all, window); }
int MPI_Win_free(MPI_Win* window) { return fails(windows) ? MPI_ERR_OTHER : call(PMPI_Win_free, window); }

using Complex = std::complex<double>;
void dstev_(const char* job, const int* n, double* d, double* e, double* z, const int* ldz, double* work, int* info) {
    using Function = void(const char*, const int*, double*, double*, double*, const int*, double*, int*);
    solve<Function>("dstev_", info, job, n, d, e, z, ldz, work);
}
void zheev_(const char* job, const char* triangle, const int* n, Complex* a, const int* lda, double* w, Complex* work,
            const int* lwork, double* rwork, int* info) {
    using Function =
        void(const char*, const char*, const int*, Complex*, const int*, double*, Complex*, const int*, double*, int*);
    solve<Function>("zheev_", info, job, triangle, n, a, lda, w, work, lwork, rwork);
}
void dstedc_(const char* job, const int* n, double* d, double* e, double* z, const int* ldz, double* work,
             const int* lwork, int* iwork, const int* liwork, int* info) {
    using Function = void(const char*, const int*, double*, double*, double*, const int*, double*, const int*, int*,
                          const int*, int*);
    solve<Function>("dstedc_", info, job, n, d, e, z, ldz, work, lwork, iwork, liwork);
}
}
