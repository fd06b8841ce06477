// SPDX-License-Identifier: BSD-3-Clause
// Where kernels run and memory lies, as types: what belongs to one backend does not compile with another.
#pragma once

#if defined(__CUDACC__)
#define STRATA_HOST_DEVICE __host__ __device__
#else
#define STRATA_HOST_DEVICE
#endif

namespace strata {

struct Cpu {};     ///< host memory, kernels in the caller's threads
struct Cuda {};    ///< device memory, kernels in a queue
struct Pinned {};  ///< host memory that a device copies from and to while the host goes on; no kernels

enum class BackendKind { cpu, cuda };

}  // namespace strata
