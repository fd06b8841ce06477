// SPDX-License-Identifier: BSD-3-Clause
// One lock at a time on a name: two of one process exclude each other as those of two processes do.
#include "io/lock_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "comm/session.hpp"
#include "strata/error.hpp"

namespace strata::io {
namespace {

namespace fs = std::filesystem;

class Lock : public testing::Test {
  protected:
    const std::string stem_ = testing::TempDir() + "strata_lock_" + std::to_string(getpid()), path_ = stem_ + ".lock";
    void TearDown() override { fs::remove(path_); }
    void write(const std::string& text) const { std::ofstream(path_) << text; }
};

TEST_F(Lock, IsHeldByOne) {
    {
        const LockFile first(stem_);
        EXPECT_THROW(LockFile second(stem_), Error);
    }
    EXPECT_FALSE(fs::exists(path_));
    const LockFile third(stem_);
    EXPECT_TRUE(fs::exists(path_));
}

TEST_F(Lock, LeavesThatOfAnotherRun) {
    auto first = std::make_unique<LockFile>(stem_);
    fs::remove(path_);
    const LockFile second(stem_);
    first.reset();
    EXPECT_TRUE(fs::exists(path_));
    EXPECT_THROW(LockFile third(stem_), Error);
}

TEST_F(Lock, OfADeadRunIsTakenOverOfAnotherHostRefused) {
    for (const std::string& text : {std::string(), host_name(), host_name() + " 1 today\n"}) {
        write(text);
        EXPECT_NO_THROW(LockFile lock(stem_)) << text;
    }
    write("another-host 1 today\n");
    EXPECT_THROW(LockFile lock(stem_), Error);
    EXPECT_TRUE(fs::exists(path_));
}

}  // namespace
}  // namespace strata::io
