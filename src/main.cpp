// SPDX-License-Identifier: BSD-3-Clause
// Entry point: executes a verb that only prints; else opens the MPI session, parses the command line on every rank, and
// executes the verb.
#include <optional>
#include <string>

#include "comm/collectives.hpp"
#include "comm/session.hpp"
#include "launch.hpp"
#include "plot.hpp"
#include "stop_signals.hpp"
#include "strata/timer.hpp"

int main(int argc, char** argv) {
    if (strata::is_plot(argc, argv)) return strata::plot(argv);  // needs no MPI
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
