// SPDX-License-Identifier: BSD-3-Clause
// A temporary file of a test that runs on several ranks.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "comm/collectives.hpp"
#include "support/world.hpp"

namespace strata {

/// A unique path, the same on all ranks; the file is removed when all ranks are done with it. Collective.
class SharedFile {
  public:
    SharedFile() {
        static int count = 0;
        path_ = testing::TempDir() + "strata_" + std::to_string(getpid()) + "_" + std::to_string(count++) + ".h5";
        broadcast(world(), path_);
    }
    ~SharedFile() {
        all_max(world(), 0);
        if (world().is_root()) std::filesystem::remove(path_);
    }
    SharedFile(const SharedFile&) = delete;
    SharedFile& operator=(const SharedFile&) = delete;

    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

}  // namespace strata
