// SPDX-License-Identifier: BSD-3-Clause
// A lock that permits one run at a time per set of output files.
#pragma once

#include <string>

namespace strata::io {

/// Owns the file STEM.lock, which is locked by the kernel and names host, process and start time of the run that uses
/// the files.
class LockFile {
  public:
    LockFile() = default;
    /// Creates the lock, or takes over the lock of a dead process of this host. Throws Error(bad_input), with the
    /// owner, if another run has the lock, or if the file names another host.
    explicit LockFile(const std::string& stem);
    ~LockFile();
    LockFile(LockFile&& other) noexcept;
    LockFile& operator=(LockFile&& other) noexcept;

  private:
    std::string path_;
    int file_ = -1;
};

}  // namespace strata::io
