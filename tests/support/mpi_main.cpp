// SPDX-License-Identifier: BSD-3-Clause
// GoogleTest under MPI: every rank runs every test in the same order, rank 0 prints, failures on other ranks are
// printed with their rank, and all ranks exit with the worst result.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "comm/collectives.hpp"
#include "comm/session.hpp"
#include "strata/device.hpp"
#include "support/world.hpp"

namespace {

const strata::Communicator* the_world = nullptr;

class RankPrinter : public testing::EmptyTestEventListener {
  public:
    explicit RankPrinter(int rank) : rank_(rank) {}

  private:
    void OnTestStart(const testing::TestInfo& info) override {
        name_ = std::string(info.test_suite_name()) + "." + info.name();
    }
    void OnTestPartResult(const testing::TestPartResult& result) override {
        if (result.failed())
            std::fprintf(stderr, "[rank %d] %s failed at %s:%d\n%s\n", rank_, name_.c_str(),
                         result.file_name() == nullptr ? "?" : result.file_name(), result.line_number(),
                         result.message());
    }
    int rank_;
    std::string name_;
};

/// Exit code of a test program without a device: skipped (77), or failed if STRATA_REQUIRE_DEVICE is 1. Prints the
/// reason.
int without_device(const strata::Communicator& comm) {
    const char* required = std::getenv("STRATA_REQUIRE_DEVICE");
    if (comm.is_root()) std::printf("SKIPPED: %s\n", strata::device::support().reason.c_str());
    return required != nullptr && std::string(required) == "1" ? 1 : 77;
}

}  // namespace

/// Takes the place of the C library's function, which Open MPI calls in a loop while a rank waits
/// (mpi_yield_when_idle). Where there are more ranks than cores, a rank that waits sleeps instead, so that the ranks
/// that compute have the cores.
extern "C" int sched_yield() noexcept {
    static const bool crowded = [] {
        const char* ranks = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
        return ranks != nullptr && std::atol(ranks) > sysconf(_SC_NPROCESSORS_ONLN);
    }();
    if (!crowded) return static_cast<int>(syscall(SYS_sched_yield));
    constexpr timespec pause = {0, 20000};
    nanosleep(&pause, nullptr);
    return 0;
}

const strata::Communicator& world() { return *the_world; }

int main(int argc, char** argv) {
    return strata::mpi_session(argc, argv, [&](const strata::Communicator& comm) {
        the_world = &comm;
        testing::InitGoogleTest(&argc, argv);
        testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
        if (!comm.is_root()) {
            delete listeners.Release(listeners.default_result_printer());
            listeners.Append(new RankPrinter(comm.rank()));
        }
        if (std::getenv("STRATA_TEST_DEVICE") != nullptr && strata::device::support().count == 0)
            return without_device(comm);
        const int failed = RUN_ALL_TESTS();
        return strata::all_max(comm, failed != 0 ? 1 : 0) != 0 ? 1 : 0;
    });
}
