// SPDX-License-Identifier: BSD-3-Clause
// The kernel locks the open file NAME.lock and releases the lock when the process ends in any way; the text in the file
// is for users and for other hosts, whose kernels may not know the lock. Two runs cannot take over one stale file: the
// second one does not get the kernel's lock, or locks a file that was removed in the meantime, and tries again.
#include "io/lock_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

#include "comm/session.hpp"
#include "io/provenance.hpp"
#include "strata/config.hpp"
#include "strata/error.hpp"
#include "strata/printable.hpp"

namespace strata::io {
namespace {

enum class Grant { granted, held, unknown };

[[noreturn]] void fail(const std::string& what, const std::string& path, int reason) {
    throw Error(ExitCode::file, "Could not " + what + " " + path + ": " + std::strerror(reason) + ".");
}

/// The owner in the first line of a lock file, `words` as "process 7 on HOST since TIME", and the note in the second;
/// all empty if the first line was not written completely. `kernel` and `job` are kernel_of() and the
/// text_of() its batch job; earlier versions have not written them.
struct Owner {
    std::string host, words, kernel, job, note;
};

constexpr const char* none = "-";

/// The boot of this machine and the mounted file system of a file: processes for which both are equal share one table of
/// locks, whatever their containers call the host. "-" if unknown.
std::string kernel_of(int file) {
    std::string boot;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
    struct stat facts {};
    return boot.empty() || fstat(file, &facts) != 0 ? none : boot + ":" + std::to_string(facts.st_dev);
}

/// A job of Slurm and the number of its restarts.
struct BatchJob {
    std::string id;  ///< "CLUSTER/NUMBER"; empty: none
    std::int64_t restarts = 0;
};

BatchJob this_batch_job() {
    const auto variable = [](const char* name) {
        const char* text = std::getenv(name);
        return std::string(text == nullptr ? "" : text);
    };
    BatchJob job;
    const std::string number = variable("SLURM_JOB_ID");
    if (!number.empty()) job.id = variable("SLURM_CLUSTER_NAME") + "/" + number;
    if (job.id.find_first_of(" \t\n#") != std::string::npos) job.id.clear();
    if (!parse_integer(variable("SLURM_RESTART_COUNT"), job.restarts)) job.restarts = 0;
    return job;
}

std::string text_of(const BatchJob& job) { return job.id.empty() ? none : job.id + "#" + std::to_string(job.restarts); }

/// True if `text` names an earlier start of this batch job, which Slurm has ended before it started the job again.
bool is_earlier_start(const std::string& text, const BatchJob& now) {
    const std::size_t mark = text.rfind('#');
    std::int64_t restarts = 0;
    return mark != std::string::npos && !now.id.empty() && text.substr(0, mark) == now.id &&
           parse_integer(text.substr(mark + 1), restarts) && restarts < now.restarts;
}

Owner read_owner(int file) {
    char text[1024];
    const ssize_t size = pread(file, text, sizeof text, 0);
    const std::string all(text, static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    if (all.find('\n') == std::string::npos) return {};
    std::istringstream lines(all);
    std::string first, host, process, started, kernel, job, note;
    std::getline(lines, first);
    std::getline(lines, note);
    std::istringstream(first) >> host >> process >> started >> kernel >> job;
    return {host, "process " + printable(process) + " on " + printable(host) + " since " + printable(started), kernel,
            job, printable(note, sizeof text)};
}

[[noreturn]] void refuse(const Owner& owner, const std::string& path, const std::string& remedy) {
    throw Error(ExitCode::bad_input, "These files are in use by " +
                                         (owner.words.empty() ? "a run that has just begun" : owner.words) + " (" +
                                         path + ")." + remedy);
}

bool is_in_place(int file, const std::string& path) {
    struct stat opened {
    }, named{};
    return fstat(file, &opened) == 0 && lstat(path.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
           opened.st_ino == named.st_ino;
}

/// Opens the lock file, and creates it if it does not exist (`made`). O_NONBLOCK prevents that a FIFO blocks.
int open_lock(const std::string& path, bool& made) {
    constexpr int flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    int file = open(path.c_str(), flags | O_CREAT | O_EXCL, 0644);
    made = file >= 0;
    if (file < 0 && errno == EEXIST) file = open(path.c_str(), flags | O_CREAT, 0644);
    const int reason = errno;
    struct stat facts {};
    const bool regular = file >= 0 && fstat(file, &facts) == 0 && S_ISREG(facts.st_mode);
    if (regular) return file;
    if (file >= 0) close(file);
    if (file >= 0 || reason == ELOOP || reason == EISDIR || reason == ENXIO)
        throw Error(ExitCode::bad_input, path + " is not a regular file, as a lock is; remove it.");
    fail("open", path, reason);
}

/// Requests an open file description lock, which is not released by other descriptors of the file.
Grant ask_kernel(int file, const std::string& path) {
    struct flock whole {};
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    if (fcntl(file, F_OFD_SETLK, &whole) == 0) return Grant::granted;
    if (errno == EAGAIN || errno == EACCES) return Grant::held;
    if (errno == ENOLCK || errno == ENOSYS || errno == EOPNOTSUPP || errno == EINVAL) return Grant::unknown;
    fail("lock", path, errno);
}

/// True if the lock of the owner, if it still runs, is known to the kernel of this process.
bool shares_locks(const Owner& owner, int file) {
    return owner.host == host_name() ||
           (!owner.kernel.empty() && owner.kernel != none && owner.kernel == kernel_of(file));
}

/// Throws Error(bad_input) unless the kernel grants the lock, and would know the lock of the owner that the file names,
/// or that owner was an earlier start of this batch job.
void claim(int file, const std::string& path, bool made) {
    const std::string remedy = " If that run is dead, remove the file.";
    const Grant grant = ask_kernel(file, path);
    const Owner owner = read_owner(file);
    if (grant == Grant::held) refuse(owner, path, "");
    if (is_earlier_start(owner.job, this_batch_job())) return;
    if (grant == Grant::unknown && !made) refuse(owner, path, remedy);  // a file system that does not support locks
    if (!owner.host.empty() && !shares_locks(owner, file)) refuse(owner, path, remedy);
}

/// Writes `text` from byte `from` on and ends the file there; false on failure.
bool write_end(int file, const std::string& text, std::size_t from) {
    return pwrite(file, text.data(), text.size(), static_cast<off_t>(from)) == static_cast<ssize_t>(text.size()) &&
           ftruncate(file, static_cast<off_t>(from + text.size())) == 0;
}

}  // namespace

LockFile::LockFile(const std::string& stem) {
    const std::string path = stem + ".lock";
    LockFile lock;  // closes the file if this throws
    do {
        bool made = false;
        if (lock.file_ >= 0) close(lock.file_);
        lock.file_ = open_lock(path, made);
        claim(lock.file_, path, made);
    } while (!is_in_place(lock.file_, path));
    lock.path_ = path;
    lock.owner_ = host_name() + " " + std::to_string(getpid()) + " " + utc_now() + " " + kernel_of(lock.file_) + " " +
                  text_of(this_batch_job()) + "\n";
    if (!write_end(lock.file_, lock.owner_, 0)) fail("write", path, errno);
    *this = std::move(lock);
}

LockFile::~LockFile() {
    if (file_ < 0) return;
    if (!path_.empty() && is_in_place(file_, path_)) unlink(path_.c_str());
    close(file_);
}

void LockFile::note(const std::string& line) const {
    if (file_ >= 0) write_end(file_, line + "\n", owner_.size());  // a reader meets the owner's line at any moment
}

LockFile::LockFile(LockFile&& other) noexcept
    : path_(std::exchange(other.path_, {})), owner_(std::move(other.owner_)), file_(std::exchange(other.file_, -1)) {}

LockFile& LockFile::operator=(LockFile&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(owner_, other.owner_);
    std::swap(file_, other.file_);
    return *this;
}

std::optional<LockOwner> owner_of(const std::string& stem) {
    const int file = open((stem + ".lock").c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return std::nullopt;
    const Owner owner = read_owner(file);
    struct flock whole {};
    whole.l_type = F_WRLCK;
    const bool ended = shares_locks(owner, file) && fcntl(file, F_OFD_GETLK, &whole) == 0 && whole.l_type == F_UNLCK;
    close(file);
    if (ended || owner.host.empty()) return std::nullopt;
    return LockOwner{owner.words, owner.note};
}

}  // namespace strata::io
