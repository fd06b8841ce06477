// SPDX-License-Identifier: BSD-3-Clause
// Division of arrays into the slabs that one call writes or reads: a slab is packed in memory before it is written, and
// unpacked after it was read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "strata/checkpoint.hpp"

namespace strata::io {

/// Largest number of bytes that one rank writes or reads in one call (default 128 MiB; clamped to 64 B .. 1 GiB). Tests
/// use less.
std::size_t slab_limit();
void set_slab_limit(std::size_t bytes);

/// Calls part(slab) for slabs of at most slab_limit() bytes that cover `rows`, in ascending order: as many whole rows
/// as fit, or consecutive pieces of a single row that exceeds the limit. There is no slab if there are no elements.
void for_each_slab(const ArrayShape& shape, const Range& rows, const std::function<void(const ArraySlab&)>& part);

}  // namespace strata::io
