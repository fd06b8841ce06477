// SPDX-License-Identifier: BSD-3-Clause
// Backends as types: where kernels run and which memory they use. Code that mixes two backends does not compile.
#pragma once

#if defined(__CUDACC__)
#define STRATA_HOST_DEVICE __host__ __device__
#else
#define STRATA_HOST_DEVICE
#endif

namespace strata {

struct Cpu {};     ///< host memory, kernels in the caller's threads
struct Cuda {};    ///< device memory, kernels in a queue
struct Pinned {};  ///< host memory for asynchronous copies from and to a device; no kernels

enum class BackendKind { cpu, cuda };

}  // namespace strata
