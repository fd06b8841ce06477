// SPDX-License-Identifier: BSD-3-Clause
// Every number passes through shared memory and is written back by another thread: a block that got less shared memory
// than it asked for cannot give the right answer.
#include "cuda/reversal.hpp"

#include "strata/gpu.hpp"

namespace strata {
namespace {

constexpr unsigned threads = 256;

__global__ void reverse_kernel(std::uint32_t* numbers, std::uint64_t count) {
    auto kept = gpu_dynamic_shared<std::uint32_t>();
    for (std::uint64_t i = threadIdx.x; i < count; i += threads) kept[i] = numbers[i];
    __syncthreads();
    for (std::uint64_t i = threadIdx.x; i < count; i += threads) numbers[i] = kept[count - 1 - i];
}

}  // namespace

void reverse(const Queue<Cuda>& queue, View<std::uint32_t, Cuda> numbers) {
    gpu_launch(queue, {"reverse", dim3(1), dim3(threads), numbers.size() * sizeof(std::uint32_t)}, reverse_kernel,
               numbers.data(), numbers.size());
}

}  // namespace strata
