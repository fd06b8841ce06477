// SPDX-License-Identifier: BSD-3-Clause
// How arrays are cut into the pieces that one call writes or reads: parallel HDF5 1.10 with Open MPI 4.1 fails beyond
// 2 GiB in one call, and a piece is packed before it is written.
#pragma once

#include <cstdint>
#include <functional>

#include "strata/checkpoint.hpp"
#include "strata/partition.hpp"

namespace strata::io {

/// Bytes that one rank writes or reads in one call at most (default 128 MiB; clamped to 64 B .. 1 GiB). Tests lower it.
std::size_t slab_limit();
void set_slab_limit(std::size_t bytes);

/// A rectangle of an array: some rows, and the same elements of each.
struct Slab {
    Range rows;      ///< global
    Range elements;  ///< of each row
    std::uint64_t size() const { return rows.size() * elements.size(); }
};

/// Calls part(slab) for slabs of at most slab_limit() bytes that cover this rank's rows: whole rows, as many as fit, or
/// consecutive pieces of one row after another where a single row exceeds the limit.
void for_each_slab(const DistributedArray& array, const std::function<void(const Slab&)>& part);

/// First element of a slab in the memory of this rank; its next row is array.row_stride elements further.
std::uint64_t* slab_start(const DistributedArray& array, const Slab& slab);

}  // namespace strata::io
