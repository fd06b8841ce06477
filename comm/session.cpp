// SPDX-License-Identifier: BSD-3-Clause
// MPI_Init_thread and MPI_Finalize around the program's body. An exception that every rank throws ends the program with
// its exit code; one that a single rank throws aborts all ranks by MPI_Abort, since the others may wait for messages of
// that rank.
#include "comm/session.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <new>
#include <string>

#include "comm/collectives.hpp"
#include "strata/error.hpp"
#include "strata/printable.hpp"

namespace strata {
namespace {

int abort_all(const Communicator& comm, ExitCode code, const std::string& sentence) {
    std::fflush(stdout);
    print_error("[rank " + std::to_string(comm.rank()) + " " + host_name() + "] " + sentence);
    std::fflush(stderr);
    MPI_Abort(comm.raw(), static_cast<int>(code));  // never 0: mpirun would report success
    return static_cast<int>(code);
}

int guarded(const Communicator& comm, const std::function<int(const Communicator&)>& body) {
    try {
        return body(comm);
    } catch (const CollectiveError& error) {
        if (comm.is_root()) print_error(error.what());
        return static_cast<int>(error.code());
    } catch (const Error& error) {
        return abort_all(comm, error.code(), error.what());
    } catch (const std::bad_alloc&) {
        return abort_all(comm, ExitCode::does_not_fit, "The system refused memory that was free when the run began.");
    } catch (const std::exception& error) {
        return abort_all(comm, ExitCode::internal, error.what());
    }
}

}  // namespace

int mpi_session(int& argc, char**& argv, const std::function<int(const Communicator&)>& body) {
    int granted = MPI_THREAD_SINGLE;
    if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &granted) != MPI_SUCCESS)
        return static_cast<int>(ExitCode::internal);
    int code = 0;
    {
        const Communicator world(MPI_COMM_WORLD);
        if (granted < MPI_THREAD_FUNNELED)
            code = abort_all(world, ExitCode::internal,
                             "This MPI does not grant MPI_THREAD_FUNNELED, which threads need.");
        else
            code = guarded(world, body);
    }
    MPI_Finalize();
    return code;
}

bool started_by_launcher() {
    // Open MPI, PMIx, MPICH and Intel MPI, MVAPICH, srun, Cray's aprun and PALS, Flux
    const std::initializer_list<const char*> ranks = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK",     "PMI_RANK",
                                                      "MV2_COMM_WORLD_RANK",  "SLURM_PROCID",  "ALPS_APP_PE",
                                                      "PALS_RANKID",          "FLUX_TASK_RANK"};
    return std::ranges::any_of(ranks, [](const char* name) { return std::getenv(name) != nullptr; });
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
