// SPDX-License-Identifier: BSD-3-Clause
// Start of a Python script in place of this process. The interpreter is that of STRATA_PYTHON; else python3 on PATH,
// which may be an activated environment: a script starts again by the system's python3 if packages lack there
// (jobs/packages.py).
#include "verbs/scripts.hpp"

#include <unistd.h>

#include <algorithm>
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

struct Script {
    const char* verb;
    const char* path;  ///< from the folder of the ready jobs
    const char* does;
};

constexpr Script scripts[] = {{"plot", "plot.py", "draws the figures"},
                              {"fit", "finite_size.py", "fits the sizes of a scan"},
                              {"scale", "../perf/scale.py", "measures how a job scales"}};

const Script* script_of(const char* word) {
    const auto found = std::ranges::find_if(scripts, [&](const Script& s) { return std::strcmp(s.verb, word) == 0; });
    return found == std::end(scripts) ? nullptr : found;
}

/// Starts an interpreter with the script, if it is there.
void start(const char* python, char** argv) {
    std::string name = python;
    argv[0] = name.data();
    execvp(name.c_str(), argv);
}

}  // namespace

bool is_script(int argc, const char* const* argv) { return argc > 1 && script_of(argv[1]) != nullptr; }

int run_script(char** argv) {
    const Script& script = *script_of(argv[1]);
    std::error_code missing;
    std::string path = std::filesystem::canonical(jobs_folder() / script.path, missing);
    if (missing) {
        std::fprintf(stderr, "strata: %s, which %s, is not installed with this program.\n", script.path, script.does);
        return static_cast<int>(ExitCode::file);
    }
    argv[1] = path.data();
    setenv("STRATA_PROGRAM", std::filesystem::canonical("/proc/self/exe", missing).c_str(), 0);
    const char* given = std::getenv("STRATA_PYTHON");
    if (given != nullptr && *given != '\0') {
        start(given, argv);
    } else {
        start("python3", argv);
        start("/usr/bin/python3", argv);
        given = "python3";
    }
    std::fprintf(stderr, "strata: %s, which %s, cannot be started: %s. STRATA_PYTHON names another one.\n", given,
                 script.does, std::strerror(errno));
    return static_cast<int>(ExitCode::file);
}

}  // namespace strata
