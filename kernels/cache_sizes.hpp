// SPDX-License-Identifier: BSD-3-Clause
// Sizes of the caches of this processor, which the working sets of kernels follow. No result depends on them.
#pragma once

#include <cstdint>

namespace strata {

/// Bytes of the second-level cache of a core; 1 MiB where the system does not know them.
std::uint64_t second_cache_bytes();

}  // namespace strata
