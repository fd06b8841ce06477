// SPDX-License-Identifier: BSD-3-Clause
// One run at a time per set of output files.
#pragma once

#include <string>

namespace strata::io {

/// Holds STEM.lock, which names host, process and start of the run that owns the files.
class LockFile {
  public:
    LockFile() = default;
    /// Makes the lock. Throws Error(bad_input) naming the owner if another run holds it. A lock left by a process of
    /// this host that is gone is taken over.
    explicit LockFile(const std::string& stem);
    ~LockFile();
    LockFile(LockFile&& other) noexcept;
    LockFile& operator=(LockFile&& other) noexcept;

  private:
    std::string path_;
};

}  // namespace strata::io
