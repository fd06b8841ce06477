// SPDX-License-Identifier: BSD-3-Clause
// Preloaded into a program, makes writes fail as on a full disk: STRATA_FAILING_WRITES="NAME FIRST COUNT [RANK]" lets
// COUNT writes fail, from number FIRST on, of those to files whose path contains NAME, on this rank or on each. Every
// process counts its own from 0.
#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <sstream>
#include <string>

namespace {

bool fails(int file) {
    static std::atomic<long> writes{0};
    const char* setting = std::getenv("STRATA_FAILING_WRITES");
    char path[4096];
    const ssize_t length = readlink(("/proc/self/fd/" + std::to_string(file)).c_str(), path, sizeof path);
    if (setting == nullptr || length < 0) return false;
    std::istringstream words(setting);
    std::string name, rank;
    long first = 0, count = 0;
    words >> name >> first >> count >> rank;
    const char* own_rank = std::getenv("OMPI_COMM_WORLD_RANK");
    if (!rank.empty() && (own_rank == nullptr || rank != own_rank)) return false;
    if (std::string(path, static_cast<std::size_t>(length)).find(name) == std::string::npos) return false;
    const long number = writes++;
    if (number < first || number >= first + count) return false;
    errno = ENOSPC;
    return true;
}

template <class Function, class... Arguments>
ssize_t write_or_fail(const char* name, int file, Arguments... arguments) {
    if (fails(file)) return -1;
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name))(file, arguments...);
}

}  // namespace

extern "C" {
ssize_t write(int file, const void* data, size_t bytes) {
    return write_or_fail<decltype(write)>("write", file, data, bytes);
}
ssize_t pwrite(int file, const void* data, size_t bytes, off_t start) {
    return write_or_fail<decltype(pwrite)>("pwrite", file, data, bytes, start);
}
}
