// SPDX-License-Identifier: BSD-3-Clause
// How products are computed on the CPU.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "comm/node_memory.hpp"
#include "kernels/kronecker/gemm_library.hpp"

namespace strata::kronecker {

/// The program's own kernels, which read every pair of blocks once, or matrix products of a library, which they are
/// compared with.
enum class Variant { pairs, loops, tasks, batched, fused };

struct HostOptions {
    Variant variant = Variant::pairs;
    std::string simd = "auto";                          ///< instruction set of the own kernels
    std::optional<GemmBackend> backend = std::nullopt;  ///< of the other variants; none: the fastest one of a trial
    int block_threads = 1;                              ///< of loops: threads that share the blocks of one row
    std::uint64_t seed = 1;                             ///< of random vectors
    Sharing sharing = Sharing::allowed;                 ///< tests forbid it, so that ranks of a node exchange messages
};

}  // namespace strata::kronecker
