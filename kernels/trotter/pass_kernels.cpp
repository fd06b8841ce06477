// SPDX-License-Identifier: BSD-3-Clause
// Bits of the two kinds of tiles.
#include <algorithm>

#include "kernels/trotter/pass_kernels.hpp"

namespace strata::trotter {
namespace {

/// Number of bits of u: 4, whose 16 vectors fit in registers, if that leaves 128 blocks below them, which fit in the
/// first-level cache; else at most 3.
int top_bits(int block_bits, int requested) {
    if (requested != 0) return std::clamp(requested, std::max(block_bits - 11, 0), std::min(block_bits, 4));
    return block_bits >= StateLayout::group_bits + 4 ? 4 : std::min(block_bits, 3);
}

void append(std::vector<int>& bits, int first, int last) {
    for (int bit = first; bit < last; ++bit) bits.push_back(bit);
}

}  // namespace

TileBits row_bits(const StateLayout& layout, int requested) {
    TileBits bits{layout.lane_bits, {}, {}, top_bits(layout.row_bits - layout.lane_bits, requested)};
    append(bits.block, layout.lane_bits, layout.row_bits);
    append(bits.outer, layout.row_bits, layout.spins);
    return bits;
}

TileBits column_bits(const StateLayout& layout, int requested) {
    TileBits bits{layout.lane_bits, {}, {}, top_bits(layout.spins - layout.row_bits, requested)};
    append(bits.block, layout.row_bits, layout.spins);
    append(bits.outer, layout.lane_bits, layout.row_bits);
    return bits;
}

}  // namespace strata::trotter
