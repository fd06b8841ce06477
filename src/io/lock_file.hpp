// SPDX-License-Identifier: BSD-3-Clause
// One run at a time per set of output files.
#pragma once

#include <string>

namespace strata::io {

/// Holds STEM.lock, locked by the kernel, which names host, process and start of the run that owns the files.
class LockFile {
  public:
    LockFile() = default;
    /// Makes the lock, or takes over one that a dead process of this host has left. Throws Error(bad_input) naming the
    /// owner if another run holds it, or a host is named in it that is not this one.
    explicit LockFile(const std::string& stem);
    ~LockFile();
    LockFile(LockFile&& other) noexcept;
    LockFile& operator=(LockFile&& other) noexcept;

  private:
    std::string path_;
    int file_ = -1;
};

}  // namespace strata::io
