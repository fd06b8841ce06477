// SPDX-License-Identifier: BSD-3-Clause
// POSIX calls with checked results. A file is replaced by fsync and rename, so that a reader opens the old or the new
// file, never an incomplete one.
#include "io/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <vector>

#include "strata/error.hpp"
#include "strata/printable.hpp"

namespace strata::io {
namespace {

constexpr const char* temporary_mark = ".tmp.";  // precedes a random number

std::string directory_of(const std::string& path) {
    const std::string parent = std::filesystem::path(path).parent_path().string();
    return parent.empty() ? "." : parent;
}

/// Opens a file and brings it to the disk; returns 0 or the reason of a failure.
int sync_reason(const std::string& path, int flags) {
    const int file = open(path.c_str(), flags | O_CLOEXEC);
    const int reason = file >= 0 && fsync(file) == 0 ? 0 : errno;
    if (file >= 0) close(file);
    return reason;
}

void throw_unless_synced(const std::string& path, int reason) {
    if (reason != 0)
        throw Error(ExitCode::file, "Could not bring " + path + " to the disk: " + std::strerror(reason) + ".");
}

/// Brings the names of a directory to the disk. Some file systems have no fsync for directories; they answer EINVAL.
void sync_directory(const std::string& path) {
    const int reason = sync_reason(path, O_RDONLY | O_DIRECTORY);
    if (reason != EINVAL && reason != EOPNOTSUPP && reason != ENOTSUP) throw_unless_synced(path, reason);
}

/// Creates a file, which must not exist, not even as a link, and opens it for writing.
int make_file(const std::string& path) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (file < 0) throw Error(ExitCode::file, "Could not make " + path + ": " + std::strerror(errno) + ".");
    return file;
}

/// True for the end of a temporary name, a number.
bool is_number(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

OpenFile::OpenFile(const std::string& path) : path_(path), file_(open(path.c_str(), O_WRONLY | O_CLOEXEC)) {
    if (file_ < 0) throw Error(ExitCode::file, "Could not open " + path + ": " + std::strerror(errno) + ".");
}

OpenFile::~OpenFile() { close(file_); }

void OpenFile::write(std::uint64_t start, std::span<const std::byte> data) {
    while (!data.empty()) {
        const ssize_t written = pwrite(file_, data.data(), data.size(), static_cast<off_t>(start));
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) throw Error(ExitCode::file, "Could not write " + path_ + ": " + std::strerror(errno) + ".");
        start += static_cast<std::uint64_t>(written);
        data = data.subspan(static_cast<std::size_t>(written));
    }
}

void OpenFile::sync() {
    if (fsync(file_) != 0)
        throw Error(ExitCode::file, "Could not bring " + path_ + " to the disk: " + std::strerror(errno) + ".");
}

void make_directory(const std::string& path) {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error) throw Error(ExitCode::file, "Could not make the directory " + path + ": " + error.message() + ".");
}

void sync_to_disk(const std::string& path) { throw_unless_synced(path, sync_reason(path, O_RDONLY)); }

void put_in_place(const std::string& temporary, const std::string& path) {
    sync_to_disk(temporary);
    rename_synced(temporary, path);
}

void rename_synced(const std::string& temporary, const std::string& path) {
    if (std::rename(temporary.c_str(), path.c_str()) != 0)
        throw Error(ExitCode::file,
                    "Could not rename " + temporary + " to " + path + ": " + std::strerror(errno) + ".");
    sync_directory(directory_of(path));
}

void move_if_there(const std::string& from, const std::string& to) {
    if (std::rename(from.c_str(), to.c_str()) != 0 && errno != ENOENT)
        throw Error(ExitCode::file, "Could not rename " + from + " to " + to + ": " + std::strerror(errno) + ".");
}

// posix_fallocate would write a byte into every page where the file system has no fallocate: for a checkpoint of 100 GB
// over the network 26 million writes. There the free space is compared instead.
void reserve_space(int file, unsigned long long first, unsigned long long bytes, const std::string& name) {
    int reason = 0;
    do reason = fallocate(file, 0, static_cast<off_t>(first), static_cast<off_t>(bytes)) == 0 ? 0 : errno;
    while (reason == EINTR);
    if (reason == EOPNOTSUPP || reason == ENOSYS) {
        struct statvfs facts {};
        const bool known = fstatvfs(file, &facts) == 0;
        reason = known && bytes / std::max(1UL, facts.f_frsize) > facts.f_bavail ? ENOSPC : 0;
    }
    if (reason == 0 || reason == EINVAL) return;
    throw Error(ExitCode::file,
                "Could not take " + std::to_string(bytes) + " bytes for " + name + ": " + std::strerror(reason) + ".");
}

void probe_space(const std::string& path, unsigned long long bytes) {
    const int file = make_file(path);
    try {
        reserve_space(file, 0, bytes, path);
    } catch (const Error&) {
        close(file);
        unlink(path.c_str());
        throw;
    }
    close(file);
    unlink(path.c_str());
}

void expect_regular_file(const std::string& path) {
    struct stat facts {};
    const auto refuse = [&](const std::string& why) { throw Error(ExitCode::file, printable(path, 4096) + why); };
    if (stat(path.c_str(), &facts) != 0)
        refuse(errno == ENOENT ? " does not exist." : " cannot be opened: " + std::string(std::strerror(errno)) + ".");
    if (S_ISDIR(facts.st_mode)) refuse(" is a directory.");
    if (!S_ISREG(facts.st_mode)) refuse(" is not a regular file.");
    if (access(path.c_str(), R_OK) != 0) refuse(" cannot be opened: " + std::string(std::strerror(errno)) + ".");
}

std::string target_of(const std::string& path) {
    std::error_code missing;
    if (!std::filesystem::is_symlink(path, missing)) return path;
    const std::filesystem::path target = std::filesystem::canonical(path, missing);
    return missing ? path : target.string();
}

void replace_text_file(const std::string& path, const std::string& text) {
    const std::string target = target_of(path), temporary = temporary_name(target);
    close(make_file(temporary));
    try {
        std::ofstream file(temporary);
        file << text;
        file.close();
        if (!file) throw Error(ExitCode::file, "Could not write " + temporary + ".");
        put_in_place(temporary, target);
    } catch (const Error&) {
        unlink(temporary.c_str());
        throw;
    }
}

std::string temporary_name(const std::string& path) {
    std::random_device chance;
    const std::uint64_t number = (std::uint64_t{chance()} << 32) + chance();
    return path + temporary_mark + std::to_string(number);
}

void remove_temporaries(const std::string& path) {
    const std::string prefix = std::filesystem::path(path).filename().string() + temporary_mark;
    std::error_code error;
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(directory_of(path), error)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with(prefix) && is_number(name.substr(prefix.size()))) found.push_back(entry.path());
    }
    for (const std::filesystem::path& file : found) std::filesystem::remove(file, error);
}

void remove_file(const std::string& path) {
    if (unlink(path.c_str()) != 0 && errno != ENOENT)
        throw Error(ExitCode::file, "Could not remove " + path + ": " + std::strerror(errno) + ".");
}

bool exists(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::exists(std::filesystem::symlink_status(path, ignored));
}

bool on_same_disk(const std::string& a, const std::string& b) {
    struct stat of_a {
    }, of_b{};
    return stat(directory_of(a).c_str(), &of_a) == 0 && stat(directory_of(b).c_str(), &of_b) == 0 &&
           of_a.st_dev == of_b.st_dev;
}

unsigned long long free_disk(const std::string& path) {
    struct statvfs facts {};
    if (statvfs(directory_of(path).c_str(), &facts) != 0) return 0;
    return static_cast<unsigned long long>(facts.f_bavail) * facts.f_frsize;
}

}  // namespace strata::io
