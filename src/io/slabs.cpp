// SPDX-License-Identifier: BSD-3-Clause
// The limit of the bytes that one call of HDF5 reads or writes.
#include "io/slabs.hpp"

#include <algorithm>

namespace strata::io {
namespace {

std::size_t limit = checkpoint_slab_bytes;

/// End of the range of rows from `first` on that have at most `most` elements in total; at least first + 1.
std::uint64_t rows_that_fit(const ArrayShape& shape, const Range& rows, std::uint64_t first, std::uint64_t most) {
    if (!shape.ragged()) return std::min(rows.last, first + std::max<std::uint64_t>(1, most / shape.row_elements));
    std::uint64_t last = first + 1;
    while (last < rows.last && shape.elements({first, last + 1}) <= most) ++last;
    return last;
}

}  // namespace

std::size_t slab_limit() { return limit; }
void set_slab_limit(std::size_t bytes) { limit = std::clamp<std::size_t>(bytes, 64, std::size_t{1} << 30); }

void for_each_slab(const ArrayShape& shape, const Range& rows, const std::function<void(const ArraySlab&)>& part) {
    const std::uint64_t most = limit / element_bytes(shape.type);
    if (shape.elements(rows) == 0) return;
    for (std::uint64_t row = rows.first; row < rows.last;) {
        const std::uint64_t last = rows_that_fit(shape, rows, row, most), elements = shape.elements({row, last});
        for (std::uint64_t first = 0; first < elements; first += most)
            part({{row, last}, {first, std::min(first + most, elements)}});
        row = last;
    }
}

}  // namespace strata::io
