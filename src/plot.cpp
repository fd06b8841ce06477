// SPDX-License-Identifier: BSD-3-Clause
// Start of jobs/plot.py, which draws the figures, in place of this process.
#include "plot.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
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

}  // namespace

bool is_plot(int argc, const char* const* argv) { return argc > 1 && std::strcmp(argv[1], "plot") == 0; }

int plot(char** argv) {
    std::string path = script();
    if (path.empty()) {
        std::fprintf(stderr, "strata: jobs/plot.py, which draws the figures, is not installed with this program.\n");
        return static_cast<int>(ExitCode::file);
    }
    argv[1] = path.data();
    execv(path.c_str(), argv + 1);
    std::fprintf(stderr, "strata: %s cannot be started: %s.\n", path.c_str(), std::strerror(errno));
    return static_cast<int>(ExitCode::file);
}

}  // namespace strata
