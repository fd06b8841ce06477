// SPDX-License-Identifier: BSD-3-Clause
// The only place that knows how much one call may move.
#include "io/slabs.hpp"

#include <algorithm>

namespace strata::io {
namespace {

std::size_t limit = checkpoint_piece_bytes;

}  // namespace

std::size_t slab_limit() { return limit; }
void set_slab_limit(std::size_t bytes) { limit = std::clamp<std::size_t>(bytes, 64, std::size_t{1} << 30); }

void for_each_slab(const DistributedArray& array, const std::function<void(const Slab&)>& part) {
    const std::uint64_t most = limit / sizeof(std::uint64_t), length = array.row_elements;
    if (length == 0) return;
    const std::uint64_t width = std::min(length, most), height = most / width;
    for (std::uint64_t row = array.rows.first; row < array.rows.last; row += height)
        for (std::uint64_t element = 0; element < length; element += width)
            part({{row, std::min(row + height, array.rows.last)}, {element, std::min(element + width, length)}});
}

std::uint64_t* slab_start(const DistributedArray& array, const Slab& slab) {
    return static_cast<std::uint64_t*>(array.data) + (slab.rows.first - array.rows.first) * array.row_stride +
           slab.elements.first;
}

}  // namespace strata::io
