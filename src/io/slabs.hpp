// SPDX-License-Identifier: BSD-3-Clause
// How arrays are cut into the slabs that one call writes or reads: parallel HDF5 1.10 with Open MPI 4.1 fails beyond
// 2 GiB in one call, and a slab is packed before it is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "strata/checkpoint.hpp"

namespace strata::io {

/// Bytes that one rank writes or reads in one call at most (default 128 MiB; clamped to 64 B .. 1 GiB). Tests lower it.
std::size_t slab_limit();
void set_slab_limit(std::size_t bytes);

/// Calls part(slab) for slabs of at most slab_limit() bytes that cover `rows`, in ascending order: whole rows, as many
/// as fit, or consecutive pieces of one row after another where a single row exceeds the limit. No slab for no
/// elements.
void for_each_slab(const ArrayShape& shape, const Range& rows, const std::function<void(const ArraySlab&)>& part);

}  // namespace strata::io
