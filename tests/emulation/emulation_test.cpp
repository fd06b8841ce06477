// SPDX-License-Identifier: BSD-3-Clause
// The emulation itself: that sound kernels give their results under every schedule, and that wrong ones are caught.
#include <cuda_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace {

using testing::HasSubstr;

cudaLaunchConfig_t config(dim3 grid, dim3 block, std::size_t shared = 0) {
    cudaLaunchConfig_t c = {};
    c.gridDim = grid;
    c.blockDim = block;
    c.dynamicSmemBytes = shared;
    return c;
}

/// Runs a kernel; returns what went wrong.
template <class Kernel, class... Arguments>
std::string error(dim3 grid, dim3 block, std::size_t shared, Kernel kernel, Arguments... arguments) {
    const cudaLaunchConfig_t c = config(grid, block, shared);
    if (cudaLaunchKernelEx(&c, kernel, arguments...) != cudaSuccess) return "not launched";
    const cudaError_t error = cudaDeviceSynchronize();
    const std::string text = emulation::last_fault();
    EXPECT_EQ(error == cudaSuccess, text.empty());
    return text;
}

class Emulation : public testing::TestWithParam<std::uint64_t> {
  protected:
    void SetUp() override { emulation::reset(GetParam()); }
    void TearDown() override { emulation::reset(); }
};

__global__ void reverse_block(int* data) {
    GPU_SHARED(int, copy, 256);
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    copy[threadIdx.x] = data[i];
    __syncthreads();
    data[i] = copy[blockDim.x - 1 - threadIdx.x];
}

TEST_P(Emulation, BarriersSeparateWritesFromReads) {
    std::vector<int> data(1024);
    std::iota(data.begin(), data.end(), 0);
    EXPECT_EQ(error(4, 256, 0, reverse_block, data.data()), "");
    for (int i = 0; i < 1024; ++i) EXPECT_EQ(data[static_cast<std::size_t>(i)], i / 256 * 256 + 255 - i % 256);
}

__global__ void missing_barrier(int* data) {
    GPU_SHARED(int, copy, 256);
    copy[threadIdx.x] = data[threadIdx.x];
    data[threadIdx.x] = copy[blockDim.x - 1 - threadIdx.x];
}

TEST_P(Emulation, ReadsOfUnsetSharedMemoryAreCaught) {
    std::vector<int> data(256);
    EXPECT_THAT(error(1, 256, 0, missing_barrier, data.data()), HasSubstr("which no thread has set"));
}

__global__ void sum(const int* data, int* total) {
    int value = data[blockIdx.x * blockDim.x + threadIdx.x];
    for (unsigned distance = 16; distance != 0; distance /= 2) value += __shfl_down_sync(0xFFFFFFFFu, value, distance);
    auto partial = gpu_dynamic_shared<int>();
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (unsigned i = 1; i < blockDim.x / 32; ++i) value += partial[i];
    atomicAdd(total, value);
}

TEST_P(Emulation, WarpsSumByShuffles) {
    std::vector<int> data(8 * 128, 3);
    int total = 0;
    EXPECT_EQ(error(8, 128, 4 * sizeof(int), sum, data.data(), &total), "");
    EXPECT_EQ(total, 3 * 8 * 128);
}

__global__ void all_shuffles(int* out) {
    const int lane = static_cast<int>(threadIdx.x);
    out[lane] = __shfl_sync(0xFFFFFFFFu, lane, 5);
    out[32 + lane] = __shfl_up_sync(0xFFFFFFFFu, lane, 3);
    out[64 + lane] = __shfl_down_sync(0xFFFFFFFFu, lane, 2, 8);
    out[96 + lane] = __shfl_xor_sync(0xFFFFFFFFu, lane, 1);
    out[128 + lane] = static_cast<int>(__ballot_sync(0xFFFFFFFFu, lane % 2));
    out[160 + lane] = __any_sync(0xFFFFFFFFu, lane == 4) + 2 * __all_sync(0xFFFFFFFFu, lane < 31);
    // halves of a warp vote apart
    const unsigned half = lane < 16 ? 0xFFFFu : 0xFFFF0000u;
    out[192 + lane] = static_cast<int>(__ballot_sync(half, 1));
}

TEST_P(Emulation, ShufflesAndVotesFollowTheManual) {
    std::vector<int> out(224);
    EXPECT_EQ(error(1, 32, 0, all_shuffles, out.data()), "");
    for (int i = 0; i < 32; ++i) {
        const auto at = [&](int row) { return out[static_cast<std::size_t>(32 * row + i)]; };
        EXPECT_EQ(at(0), 5);
        EXPECT_EQ(at(1), i < 3 ? i : i - 3);
        EXPECT_EQ(at(2), i % 8 < 6 ? i + 2 : i);
        EXPECT_EQ(at(3), i ^ 1);
        EXPECT_EQ(static_cast<unsigned>(at(4)), 0xAAAAAAAAu);
        EXPECT_EQ(at(5), 1);
        EXPECT_EQ(static_cast<unsigned>(at(6)), i < 16 ? 0xFFFFu : 0xFFFF0000u);
    }
}

__global__ void diverging(int* data) {
    if (threadIdx.x < 16) {
        data[threadIdx.x] = 1;
        __syncthreads();
    } else {
        __syncthreads();
    }
}

TEST_P(Emulation, DivergentBarriersAreCaught) {
    std::vector<int> data(32);
    EXPECT_THAT(error(1, 32, 0, diverging, data.data()), HasSubstr("divergent __syncthreads"));
}

__global__ void early_return(int* data) {
    if (threadIdx.x >= 20) return;
    __syncthreads();
    data[threadIdx.x] = 1;
}

TEST_P(Emulation, ThreadsThatReturnedDoNotHoldABarrier) {
    std::vector<int> data(32);
    EXPECT_EQ(error(1, 32, 0, early_return, data.data()), "");
    EXPECT_EQ(std::accumulate(data.begin(), data.end(), 0), 20);
}

__global__ void outside_mask(int*) { __ballot_sync(0xFFFFu, 1); }
TEST_P(Emulation, LanesOutsideTheirMaskAreCaught) {
    EXPECT_THAT(error(1, 32, 0, outside_mask, static_cast<int*>(nullptr)), HasSubstr("outside its own mask"));
}

__global__ void mask_of_the_returned(int*) {
    if (threadIdx.x >= 16) return;
    __ballot_sync(0xFFFFFFFFu, 1);
}
TEST_P(Emulation, MasksThatNameReturnedLanesAreCaught) {
    EXPECT_NE(error(1, 32, 0, mask_of_the_returned, static_cast<int*>(nullptr)), "");
}

__global__ void different_intrinsics(int*) {
    if (threadIdx.x % 2 == 0)
        __ballot_sync(0xFFFFFFFFu, 1);
    else
        __any_sync(0xFFFFFFFFu, 1);
}
TEST_P(Emulation, DifferentIntrinsicsUnderOneMaskAreCaught) {
    EXPECT_THAT(error(1, 32, 0, different_intrinsics, static_cast<int*>(nullptr)),
                HasSubstr("different warp intrinsics"));
}

__global__ void deadlock(int*) {
    if (threadIdx.x == 0)
        __syncthreads();
    else
        __syncwarp(0xFFFFFFFFu);
}
TEST_P(Emulation, DeadlocksAreCounted) {
    EXPECT_THAT(error(1, 32, 0, deadlock, static_cast<int*>(nullptr)),
                HasSubstr("deadlock, 1 threads wait in __syncthreads"));
}

__global__ void two_arrays(int*) {
    GPU_SHARED(double, declared, 2048);
    const auto dynamic = gpu_dynamic_shared<double>();
    declared[threadIdx.x] = dynamic[threadIdx.x] = 1;
}

TEST_P(Emulation, DeclaredAndDynamicArraysShareTheMemoryOfABlock) {
    EXPECT_EQ(error(1, 32, 32768, two_arrays, static_cast<int*>(nullptr)), "");
    EXPECT_THAT(error(1, 32, 32776, two_arrays, static_cast<int*>(nullptr)), HasSubstr("49160 bytes of shared memory"));
}

__global__ void beyond_shared(int*) {
    GPU_SHARED(int, small, 8);
    small[threadIdx.x] = 1;
}
TEST_P(Emulation, IndicesBeyondSharedMemoryAreCaught) {
    EXPECT_THAT(error(1, 32, 0, beyond_shared, static_cast<int*>(nullptr)), HasSubstr("of 8"));
}

__global__ void count_up(unsigned long long* counter, unsigned* least, double* real) {
    atomicAdd(counter, 1ULL);
    atomicMin(least, 1000 - threadIdx.x);
    atomicAdd(real, 0.5);
}
TEST_P(Emulation, AtomicsLoseNothing) {
    unsigned long long counter = 0;
    unsigned least = 5000;
    double real = 0;
    EXPECT_EQ(error(50, 100, 0, count_up, &counter, &least, &real), "");
    EXPECT_EQ(counter, 5000u);
    EXPECT_EQ(least, 901u);
    EXPECT_EQ(real, 2500);
}

__global__ void non_atomic(unsigned* counter) {
    const unsigned seen = gpu_load_relaxed(counter);
    gpu_store_relaxed(counter, seen + 1);
}
/// Under a shuffled schedule an update that is not atomic loses counts.
TEST_P(Emulation, LostUpdatesShowUnderAShuffledSchedule) {
    unsigned counter = 0;
    EXPECT_EQ(error(1, 256, 0, non_atomic, &counter), "");
    if (GetParam() == 0)
        EXPECT_EQ(counter, 256u);
    else
        EXPECT_LT(counter, 256u);
}

TEST_P(Emulation, ImpossibleLaunchesAreRefused) {
    unsigned counter = 0;
    for (const cudaLaunchConfig_t& c :
         {config(1, 1025), config(0, 32), config(1, dim3(1, 1, 65)), config(dim3(1, 65536), 1), config(1, 32, 49153)})
        EXPECT_EQ(cudaLaunchKernelEx(&c, non_atomic, &counter), cudaErrorInvalidConfiguration);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_P(Emulation, AFaultSticks) {
    EXPECT_NE(error(1, 32, 0, outside_mask, static_cast<int*>(nullptr)), "");
    void* memory = nullptr;
    EXPECT_EQ(cudaMalloc(&memory, 10), cudaErrorLaunchFailure);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
    emulation::reset(GetParam());
    EXPECT_EQ(cudaMalloc(&memory, 10), cudaSuccess);
    EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

/// Queued work runs only when it is waited for, and then only what is waited for.
TEST_P(Emulation, ResultsAreThereOnlyAfterAWait) {
    int* memory = nullptr;
    ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&memory), sizeof(int)), cudaSuccess);
    cudaStream_t first = nullptr, second = nullptr;
    cudaEvent_t event = nullptr;
    ASSERT_EQ(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
    int seen = -5;
    cudaMemsetAsync(memory, 0, sizeof(int), first);
    cudaEventRecord(event, first);
    cudaMemcpyAsync(&seen, memory, sizeof(int), cudaMemcpyDeviceToHost, second);
    cudaStreamSynchronize(second);
    EXPECT_EQ(seen, -1) << "poison: the other stream was not waited for";
    cudaStreamWaitEvent(second, event, 0);
    cudaMemcpyAsync(&seen, memory, sizeof(int), cudaMemcpyDeviceToHost, second);
    EXPECT_EQ(seen, -1);
    cudaStreamSynchronize(second);
    EXPECT_EQ(seen, 0);
    cudaEventDestroy(event);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

INSTANTIATE_TEST_SUITE_P(Schedules, Emulation, testing::Values(0, 1, 2, 3, 4, 5));

#if defined(__SANITIZE_ADDRESS__)
__global__ void beyond_memory(int* data) { data[threadIdx.x] = 1; }
TEST(EmulationDeath, MemoryBeyondItsEndIsFoundByTheSanitizer) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(
        {
            int* memory = nullptr;
            cudaMalloc(reinterpret_cast<void**>(&memory), 31 * sizeof(int));
            error(1, 32, 0, beyond_memory, memory);
        },
        "heap-buffer-overflow");
}
#endif

}  // namespace
