// SPDX-License-Identifier: BSD-3-Clause
// A lock is a file made with O_EXCL that names host and process; one whose process is gone on this host is taken over.
#include "io/lock_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "comm/session.hpp"
#include "io/provenance.hpp"
#include "strata/error.hpp"

namespace strata::io {
namespace {

struct Owner {
    std::string host, started;
    long process = 0;
};

Owner read_owner(const std::string& path) {
    Owner owner;
    std::ifstream(path) >> owner.host >> owner.process >> owner.started;
    return owner;
}

/// The process of this host that owns the lock has ended: it is not there, waits to be buried, or its number has gone
/// to another program.
bool gone(const Owner& owner) {
    if (owner.host != host_name() || owner.process <= 0) return false;
    std::ifstream own("/proc/self/comm"), file("/proc/" + std::to_string(owner.process) + "/stat");
    std::string number, name, state, own_name;
    if (!(file >> number >> name >> state)) return true;
    std::getline(own, own_name);
    return state == "Z" || state == "X" || name != "(" + own_name + ")";
}

/// True if the lock was made; false if there is one already.
bool make(const std::string& path) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file < 0 && errno == EEXIST) return false;
    if (file < 0) throw Error(ExitCode::file, "Could not make " + path + ": " + std::strerror(errno) + ".");
    const std::string text = host_name() + " " + std::to_string(getpid()) + " " + utc_now() + "\n";
    const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    const int reason = errno;
    close(file);
    if (written) return true;
    unlink(path.c_str());
    throw Error(ExitCode::file, "Could not write " + path + ": " + std::strerror(reason) + ".");
}

}  // namespace

LockFile::LockFile(const std::string& stem) {
    const std::string path = stem + ".lock";
    if (!make(path)) {
        const Owner owner = read_owner(path);
        if (!gone(owner))
            throw Error(ExitCode::bad_input, "These files are in use by process " + std::to_string(owner.process) +
                                                 " on " + owner.host + " since " + owner.started +
                                                 ". If that run is dead, remove " + path + ".");
        unlink(path.c_str());
        if (!make(path)) throw Error(ExitCode::bad_input, "Another run has just taken " + path + ".");
    }
    path_ = path;
}

LockFile::~LockFile() {
    if (!path_.empty()) unlink(path_.c_str());
}

LockFile::LockFile(LockFile&& other) noexcept : path_(std::exchange(other.path_, {})) {}

LockFile& LockFile::operator=(LockFile&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
}

}  // namespace strata::io
