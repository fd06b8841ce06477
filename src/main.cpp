// SPDX-License-Identifier: BSD-3-Clause
// Entry point: executes a verb that only prints; else opens the MPI session, parses the command line on every rank, and
// executes the verb.
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "comm/collectives.hpp"
#include "comm/session.hpp"
#include "run/stop_signals.hpp"
#include "strata/timer.hpp"
#include "verbs/launch.hpp"
#include "verbs/scripts.hpp"

namespace {

/// OpenBLAS starts threads when it is loaded, each with memory of its own, and repeats for ever what a limit of address
/// space or data refuses. Under such a limit the program starts itself again with one such thread, before libraries are
/// initialised.
[[gnu::no_sanitize("address", "undefined", "thread")]] void start_with_one_blas_thread(int, char** argv,
                                                                                       char** environment) {
    static char one_thread[] = "OPENBLAS_NUM_THREADS=1";
    rlimit space{}, data{};
    if (getrlimit(RLIMIT_AS, &space) != 0 || getrlimit(RLIMIT_DATA, &data) != 0) return;
    if (space.rlim_cur == RLIM_INFINITY && data.rlim_cur == RLIM_INFINITY) return;
    constexpr std::size_t most = 4096;
    static char* changed[most + 1] = {one_thread};
    for (std::size_t n = 0; environment[n] != nullptr; ++n) {
        std::size_t same = 0;
        while (same < sizeof one_thread && environment[n][same] == one_thread[same]) ++same;
        if (same == sizeof one_thread || n + 1 == most) return;
        changed[n + 1] = environment[n];
    }
    execve("/proc/self/exe", argv, changed);
}
[[gnu::section(".preinit_array"), gnu::used]] void (*const before_libraries)(int, char**,
                                                                             char**) = start_with_one_blas_thread;

}  // namespace

int main(int argc, char** argv) {
    if (strata::is_script(argc, argv)) return strata::run_script(argv);  // needs no MPI
    const double start = strata::monotonic_seconds();
    strata::install_signal_handlers();  // first, so that a signal during set-up counts
    if (const std::optional<int> code = strata::print_without_mpi(argc, argv, start)) return *code;
    std::string command_line;
    for (int i = 0; i < argc; ++i) command_line += (i == 0 ? "" : " ") + std::string(argv[i]);
    return strata::mpi_session(argc, argv, [&](const strata::Communicator& comm) {
        strata::cli::Arguments arguments;
        strata::collectively(comm, [&] {
            strata::cli::InputErrors errors;
            arguments = strata::cli::parse_arguments(argc, argv, errors);
            errors.throw_if_any();
        });
        return strata::launch(comm, arguments, command_line, start);
    });
}
