// SPDX-License-Identifier: BSD-3-Clause
// Preloaded into a program, stands for a disk that is full and for file systems that lack calls.
// STRATA_FAILING_WRITES="NAME FIRST COUNT [RANK]" lets COUNT writes fail, from number FIRST on, of those to files whose
// path contains NAME, on this rank or on each; every process counts its own from 0.
// STRATA_REFUSED_CALLS="CALL NUMBER COUNT" lets the first COUNT calls of flock, of fsync of a directory, or of fallocate
// fail with this error number. Where fallocate is not supported, posix_fallocate writes into every page as glibc does.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <sstream>
#include <string>

namespace {

/// The path of an open file; empty if it has none.
std::string path_of(int file) {
    char path[4096];
    const ssize_t length = readlink(("/proc/self/fd/" + std::to_string(file)).c_str(), path, sizeof path);
    return std::string(path, static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
}

bool fails(int file) {
    static std::atomic<long> writes{0};
    const char* setting = std::getenv("STRATA_FAILING_WRITES");
    if (setting == nullptr) return false;
    std::istringstream words(setting);
    std::string name, rank;
    long first = 0, count = 0;
    words >> name >> first >> count >> rank;
    const char* own_rank = std::getenv("OMPI_COMM_WORLD_RANK");
    if (!rank.empty() && (own_rank == nullptr || rank != own_rank)) return false;
    if (path_of(file).find(name) == std::string::npos) return false;
    const long number = writes++;
    if (number < first || number >= first + count) return false;
    errno = ENOSPC;
    return true;
}

/// The error number with which this call fails; 0 if it does not. Only files below the working directory count, not
/// those of MPI.
int refusal(const std::string& call, int file) {
    static std::atomic<long> refused{0};
    const char* setting = std::getenv("STRATA_REFUSED_CALLS");
    char here[4096];
    if (setting == nullptr || getcwd(here, sizeof here) == nullptr || !path_of(file).starts_with(here)) return 0;
    std::istringstream words(setting);
    std::string name;
    int number = 0;
    long count = 0;
    words >> name >> number >> count;
    return name == call && refused++ < count ? number : 0;
}

template <class Function>
Function* next(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

template <class Function, class... Arguments>
ssize_t write_or_fail(const char* name, int file, Arguments... arguments) {
    if (fails(file)) return -1;
    return next<Function>(name)(file, arguments...);
}

template <class Function, class... Arguments>
int call_or_refuse(const char* name, int file, Arguments... arguments) {
    const int number = refusal(name, file);
    if (number == 0) return next<Function>(name)(file, arguments...);
    errno = number;
    return -1;
}

}  // namespace

extern "C" {
ssize_t write(int file, const void* data, size_t bytes) {
    return write_or_fail<decltype(write)>("write", file, data, bytes);
}
ssize_t pwrite(int file, const void* data, size_t bytes, off_t start) {
    return write_or_fail<decltype(pwrite)>("pwrite", file, data, bytes, start);
}
int flock(int file, int operation) { return call_or_refuse<decltype(flock)>("flock", file, operation); }
int fsync(int file) {
    struct stat facts {};
    if (fstat(file, &facts) != 0 || !S_ISDIR(facts.st_mode)) return next<decltype(fsync)>("fsync")(file);
    return call_or_refuse<decltype(fsync)>("fsync", file);
}
int fallocate(int file, int mode, off_t first, off_t bytes) {
    return call_or_refuse<decltype(fallocate)>("fallocate", file, mode, first, bytes);
}
int posix_fallocate(int file, off_t first, off_t bytes) {
    const int number = refusal("fallocate", file);
    if (number == 0) return next<decltype(posix_fallocate)>("posix_fallocate")(file, first, bytes);
    if (number != EOPNOTSUPP) return number;
    constexpr off_t page = 4096;
    for (off_t at = first; at < first + bytes; at += page)
        if (pwrite(file, "", 1, at + std::min(page, first + bytes - at) - 1) != 1) return errno;
    return 0;
}
}
