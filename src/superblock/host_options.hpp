// SPDX-License-Identifier: BSD-3-Clause
// Options of products on the CPU.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "comm/node_memory.hpp"
#include "kernels/kronecker/gemm_library.hpp"

namespace strata::kronecker {

/// pairs: half-stored symmetric product by the program's own kernels, which read every stored block once for both of
/// its directions. Other variants: matrix products of a library, for comparison.
enum class Variant { pairs, loops, tasks, batched, fused };

struct HostOptions {
    Variant variant = Variant::pairs;
    std::string simd = "auto";  ///< instruction set of the own kernels
    /// Library of the other variants; none: the fastest one of a trial.
    std::optional<GemmBackend> backend = std::nullopt;
    /// Variant loops: threads that share the blocks of one row.
    int block_threads = 1;
    std::uint64_t seed = 1;              ///< seed of random vectors
    Sharing sharing = Sharing::allowed;  ///< tests forbid it, so that ranks of a node exchange messages
};

}  // namespace strata::kronecker
