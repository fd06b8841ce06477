// SPDX-License-Identifier: BSD-3-Clause
// Renormalizations whose superblocks are on a device: the energies of the CPU, and its bits where arithmetic is plain, as
// the emulation has it; the same bits on any ranks.
#include <gtest/gtest.h>

#include "cuda/schedule.hpp"
#include "io/checkpoint_file.hpp"
#include "support/dmrg_runs.hpp"
#include "support/world.hpp"

namespace strata::dmrg {
namespace {

Finished on_device(const Communicator& comm, const std::string& job) {
    const DmrgPlan plan(dmrg_job(job), comm.size(), 1, BackendKind::cuda);
    auto system =
        std::make_unique<Dmrg>(comm, plan, superblock::device_operators({.seed = plan.config().seed}, test_device()));
    Series series = run_whole(*system);
    return {std::move(system), std::move(series)};
}

TEST(DmrgOnDevice, ChainsHaveTheEnergiesAndBitsOfTheCpu) {
    if (world().size() > 2) return;  // superblocks are too small for ranks to share one: each would repeat all of it
    for (const std::string job : {"[lattice]\nextents = 4\n[run]\nschedule = 8,14\nnoise = 1e-5,0\nproducts = 2\n",
                                  "[lattice]\nextents = 3\n[run]\nschedule = 16\nstates = 2\nproducts = 2\n"}) {
        SCOPED_TRACE(job);
        if (job.find("states") != std::string::npos && world().size() > 1) continue;
        const Finished host = finish(Communicator::alone(), job), device = on_device(world(), job);
        EXPECT_FALSE(device.system->memory().device.empty());
        EXPECT_NEAR(device.value("energy"), host.value("energy"), 1e-10);
        EXPECT_NEAR(device.value("measured-energy"), host.value("measured-energy"), 1e-9);
        if (!emulated) continue;
        EXPECT_EQ(io::state_hash(world(), device.system->state()),
                  io::state_hash(Communicator::alone(), host.system->state()));
    }
}

TEST(DmrgOnDevice, SinglePrecisionInTheFirstSweep) {
    if (world().size() > 1) return;  // each rank would repeat all of it
    const std::string job = "[lattice]\nextents = 4\n[run]\nschedule = 10,16\nsingle-precision-sweeps = 1\nnoise = 0\n";
    EXPECT_NEAR(on_device(world(), job).value("energy"), finish(Communicator::alone(), job).value("energy"), 1e-10);
}

}  // namespace
}  // namespace strata::dmrg
