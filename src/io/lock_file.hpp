// SPDX-License-Identifier: BSD-3-Clause
// A lock that permits one run at a time per set of output files.
#pragma once

#include <optional>
#include <string>

namespace strata::io {

/// Owns the file STEM.lock, which is locked by the kernel and names host, process and start time of the run that uses
/// the files, the boot of its machine, and its job of Slurm.
class LockFile {
  public:
    LockFile() = default;
    /// Creates the lock, or takes over that of a dead process of this host, of another container on the same kernel, or
    /// of an earlier start of this job of Slurm. Throws Error(bad_input), with the owner, if another run has the lock,
    /// or if the file names another host.
    explicit LockFile(const std::string& stem);
    ~LockFile();
    LockFile(LockFile&& other) noexcept;
    LockFile& operator=(LockFile&& other) noexcept;

    /// Writes a line, e.g. the progress, below the owner. A failure is ignored, because nothing depends on the line.
    void note(const std::string& line) const;

  private:
    std::string path_, owner_;
    int file_ = -1;
};

/// The run that holds a lock.
struct LockOwner {
    std::string words;  ///< "process 7 on HOST since TIME"
    std::string note;   ///< its last note(); may be empty
};

/// The owner of STEM.lock; none if there is no lock, or the process that left it has ended on this host.
std::optional<LockOwner> owner_of(const std::string& stem);

}  // namespace strata::io
