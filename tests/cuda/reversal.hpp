// SPDX-License-Identifier: BSD-3-Clause
// A kernel of the tests that needs as much dynamic shared memory as it is given numbers.
#pragma once

#include <cstdint>

#include "strata/buffer.hpp"
#include "strata/queue.hpp"

namespace strata {

/// Reverses `numbers` with one block of threads, which keeps all of them in shared memory.
void reverse(const Queue<Cuda>& queue, View<std::uint32_t, Cuda> numbers);

}  // namespace strata
