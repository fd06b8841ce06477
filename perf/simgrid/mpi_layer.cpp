// SPDX-License-Identifier: BSD-3-Clause
// A layer between Strata and SimGrid's MPI (SMPI 3.32): every MPI_x that a step calls charges the computation before it,
// counts, and calls PMPI_x. Calls that SMPI lacks or has wrong are replaced, timers show simulated time, and loops over
// threads take as long as the threads would.
#include <mpi.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "prediction/prediction.hpp"
#include "simulation.hpp"

namespace strata::simulation {
namespace {

constexpr double host_speed = 1e9;       // flop/s of the hosts of simulate.py: one flop is a nanosecond
constexpr double least_charged = 50e-9;  // seconds; less is the cost of looking at the clock

double computed_until = 0;  // processor time up to which the running rank has been charged
bool in_kernel = false;

int ranks() {
    int size = 1;
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

/// SMPI redefines clock_gettime(): the system is asked itself.
double processor_time() {
    timespec t;
    syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

int this_rank() {
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

/// Processor times of one rank in the order in which they are charged, the least of all runs.
struct LeastTimes {
    std::vector<double> seconds;
    std::size_t next = 0;
    bool complete = false;  ///< no more steps

    double least(double measured) {
        if (complete) return measured;
        if (next == seconds.size()) seconds.push_back(measured);
        double& known = seconds[next++];
        return known = std::min(known, measured);
    }
};

/// The times of all ranks. In the file each rank has their number and then them.
std::vector<LeastTimes> read_times() {
    std::vector<LeastTimes> all(static_cast<std::size_t>(ranks()));
    std::ifstream file(settings().times, std::ios::binary);
    for (LeastTimes& rank : all) {
        std::uint64_t count = 0;
        if (!file.read(reinterpret_cast<char*>(&count), sizeof count)) break;
        rank.seconds.resize(count);
        file.read(reinterpret_cast<char*>(rank.seconds.data()), static_cast<std::streamsize>(8 * count));
    }
    return all;
}

std::vector<LeastTimes>& all_times() {
    static std::vector<LeastTimes> all = read_times();
    return all;
}

/// Charges what the rank has computed. Other ranks run meanwhile, so that computation begins anew at the end.
void charge_computation() {
    double seconds = processor_time() - computed_until;
    if (!settings().times.empty()) seconds = all_times()[static_cast<std::size_t>(this_rank())].least(seconds);
    if (seconds > least_charged)
        smpi_execute_flops(seconds * host_speed * settings().here / settings().machine.core_speed);
    computed_until = processor_time();
}

double now() {
    if (!in_kernel) charge_computation();
    return simgrid_get_clock();
}

/// How many times faster all threads of a rank copy memory than one.
double copy_speedup() {
    const prediction::Machine& m = settings().machine;
    const double on_node = std::min<double>(ranks(), prediction::ranks_per_node(m, settings().threads));
    return std::min(settings().threads * m.core_bandwidth, m.node_bandwidth / on_node) / m.core_bandwidth;
}

/// Runs a loop over threads that is no charged kernel; such loops copy memory. Threads share its processor time.
void share(void (*loop)(void*), void* data) {
    const double start = processor_time();
    loop(data);
    computed_until += (processor_time() - start) * (1 - 1 / copy_speedup());
}

/// Result of a call of MPI, whose time is counted. The processor time of SMPI and of other ranks is not charged.
template <class Call>
int timed(Call call) {
    const double start = now();
    const int code = call();
    traffic().mpi_seconds += simgrid_get_clock() - start;
    computed_until = processor_time();
    return code;
}

}  // namespace

Settings& settings() {
    static Settings all;
    return all;
}

Traffic& traffic() {
    static std::vector<Traffic> all(static_cast<std::size_t>(ranks()));
    return all[static_cast<std::size_t>(this_rank())];
}

void keep_times() {
    if (settings().times.empty()) return;
    LeastTimes& own = all_times()[static_cast<std::size_t>(this_rank())];
    if (own.next != own.seconds.size()) throw std::runtime_error("The file of times is of other steps.");
    own.complete = true;
    if (!std::ranges::all_of(all_times(), &LeastTimes::complete)) return;
    std::ofstream file;
    file.exceptions(std::ios::failbit | std::ios::badbit);
    file.open(settings().times, std::ios::binary);
    for (const LeastTimes& rank : all_times()) {
        const std::uint64_t count = rank.seconds.size();
        file.write(reinterpret_cast<const char*>(&count), sizeof count);
        file.write(reinterpret_cast<const char*>(rank.seconds.data()), static_cast<std::streamsize>(8 * count));
    }
}

Kernel::Kernel(double core_seconds, double bytes) {
    charge_computation();
    Work work;
    work.core_seconds = core_seconds;
    work.memory_bytes = bytes;
    const Settings& s = settings();
    seconds_ = s.scale * prediction::predict(s.machine, work, ranks(), s.threads).base();
    in_kernel = true;
}

Kernel::~Kernel() {
    in_kernel = false;
    ++traffic().kernels;
    smpi_execute_flops(seconds_ * host_speed);
    computed_until = processor_time();
}

}  // namespace strata::simulation

using strata::simulation::timed;

/// Clock of Strata's timers.
std::chrono::steady_clock::time_point std::chrono::steady_clock::now() noexcept {
    return time_point(duration(static_cast<rep>(1e9 * strata::simulation::now())));
}

extern "C" {

/// Every parallel region of OpenMP; a simulated rank runs it on one thread.
void GOMP_parallel(void (*loop)(void*), void* data, unsigned, unsigned) { strata::simulation::share(loop, data); }

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
    int size = 1;
    PMPI_Type_size(type, &size);
    ++strata::simulation::traffic().messages;
    strata::simulation::traffic().bytes += static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size);
    return timed([&] { return PMPI_Isend(data, count, type, to, tag, comm, request); });
}
int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
    return timed([&] { return PMPI_Irecv(data, count, type, from, tag, comm, request); });
}
int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
    return timed([&] { return PMPI_Waitall(count, requests, statuses); });
}
int MPI_Waitany(int count, MPI_Request* requests, int* index, MPI_Status* status) {
    return timed([&] { return PMPI_Waitany(count, requests, index, status); });
}
int MPI_Barrier(MPI_Comm comm) {
    return timed([&] { return PMPI_Barrier(comm); });
}
int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    return timed([&] { return PMPI_Bcast(data, count, type, root, comm); });
}
/// SMPI sends to a rank that is not there if a long sum has one rank only; all sums of Strata are in place.
int MPI_Reduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
    int size = 1;
    PMPI_Comm_size(comm, &size);
    if (size == 1) return MPI_SUCCESS;
    return timed([&] { return PMPI_Reduce(from, to, count, type, op, root, comm); });
}
int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return timed([&] { return PMPI_Allreduce(from, to, count, type, op, comm); });
}
int MPI_Exscan(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return timed([&] { return PMPI_Exscan(from, to, count, type, op, comm); });
}
int MPI_Allgather(const void* from, int count, MPI_Datatype type, void* to, int each, MPI_Datatype its, MPI_Comm comm) {
    return timed([&] { return PMPI_Allgather(from, count, type, to, each, its, comm); });
}
int MPI_Alltoall(const void* from, int count, MPI_Datatype type, void* to, int each, MPI_Datatype its, MPI_Comm comm) {
    return timed([&] { return PMPI_Alltoall(from, count, type, to, each, its, comm); });
}

/// SMPI grants MPI_THREAD_SINGLE whatever is asked for; a simulated rank computes with one thread.
int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
    *provided = required;
    return PMPI_Init(argc, argv);
}

/// SMPI sends messages between all pairs of ranks to find those of a host; here the number in its name is a colour.
int MPI_Comm_split_type(MPI_Comm comm, int, int key, MPI_Info, MPI_Comm* made) {
    const char* host = sg_host_get_name(sg_host_self());
    return PMPI_Comm_split(comm, std::atoi(host + std::strcspn(host, "0123456789")), key, made);
}

/// Shared windows are memory of the process, and take none of /dev/shm.
int statvfs(const char*, struct statvfs* free) noexcept {
    *free = {};
    free->f_bsize = 1 << 20;
    free->f_bavail = 1 << 30;
    return 0;
}

/// SMPI takes the size of rank 0 for that of every rank; the parts of Strata differ. Here the handle of a window is the
/// address of this structure, which the ranks share.
namespace {
struct SharedWindow {
    std::vector<MPI_Aint> first;  ///< [rank] begin of its part, and the end of the last
    char* memory;
    int users;
};
SharedWindow& shared(MPI_Win win) { return *reinterpret_cast<SharedWindow*>(win); }
}  // namespace

int MPI_Win_allocate_shared(MPI_Aint size, int, MPI_Info, MPI_Comm comm, void* base, MPI_Win* win) {
    int rank = 0, ranks = 1;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &ranks);
    std::vector<MPI_Aint> first(static_cast<std::size_t>(ranks) + 1);
    PMPI_Allgather(&size, sizeof size, MPI_BYTE, first.data() + 1, sizeof size, MPI_BYTE, comm);
    for (std::size_t r = 1; r < first.size(); ++r) first[r] += first[r - 1];
    SharedWindow* window = nullptr;
    if (rank == 0)
        window = new SharedWindow{first, static_cast<char*>(std::calloc(1, static_cast<std::size_t>(first.back()) + 8)),
                                  ranks};
    PMPI_Bcast(&window, sizeof window, MPI_BYTE, 0, comm);
    char* const own = window->memory + first[static_cast<std::size_t>(rank)];
    std::memcpy(base, &own, sizeof own);
    *win = reinterpret_cast<MPI_Win>(window);
    return MPI_SUCCESS;
}

/// Asked for the begin of the whole window only.
int MPI_Win_shared_query(MPI_Win win, int, MPI_Aint* size, int* unit, void* base) {
    *size = shared(win).first.back();
    *unit = sizeof(double);
    std::memcpy(base, &shared(win).memory, sizeof(char*));
    return MPI_SUCCESS;
}

int MPI_Win_lock_all(int, MPI_Win) { return MPI_SUCCESS; }
int MPI_Win_unlock_all(MPI_Win) { return MPI_SUCCESS; }

/// The last rank frees the memory.
int MPI_Win_free(MPI_Win* win) {
    if (--shared(*win).users > 0) return MPI_SUCCESS;
    std::free(shared(*win).memory);
    delete &shared(*win);
    return MPI_SUCCESS;
}

}  // extern "C"
