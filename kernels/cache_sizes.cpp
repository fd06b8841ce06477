// SPDX-License-Identifier: BSD-3-Clause
// Sizes of caches, from the C library. It is asked once, because virtual machines answer slowly.
#include "kernels/cache_sizes.hpp"

#include <unistd.h>

namespace strata {

std::uint64_t second_cache_bytes() {
    static const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return bytes > 0 ? static_cast<std::uint64_t>(bytes) : std::uint64_t{1} << 20;
}

}  // namespace strata
