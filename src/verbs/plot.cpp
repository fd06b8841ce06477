// SPDX-License-Identifier: BSD-3-Clause
// Start of jobs/plot.py, which draws the figures, in place of this process. The interpreter is that of STRATA_PYTHON;
// else python3 on PATH, as of an activated environment, from which the script goes to that of the system if packages
// lack (jobs/packages.py).
#include "verbs/plot.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "strata/error.hpp"
#include "verbs/ready_jobs.hpp"

namespace strata {
namespace {

/// Starts an interpreter with the script, if it is there.
void start(const char* python, char** argv) {
    std::string name = python;
    argv[0] = name.data();
    execvp(name.c_str(), argv);
}

}  // namespace

bool is_plot(int argc, const char* const* argv) { return argc > 1 && std::strcmp(argv[1], "plot") == 0; }

int plot(char** argv) {
    const std::filesystem::path folder = jobs_folder();
    std::string path = folder / "plot.py";
    if (folder.empty()) {
        std::fprintf(stderr, "strata: jobs/plot.py, which draws the figures, is not installed with this program.\n");
        return static_cast<int>(ExitCode::file);
    }
    argv[1] = path.data();
    const char* given = std::getenv("STRATA_PYTHON");
    if (given != nullptr && *given != '\0') {
        start(given, argv);
    } else {
        start("python3", argv);
        start("/usr/bin/python3", argv);
        given = "python3";
    }
    std::fprintf(stderr,
                 "strata: %s, which draws the figures, cannot be started: %s. STRATA_PYTHON names another one.\n",
                 given, std::strerror(errno));
    return static_cast<int>(ExitCode::file);
}

}  // namespace strata
