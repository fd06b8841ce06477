// SPDX-License-Identifier: BSD-3-Clause
// Locks: one at a time for a name; two locks of one process exclude each other like those of two processes.
#include "io/lock_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>
#include <tuple>
#include <vector>

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

/// A container has another host name than that before it, on the same kernel; a lock of another boot, or on another
/// file system, may still be held.
TEST_F(Lock, OfAnotherContainerOnThisKernelIsTakenOver) {
    std::string kernel;
    {
        const LockFile lock(stem_);
        std::string host, process, started;
        std::ifstream(path_) >> host >> process >> started >> kernel;
    }
    ASSERT_NE(kernel.find(':'), std::string::npos);
    write("container 1 today " + kernel + " -\n");
    EXPECT_NO_THROW(LockFile lock(stem_));
    for (const std::string& other : {"x" + kernel, kernel + "1", std::string("-"), std::string()}) {
        write("container 1 today " + other + " -\n");
        EXPECT_THROW(LockFile lock(stem_), Error) << other;
        EXPECT_TRUE(owner_of(stem_)) << other;
    }
}

TEST_F(Lock, OfAnEarlierStartOfTheSlurmJobIsTakenOver) {
    const auto start = [](const char* job, const char* restarts) {
        setenv("SLURM_JOB_ID", job, 1);
        setenv("SLURM_RESTART_COUNT", restarts, 1);
        setenv("SLURM_CLUSTER_NAME", "c", 1);
    };
    for (const auto& [job, restarts, taken] : {std::tuple{"7", "1", true}, {"7", "0", false}, {"8", "1", false}}) {
        start(job, restarts);
        write("node 1 today boot:1 c/7#0\n");
        if (taken)
            EXPECT_NO_THROW(LockFile lock(stem_));
        else
            EXPECT_THROW(LockFile lock(stem_), Error) << job << " " << restarts;
    }
    for (const char* name : {"SLURM_JOB_ID", "SLURM_RESTART_COUNT", "SLURM_CLUSTER_NAME"}) unsetenv(name);
}

/// Notes of any lengths: a reader meets the owner at any moment, or another host would take the lock over.
TEST_F(Lock, KeepsItsOwnerWhileNotesAreWritten) {
    const LockFile lock(stem_);
    std::atomic<bool> done{false};
    std::thread run([&] {
        for (std::size_t i = 0; i < 20000; ++i) lock.note(std::string(1 + i * 37 % 400, 'x'));
        done = true;
    });
    int missing = 0;
    while (!done)
        if (const auto owner = owner_of(stem_); !owner || owner->words.find("process " + std::to_string(getpid())) != 0)
            ++missing;
    run.join();
    EXPECT_EQ(missing, 0);
    lock.note("half of it");
    EXPECT_EQ(owner_of(stem_).value().note, "half of it");
}

/// A run may open the lock file of another run that removes it before the lock is acquired; such a lock would exclude
/// no process.
TEST_F(Lock, HasOneOwnerAmongManyThatStartAtOnce) {
    write(host_name() + " 999999999 today\n");
    std::atomic<int> owners{0}, granted{0}, not_alone{0};
    std::vector<std::thread> runs;
    for (int r = 0; r < 4; ++r)
        runs.emplace_back([&] {
            for (int i = 0; i < 2000; ++i) try {
                    const LockFile lock(stem_);
                    ++granted;
                    if (++owners > 1) ++not_alone;
                    std::this_thread::sleep_for(std::chrono::microseconds(50));
                    if (owners > 1) ++not_alone;
                    --owners;
                } catch (const Error& refusal) {
                    EXPECT_EQ(refusal.code(), ExitCode::bad_input) << refusal.what();
                }
        });
    for (std::thread& run : runs) run.join();
    EXPECT_EQ(not_alone, 0);
    EXPECT_GT(granted, 0);
    EXPECT_FALSE(fs::exists(path_));
}

}  // namespace
}  // namespace strata::io
