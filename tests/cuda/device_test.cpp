// SPDX-License-Identifier: BSD-3-Clause
// Memory, queues, marks and exchanges of devices.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "comm/collectives.hpp"
#include "comm/device_binding.hpp"
#include "comm/halo.hpp"
#include "cuda/reversal.hpp"
#include "cuda/schedule.hpp"
#include "cuda/tensor.hpp"
#include "strata/error.hpp"
#include "strata/queue.hpp"
#include "support/error_of.hpp"
#include "support/world.hpp"

namespace strata {
namespace {

class Device : public testing::Test {
  protected:
    void SetUp() override { next_schedule(); }
    void TearDown() override { set_staging_piece(std::size_t{4} << 20); }
};

TEST_F(Device, MemoryKeepsWhatIsCopied) {
    const Queue<Cuda> queue;
    Buffer<std::uint32_t, Pinned> out(1000), in(1000);
    Buffer<std::uint32_t, Cuda> there(1000), elsewhere(1000);
    std::iota(out.begin(), out.end(), 7u);
    copy_to_device(queue, there.view(), std::span<const std::uint32_t>(out));
    device::copy(queue.raw(), elsewhere.data(), there.data(), there.bytes(), device::Direction::on_device);
    fill_bytes(queue, there.view(), 0);
    copy_to_host(queue, std::span<std::uint32_t>(in), std::as_const(elsewhere).view());
    queue.wait();
    EXPECT_TRUE(std::equal(in.begin(), in.end(), out.begin()));
    copy_to_host(queue, std::span<std::uint32_t>(in), std::as_const(there).view());
    queue.wait();
    EXPECT_EQ(std::accumulate(in.begin(), in.end(), 0u), 0u);
}

TEST_F(Device, EventsRecordTheOrder) {
    const Queue<Cuda> queue;
    Buffer<char, Cuda> memory(1 << 20);
    Event before, after;
    before.set(queue);
    fill_bytes(queue, memory.view(), 1);
    after.set(queue);
    after.wait();
    EXPECT_GE(after.seconds_since(before), 0);
    EXPECT_LT(after.seconds_since(before), 10);
}

TEST_F(Device, TooMuchMemoryIsASentence) {
    EXPECT_THAT(error_of(ExitCode::does_not_fit, [] { Buffer<char, Cuda> memory(std::size_t{1} << 50); }),
                testing::HasSubstr("1.00 PiB"));
    const Queue<Cuda> queue;  // the refusal leaves the device usable
    Buffer<char, Cuda> memory(16);
    fill_bytes(queue, memory.view(), 0);
    queue.wait();
}

/// 64 KiB are what every device since Volta has; a kernel gets more than 48 KiB only where it asks for it.
TEST_F(Device, KernelsGetTheSharedMemoryThatTheyNeed) {
    const Queue<Cuda> queue;
    for (std::size_t count : {std::size_t{4096}, std::size_t{12288}, std::size_t{16384}, std::size_t{12289}}) {
        Buffer<std::uint32_t, Pinned> numbers(count);
        Buffer<std::uint32_t, Cuda> there(count);
        std::iota(numbers.begin(), numbers.end(), 1u);
        copy_to_device(queue, there.view(), std::span<const std::uint32_t>(numbers));
        reverse(queue, there.view());
        copy_to_host(queue, std::span<std::uint32_t>(numbers), std::as_const(there).view());
        queue.wait();
        for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(numbers[i], count - i);
    }
}

TEST_F(Device, TooMuchSharedMemoryIsASentence) {
    const Queue<Cuda> queue;
    Buffer<std::uint32_t, Cuda> numbers(std::size_t{1} << 20);
    EXPECT_THAT(error_of(ExitCode::internal, [&] { reverse(queue, numbers.view()); }),
                testing::HasSubstr("reverse, which needs 4.00 MiB of shared memory"));
}

/// Small integers, whose sums are exact in any order.
TEST_F(Device, TensorCoresMultiply) {
    const Queue<Cuda> queue;
    Buffer<double, Pinned> left(128), right(64), sums(256), found(256);
    for (std::size_t i = 0; i < 128; ++i) left[i] = static_cast<double>(i * i % 23);
    for (std::size_t i = 0; i < 64; ++i) right[i] = static_cast<double>(i * i % 19);
    for (std::size_t i = 0; i < 256; ++i) sums[i] = static_cast<double>(i);
    Buffer<double, Cuda> left_there(128), right_there(64), sums_there(256);
    Buffer<int, Pinned> has(1);
    Buffer<int, Cuda> has_there(1);
    copy_to_device(queue, left_there.view(), std::span<const double>(left));
    copy_to_device(queue, right_there.view(), std::span<const double>(right));
    for (const bool both : {true, false}) {
        copy_to_device(queue, sums_there.view(), std::span<const double>(sums));
        tensor_multiply(queue, left_there.view(), right_there.view(), both, sums_there.view(), has_there.view());
        copy_to_host(queue, std::span<double>(found), std::as_const(sums_there).view());
        copy_to_host(queue, std::span<int>(has), std::as_const(has_there).view());
        queue.wait();
        if (has[0] == 0) GTEST_SKIP() << "this device has no tensor cores for doubles";
        for (std::size_t m = 0; m < 2; ++m)
            for (std::size_t row = 0; row < 16; ++row)
                for (std::size_t column = 0; column < 8; ++column) {
                    const std::size_t at = m * 128 + row * 8 + column;
                    double exact = sums[at];
                    for (std::size_t d = 0; (row < 8 || both) && d < 4; ++d)
                        exact += left[m * 64 + row * 4 + d] * right[m * 32 + d * 8 + column];
                    EXPECT_EQ(found[at], exact) << m << " " << row << " " << column;
                }
    }
}

TEST_F(Device, IsBoundAndDescribed) {
    const DeviceBinding binding = bind_device(world(), find_placement(world()), GpuAware::automatic);
    ASSERT_TRUE(binding.usable) << binding.reason;
    EXPECT_FALSE(binding.facts.name.empty());
    EXPECT_EQ(binding.facts.uuid.size(), 40u) << binding.facts.uuid;
    EXPECT_GE(binding.ranks_on_device, 1);
    EXPECT_EQ(shared_device(binding).empty(), binding.ranks_on_device == 1);
    const std::vector<std::string> lines = device_lines(world(), binding, 2);
    if (world().is_root()) {
        EXPECT_EQ(lines.size(), static_cast<std::size_t>(std::min(3, world().size())));
    }
}

/// All routes, in one piece and in many.
TEST_F(Device, BuffersGoAroundTheRing) {
    const Queue<Cuda> queue;
    for (std::size_t piece : {std::size_t{1} << 22, std::size_t{1000}})
        for (std::size_t bytes : {0, 1, 999, 1000, 1001, 70000}) {
            set_staging_piece(piece);
            EXPECT_TRUE(ring_of_device_buffers(world(), queue, DeviceRoute::staged, bytes)) << bytes;
            if (mpi_reads_device_memory()) {
                EXPECT_TRUE(ring_of_device_buffers(world(), queue, DeviceRoute::direct, bytes)) << bytes;
            }
        }
}

/// A plan is used again and again: what arrives is what the queue made last.
TEST_F(Device, HalosCarryWhatTheQueueMadeLast) {
    const Queue<Cuda> queue;
    set_staging_piece(64);
    RingHalo<Cuda> halo(33, world(), queue, DeviceRoute::staged);
    Buffer<std::uint64_t, Pinned> below(33), above(33);
    for (int round = 0; round < 3; ++round) {
        const auto byte = [&](int rank, int side) { return 16 * round + 2 * rank + side; };
        fill_bytes(queue, halo.to_previous().view(), byte(world().rank(), 0));
        fill_bytes(queue, halo.to_next().view(), byte(world().rank(), 1));
        halo.start();
        halo.finish();
        copy_to_host(queue, std::span<std::uint64_t>(below), std::as_const(halo).from_previous().view());
        copy_to_host(queue, std::span<std::uint64_t>(above), std::as_const(halo).from_next().view());
        queue.wait();
        const std::uint64_t ones = 0x0101010101010101u;
        for (std::size_t i = 0; i < 33; ++i) {
            EXPECT_EQ(below[i], ones * static_cast<std::uint64_t>(byte(world().previous(), 1)));
            EXPECT_EQ(above[i], ones * static_cast<std::uint64_t>(byte(world().next(), 0)));
        }
    }
}

/// An MPI that claims to read device memory and does not is found out before it is trusted (G6).
TEST_F(Device, RouteIsDirectOnlyIfATestMessageArrives) {
    const bool several = world().size() > 1;
    std::string remark;
    EXPECT_EQ(choose_route(
                  world(), GpuAware::off, [] { return true; }, remark),
              DeviceRoute::staged);
    EXPECT_EQ(choose_route(
                  world(), GpuAware::on, [] { return true; }, remark),
              several ? DeviceRoute::direct : DeviceRoute::staged);
    EXPECT_EQ(choose_route(
                  world(), GpuAware::automatic, [] { return true; }, remark),
              several && mpi_claims_gpu_aware() ? DeviceRoute::direct : DeviceRoute::staged);
    EXPECT_EQ(remark, "");
    const auto refuses = []() -> bool { throw CollectiveError(ExitCode::internal, "MPI refuses device memory."); };
    for (const std::function<bool()>& arrives : {std::function<bool()>([] { return false; }), {refuses}}) {
        remark.clear();
        EXPECT_EQ(choose_route(world(), GpuAware::on, arrives, remark), DeviceRoute::staged);
        EXPECT_EQ(remark.find("did not arrive: staging through host memory") != std::string::npos, several) << remark;
    }
}

}  // namespace
}  // namespace strata
