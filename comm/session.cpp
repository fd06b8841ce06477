// SPDX-License-Identifier: BSD-3-Clause
// MPI_Init_thread and MPI_Finalize around the program's body. An exception that every rank throws unwinds the stack on
// every rank and ends the program with its exit code. One that a single rank throws must not unwind: destructors free
// communicators and shared windows, which is collective, and would wait for ranks that wait for this one. Where there are
// several ranks such an exception has therefore no handler: std::terminate is called where it is thrown, before any
// destructor runs (the Itanium C++ ABI looks for a handler first), also in a parallel region and in other threads, and
// the terminate handler aborts all ranks.
#include "comm/session.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>

#include "comm/collectives.hpp"
#include "strata/failure.hpp"
#include "strata/printable.hpp"

namespace strata {
namespace {

/// What the terminate handler tells of this rank; it cannot allocate memory.
struct {
    int rank = 0;
    char host[256] = "";
} this_rank;

/// Prints the sentence and ends all ranks with the code. Other threads of this rank that fail, too, wait for the end.
[[noreturn]] void end_all_ranks(ExitCode code, const char* sentence) {
    static std::atomic_flag ending;
    static volatile std::sig_atomic_t exit_code;
    while (ending.test_and_set()) pause();
    exit_code = static_cast<int>(code);  // never 0: mpirun would report success
    std::signal(SIGALRM, [](int) { std::_Exit(exit_code); });
    alarm(5);  // MPI may be what has failed
    std::fflush(stdout);
    try {
        print_error("[rank " + std::to_string(this_rank.rank) + " " + this_rank.host + "] " + sentence);
    } catch (...) {  // no memory is left
        std::fprintf(stderr, "strata: [rank %d %s] %s\n", this_rank.rank, this_rank.host, sentence);
    }
    std::fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, exit_code);
    std::_Exit(exit_code);
}

/// Whether the system has refused memory to this thread. GCC ends some parallel regions without a current exception.
thread_local bool refused_memory = false;

void on_refused_memory() {
    refused_memory = true;
    throw std::bad_alloc();
}

[[noreturn]] void end_all_ranks_by_exception() {
    try {
        if (std::current_exception()) throw;
        if (refused_memory) throw std::bad_alloc();
    } catch (...) {
        with_failure(end_all_ranks);
    }
    end_all_ranks(ExitCode::internal, "An exception left a destructor or a parallel region.");
}

/// Runs `body` where no other rank waits for this one, so that any exception may unwind the stack: locks and temporary
/// files are removed.
int run_alone(const Communicator& comm, const std::function<int(const Communicator&)>& body) {
    try {
        return body(comm);
    } catch (const CollectiveError&) {
        throw;
    } catch (...) {
        with_failure(end_all_ranks);
    }
    return static_cast<int>(ExitCode::internal);  // not reached
}

int run_body(const Communicator& comm, const std::function<int(const Communicator&)>& body) {
    try {
        return comm.size() == 1 ? run_alone(comm, body) : body(comm);
    } catch (const CollectiveError& error) {  // no other handler here: see the head of this file
        if (comm.is_root()) print_error(error.what());
        return static_cast<int>(error.code());
    }
}

/// Variables in which launchers announce the rank of a process and, where there is one, the number of ranks; those that
/// start others' processes come first.
struct Launcher {
    const char *rank, *size;
};
constexpr Launcher launchers[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},  // Open MPI
                                  {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},    // MVAPICH
                                  {"PMI_RANK", "PMI_SIZE"},                          // MPICH, Intel MPI
                                  {"PALS_RANKID", nullptr},                          // Cray
                                  {"ALPS_APP_PE", nullptr},
                                  {"FLUX_TASK_RANK", "FLUX_JOB_SIZE"},
                                  {"PMIX_RANK", nullptr},
                                  {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};

/// The exit code for a single process that a launcher of another MPI started as one of several ranks: every one of them
/// would do the whole job and write the same files. 0 for any other process.
int code_of_separated_rank(const Communicator& world) {
    const auto of_several = [](const Launcher& l) {
        return l.size != nullptr && std::getenv(l.rank) != nullptr && std::getenv(l.size) != nullptr;
    };
    const auto* launcher = std::ranges::find_if(launchers, of_several);
    if (world.size() > 1 || launcher == std::end(launchers) || std::atoi(std::getenv(launcher->size)) <= 1) return 0;
    if (std::atoi(std::getenv(launcher->rank)) == 0)
        std::fprintf(
            stderr,
            "strata: %s = %s ranks were started, but each is alone for the MPI of this program, %s: start them "
            "with the mpirun of that MPI (srun: see --mpi), or unset %s for independent runs.\n",
            launcher->size, std::getenv(launcher->size), mpi_library().c_str(), launcher->size);
    return static_cast<int>(ExitCode::bad_input);
}

/// Settings of Open MPI for a process without a launcher, unless the user has made them. Otherwise it starts a daemon beside
/// the process, which needs a network and a dozen descriptors; processes without one would share a directory of one name,
/// which the first of them to end removes. Libraries of networks take a quarter of a second to load (libpsm2 measures its
/// clock), and hwloc asks for ten X servers.
void prepare_single_process() {
    constexpr const char* settings[][2] = {{"OMPI_MCA_ess_singleton_isolated", "1"},
                                           {"OMPI_MCA_orte_create_session_dirs", "0"},
                                           {"OMPI_MCA_pml", "ob1"},
                                           {"OMPI_MCA_btl", "self"},
                                           {"HWLOC_COMPONENTS", "-gl"}};
    for (const auto& [name, value] : settings) setenv(name, value, 0);
}

}  // namespace

int mpi_session(int& argc, char**& argv, const std::function<int(const Communicator&)>& body) {
    if (!started_by_launcher()) prepare_single_process();
    int granted = MPI_THREAD_SINGLE;
    if (const int error = MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &granted); error != MPI_SUCCESS) {
        std::fprintf(stderr, "strata: MPI does not start (MPI_Init_thread: error %d).\n", error);
        return static_cast<int>(ExitCode::internal);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &this_rank.rank);
    gethostname(this_rank.host, sizeof this_rank.host - 1);
    const std::terminate_handler before = std::set_terminate(end_all_ranks_by_exception);
    std::set_new_handler(on_refused_memory);
    int code = 0;
    {
        const Communicator world(MPI_COMM_WORLD);
        if (granted < MPI_THREAD_FUNNELED)
            end_all_ranks(ExitCode::internal, "This MPI does not grant MPI_THREAD_FUNNELED, which threads need.");
        code = code_of_separated_rank(world);
        if (code == 0) code = run_body(world, body);
    }
    check_mpi(MPI_Finalize());
    std::set_new_handler(nullptr);
    std::set_terminate(before);
    return code;
}

bool started_by_launcher() {
    return std::ranges::any_of(launchers, [](const Launcher& l) { return std::getenv(l.rank) != nullptr; });
}

std::string host_name() {
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    return name;
}

std::string mpi_library() {
    char words[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(words, &length);
    std::string text = words;
    text = text.substr(0, text.find_first_of(",\n"));  // "Open MPI v4.1.4, ..." or "MPICH Version:\t4.0.2\n..."
    const std::size_t number = text.find_first_of("0123456789");
    if (number == std::string::npos) return text;
    for (const std::string name : {"Open MPI", "MPICH"})
        if (text.starts_with(name)) return name + " " + text.substr(number);
    return text;
}

}  // namespace strata
