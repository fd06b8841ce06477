// SPDX-License-Identifier: BSD-3-Clause
// Swendsen-Wang on devices against the plain sweep, sweep by sweep: the same spins and the same integers, over the
// ranks of this run, for extents that do and do not fill tiles and blocks of tiles, both protocols and both routes.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>

#include "cuda/schedule.hpp"
#include "io/slabs.hpp"
#include "kernels/swendsen_wang/device_sweep.hpp"
#include "support/large_cases.hpp"
#include "support/trajectory.hpp"
#include "swendsen_wang/run/swendsen_wang.hpp"

namespace strata::swendsen_wang {
namespace {

using Extents = std::vector<std::uint64_t>;

void compare(const SwendsenWangConfig& config, DeviceRoute route = DeviceRoute::staged) {
    SwendsenWang<Cuda> system(world(), SwendsenWangPlan(config, world().size(), world().rank(), 1, BackendKind::cuda),
                              BackendOptions<Cuda>{"device", route});
    expect_plain_trajectory(system, config);
}

/// False if the lattice has fewer layers than there are ranks.
bool fits(const Extents& extents) {
    const std::uint64_t edge = extents.size() == 2 ? 8 : 4;
    return (extents.back() + edge - 1) / edge >= static_cast<std::uint64_t>(world().size());
}

class SweepCuda : public testing::Test {
  protected:
    void SetUp() override { next_schedule(); }
};

TEST_F(SweepCuda, SquareLattices) {
    for (const Extents& extents :
         {Extents{2, 2}, Extents{3, 2}, Extents{8, 8}, Extents{7, 9}, Extents{40, 32}, Extents{21, 45},
          Extents{264, 80}, Extents{300, 70}, Extents{530, 270}, Extents{2, 100}})
        for (double beta : {0.2, 0.44068679350977147, 0.8})
            if (fits(extents) && (large_cases || extents[0] < 500)) compare(job(extents, beta, Merge::exchange));
}

TEST_F(SweepCuda, CubicLattices) {
    for (const Extents& extents : {Extents{2, 2, 2}, Extents{4, 3, 2}, Extents{5, 6, 7}, Extents{9, 10, 16},
                                   Extents{8, 4, 17}, Extents{36, 20, 20}, Extents{33, 9, 34}, Extents{2, 2, 50}})
        for (double beta : {0.1, 0.2216546, 0.5})
            if (fits(extents)) compare(job(extents, beta, Merge::exchange));
}

// Trees of depths up to 1000, the paths of whose nodes many threads search at once: flips need the root as the parent of
// every node, and observations its sites.
TEST_F(SweepCuda, CompressedPathsLeadToRoots) {
    constexpr std::uint32_t nodes = 20000;
    const Queue<Cuda> queue;
    Buffer<std::uint32_t, Pinned> parent(nodes);
    Buffer<std::uint64_t, Pinned> size(nodes), counts(all_counts);
    Buffer<std::uint32_t, Cuda> device_parent(nodes);
    Buffer<std::uint64_t, Cuda> device_size(nodes), device_counts(all_counts);
    DeviceSlab slab;
    slab.id_capacity = nodes;
    slab.sweep.observed = true;
    slab.parent = device_parent.view();
    slab.size = device_size.view();
    slab.counts = device_counts.view();
    for (std::uint32_t trees : {1u, 7u, 400u}) {
        for (std::uint32_t i = 0; i < nodes; ++i) {  // a node's parent is one of the last nodes of its tree
            const std::uint32_t up = trees * (1 + i * 2654435761u % 20);
            parent[i] = i < trees ? i : i < up ? i % trees : i - up;
            size[i] = i + 1;
        }
        std::vector<std::uint32_t> root(nodes);
        std::vector<std::uint64_t> sites(nodes);
        for (std::uint32_t i = 0; i < nodes; ++i) {
            root[i] = i < trees ? i : root[parent[i]];
            sites[root[i]] += i + 1;
        }
        counts[id_count] = nodes;
        copy_to_device(queue, device_parent.view(), std::span<const std::uint32_t>(parent));
        copy_to_device(queue, device_size.view(), std::span<const std::uint64_t>(size));
        copy_to_device(queue, device_counts.view(), std::span<const std::uint64_t>(counts));
        device_sweep_kernels().compress_paths(queue, slab);
        copy_to_host(queue, std::span<std::uint32_t>(parent), std::as_const(device_parent).view());
        copy_to_host(queue, std::span<std::uint64_t>(size), std::as_const(device_size).view());
        queue.wait();
        EXPECT_TRUE(std::ranges::equal(parent, root)) << trees << " trees";
        EXPECT_TRUE(std::ranges::equal(size, sites)) << trees << " trees";
    }
}

TEST_F(SweepCuda, ExtremeTemperatures) {
    for (double beta : {0.0, 1e-6, 20.0}) {
        compare(job({30, 36}, beta, Merge::exchange));
        compare(job({6, 7, 19}, beta, Merge::exchange));
    }
}

TEST_F(SweepCuda, CouplingsOfBothSignsAndBoundaries) {
    for (const SwendsenWangConfig& config : coupling_jobs(Merge::exchange)) compare(config);
}

TEST_F(SweepCuda, MetropolisUpdates) {
    for (const SwendsenWangConfig& config : metropolis_jobs()) compare(config);
}

TEST_F(SweepCuda, FieldsByTheGhostSpin) {
    for (const SwendsenWangConfig& config : ghost_jobs(Merge::exchange)) compare(config);
    for (const SwendsenWangConfig& config : ghost_jobs(Merge::tree))
        if (config.field == -0.02) compare(config);
}

TEST_F(SweepCuda, PottsModels) {
    for (const SwendsenWangConfig& config : potts_jobs(Merge::exchange)) compare(config);
}

/// Rows of all temperatures and the exchanges between them are those of the CPU.
TEST_F(SweepCuda, ReplicasOfParallelTempering) {
    const SwendsenWangConfig config = tempering_job(4, {24, 34}, Merge::tree);
    TemperingRun<Cuda> device(world(), config, {"device", DeviceRoute::staged});
    TemperingRun<Cpu> host(world(), config);
    device.steps(0, config.sweeps);
    host.steps(0, config.sweeps);
    EXPECT_EQ(device.rows, host.rows);
}

TEST_F(SweepCuda, LabelsAlongTheTree) {
    compare(job({40, 32}, 0.44068679350977147, Merge::tree));
    compare(job({9, 10, 16}, 0.2216546, Merge::tree));
}

TEST_F(SweepCuda, DeviceMemoryHandedToMpi) {
    if (!mpi_reads_device_memory()) return;
    compare(job({40, 32}, 0.44068679350977147, Merge::exchange), DeviceRoute::direct);
    compare(job({9, 10, 16}, 0.2216546, Merge::exchange), DeviceRoute::direct);
}

/// From the CPU to a device and back: the spins travel through state().
TEST_F(SweepCuda, StatesMoveBetweenBackends) {
    const SwendsenWangConfig config = job({72, 40}, 0.44068679350977147, Merge::exchange);
    const auto plan = [&](BackendKind backend) {
        return SwendsenWangPlan(config, world().size(), world().rank(), 2, backend);
    };
    SwendsenWang<Cpu> cpu(world(), plan(BackendKind::cpu));
    SwendsenWang<Cuda> cuda(world(), plan(BackendKind::cuda));
    cpu.allocate();
    cuda.allocate();
    cpu.initialise();
    cpu.step(0);
    copy_state(cpu.state(), cuda.state());
    cuda.restored(1);
    for (std::uint64_t step = 1; step < 4; ++step) {
        cpu.step(step);
        cuda.step(step);
    }
    EXPECT_EQ(all_words(cuda), all_words(cpu));
}

/// Bytes that this process has taken from the heap.
std::size_t heap_bytes() {
    const struct mallinfo2 heap = mallinfo2();
    return heap.uordblks + heap.hblkhd;
}

/// A checkpoint packs one slab after another: at no time does the host hold more of a device's state than two slabs.
TEST_F(SweepCuda, StatesAreReadAndWrittenWithoutAMirror) {
    constexpr std::size_t slab_bytes = std::size_t{16} << 10;
    const SwendsenWangConfig config = job({2048, 2048}, 0.4, Merge::exchange);
    SwendsenWang<Cuda> system(world(), SwendsenWangPlan(config, world().size(), world().rank(), 1, BackendKind::cuda));
    system.allocate();
    system.initialise();
    std::vector<std::byte> packed(slab_bytes);
    const std::size_t limit = io::slab_limit(), before = heap_bytes();
    std::size_t most = before;
    io::set_slab_limit(slab_bytes);
    const DistributedArray array = system.state().at(0);
    ASSERT_GT(array.shape.elements(array.rows) * 8, 6 * slab_bytes);
    io::for_each_slab(array.shape, array.rows, [&](const ArraySlab& slab) {
        array.read(slab, packed.data());
        array.write(slab, packed.data());
        most = std::max(most, heap_bytes());
    });
    io::set_slab_limit(limit);
    EXPECT_LT(most - before, 2 * slab_bytes);
}

/// With more components than ids, nothing is written beyond the ids, and the run ends with an error.
TEST_F(SweepCuda, TooManyComponentsEndTheRun) {
    SwendsenWangConfig config = job({512, 512}, 0.5, Merge::exchange);
    config.thermalization = 10;  // no observation that would see it too
    SwendsenWangPlan plan(config, world().size(), world().rank(), 1, BackendKind::cuda);
    const std::uint64_t needed = plan.id_capacity();
    plan.limit_ids(64);
    EXPECT_LT(plan.id_capacity(), needed);
    SwendsenWang<Cuda> system(world(), plan);
    system.allocate();
    system.initialise();
    if (world().size() > 1) {  // the error comes before the labels of the borders are resolved
        EXPECT_THROW(system.step(0), Error);
        return;
    }
    EXPECT_THROW(
        {
            for (std::uint64_t step = 0; step < 3; ++step) system.step(step);
            static_cast<void>(system.state());
        },
        Error);
}

}  // namespace
}  // namespace strata::swendsen_wang
