// SPDX-License-Identifier: BSD-3-Clause
// Counter-based random numbers: Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC11; Random123). A word is a function of
// the seed, its purpose and a global index, and independent of ranks, threads, devices and earlier draws.
#pragma once

#include <Random123/philox.h>

#include <array>
#include <cstdint>

#include "strata/backend.hpp"

namespace strata {

using Philox4x32 = std::array<std::uint32_t, 4>;

/// Four 32-bit words for one 128-bit counter under a 64-bit seed.
STRATA_HOST_DEVICE inline Philox4x32 philox(std::uint64_t seed, const Philox4x32& counter) {
    r123::Philox4x32_R<10>::ctr_type c = {{counter[0], counter[1], counter[2], counter[3]}};
    r123::Philox4x32_R<10>::key_type k = {{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}};
    const auto r = r123::Philox4x32_R<10>()(c, k);
    return {r[0], r[1], r[2], r[3]};
}

}  // namespace strata
