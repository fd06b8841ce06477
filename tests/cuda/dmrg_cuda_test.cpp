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

TEST(DmrgOnDevice, EvolutionsInRealAndImaginaryTimeHaveTheBitsOfTheCpu) {
    if (world().size() > 1) return;  // each rank would repeat all of it
    for (const std::string job :
         {"[lattice]\nextents = 4\n[run]\ntask = evolution\n[evolution]\nup = 0,1\ndown = 2,3\nsteps = 1\n",
          "[lattice]\nextents = 2\n[run]\ntask = thermal\n[thermal]\ntemperatures = 4\n"}) {
        SCOPED_TRACE(job);
        std::string hashes[2];
        std::vector<double> rows[2];
        for (const BackendKind backend : {BackendKind::cpu, BackendKind::cuda}) {
            const DmrgPlan plan(dmrg_job(job), 1, 1, backend);
            const bool device = backend == BackendKind::cuda;
            const superblock::HostOptions options{.seed = plan.config().seed};
            const auto system = evolution(
                world(), plan,
                device ? superblock::device_operators(options, test_device()) : superblock::host_operators(options));
            const Series series = run_whole(*system);
            hashes[device] = io::state_hash(world(), system->state());
            rows[device].assign(series.values().begin(), series.values().end());
        }
        ASSERT_EQ(rows[0].size(), rows[1].size());
        for (std::size_t i = 0; i < rows[0].size(); ++i) EXPECT_NEAR(rows[1][i], rows[0][i], 1e-8);
        if (emulated) {
            EXPECT_EQ(hashes[0], hashes[1]);
        }
    }
}

}  // namespace
}  // namespace strata::dmrg
