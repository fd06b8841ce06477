// SPDX-License-Identifier: BSD-3-Clause
// Start of jobs/plot.py, which draws the figures, in place of this process. The interpreter is that of STRATA_PYTHON;
// else python3 on PATH, as of an activated environment, if it has the packages that the script needs; else the system's.
#include "plot.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "strata/error.hpp"

namespace strata {
namespace {

/// Path of the script beside an installed program, or in the checkout of one in build/PRESET/src; empty if there is none.
std::string script() {
    std::error_code ignored;
    const std::filesystem::path folder = std::filesystem::canonical("/proc/self/exe", ignored).parent_path();
    for (const char* place : {"../share/strata/jobs/plot.py", "../../../jobs/plot.py"})
        if (std::filesystem::exists(folder / place, ignored))
            return std::filesystem::canonical(folder / place, ignored).string();
    return {};
}

/// Whether python3 on PATH is there and finds h5py and matplotlib, which it does not load for that.
bool path_has_packages() {
    constexpr const char* question =
        "import importlib.util as u, sys; sys.exit(not all(map(u.find_spec, ('h5py', 'matplotlib'))))";
    std::string name = "python3", option = "-c", program = question;
    char* arguments[] = {name.data(), option.data(), program.data(), nullptr};
    posix_spawn_file_actions_t silent;
    posix_spawn_file_actions_init(&silent);
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
        posix_spawn_file_actions_addopen(&silent, stream, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    int status = 0;
    const bool started = posix_spawnp(&child, name.c_str(), &silent, nullptr, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&silent);
    return started && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string interpreter() {
    const char* given = std::getenv("STRATA_PYTHON");
    if (given != nullptr && *given != '\0') return given;
    return path_has_packages() ? "python3" : "/usr/bin/python3";
}

}  // namespace

bool is_plot(int argc, const char* const* argv) { return argc > 1 && std::strcmp(argv[1], "plot") == 0; }

int plot(char** argv) {
    std::string path = script();
    if (path.empty()) {
        std::fprintf(stderr, "strata: jobs/plot.py, which draws the figures, is not installed with this program.\n");
        return static_cast<int>(ExitCode::file);
    }
    std::string python = interpreter();
    argv[0] = python.data();
    argv[1] = path.data();
    execvp(python.c_str(), argv);
    std::fprintf(stderr,
                 "strata: %s, which draws the figures, cannot be started: %s. STRATA_PYTHON names another one.\n",
                 python.c_str(), std::strerror(errno));
    return static_cast<int>(ExitCode::file);
}

}  // namespace strata
