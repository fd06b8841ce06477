// SPDX-License-Identifier: BSD-3-Clause
// GoogleTest under MPI: every rank runs every test in the same order, rank 0 prints, failures on other ranks are
// printed with their rank, and all ranks exit with the worst result.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

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

const strata::Communicator& world() { return *the_world; }

void on_root(const std::function<void()>& work) {
    if (world().is_root()) work();
    MPI_Request done = MPI_REQUEST_NULL;
    MPI_Ibarrier(world().raw(), &done);
    for (int complete = 0; complete == 0;) {
        MPI_Test(&done, &complete, MPI_STATUS_IGNORE);
        if (complete == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
}

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
