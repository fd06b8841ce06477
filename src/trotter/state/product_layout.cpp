// SPDX-License-Identifier: BSD-3-Clause
// What every bit of a tile means for a group: bits of F remain, bits in no parity are summed, bits in all parities are
// subtracted, and of others both sums are made.
#include "trotter/state/product_layout.hpp"

#include <algorithm>
#include <bit>

#include "strata/exact_sum.hpp"

namespace strata::trotter {
namespace {

/// log2 of the amplitudes of a block, if a row has so many.
constexpr int max_block_bits = 14;
/// The lowest bits, which are not summed away (flip_sums.hpp).
constexpr int lane_bits = 3;

TiledGroup tiled(const FlipGroup& group, int tile_bits) {
    TiledGroup tiles = {group.flip, group.first, {}, {}};
    std::uint64_t some = 0, every = ~std::uint64_t{0};
    for (const SignedSum& sum : group.sums) some |= sum.parity, every &= sum.parity;
    const auto has = [](std::uint64_t bits, int bit) { return (bits >> bit & 1) != 0; };
    for (int bit = 0; bit < tile_bits; ++bit)
        tiles.of_bit[static_cast<std::size_t>(bit)] = has(group.flip, bit) ? BitSum::kept
                                                      : bit < lane_bits    ? BitSum::both
                                                      : has(every, bit)    ? BitSum::difference
                                                      : has(some, bit)     ? BitSum::both
                                                                           : BitSum::sum;
    for (const SignedSum& sum : group.sums) {
        TiledGroup::Sum tile = {0, sum.value >> tile_bits << tile_bits, sum.parity >> tile_bits << tile_bits};
        for (int bit = tile_bits - 1; bit >= 0; --bit) {
            const BitSum what = tiles.of_bit[static_cast<std::size_t>(bit)];
            if (what == BitSum::kept || what == BitSum::both)
                tile.entry = 2 * tile.entry + (has(what == BitSum::kept ? sum.value : sum.parity, bit) ? 1 : 0);
        }
        tiles.sums.push_back(tile);
    }
    return tiles;
}

}  // namespace

ProductLayout::ProductLayout(const std::vector<FlipGroup>& groups, int row_bits, int own_bits, int bits, int slab_bits)
    : tile_bits_(std::min(row_bits, max_flip_tile_bits)),
      block_bits_(std::min(row_bits, max_block_bits)),
      slab_bits_(std::max(block_bits_, std::min(slab_bits, own_bits - (own_bits < bits ? 1 : 0)))),
      own_bits_(own_bits),
      slabs_(1) {
    for (const FlipGroup& group : groups) {
        batches_[group.flip >> slab_bits_].push_back(tiled(group, tile_bits_));
        largest_group_ = std::max(largest_group_, group.sums.size());
        slabs_ = std::max(slabs_, group.flip >> own_bits != 0 ? 3 : group.flip >> slab_bits_ != 0 ? 2 : 1);
    }
}

int ProductLayout::default_slab_bits(int threads) {
    return max_block_bits + 2 + std::bit_width(static_cast<unsigned>(threads - 1));
}

std::size_t ProductLayout::scratch_doubles() const {
    return ((std::size_t{2} << tile_bits_) + 2 * largest_group_ + 7) / 8 * 8;
}

std::uint64_t ProductLayout::bytes(int threads, std::uint64_t real_bytes, const ObservedProducts& products) const {
    const std::uint64_t sums = products.sums(), of_thread = 8 * scratch_doubles() + 2 * sums * sizeof(ExactSum);
    return (static_cast<std::uint64_t>(slabs_) * 2 * real_bytes << slab_bits_) +
           static_cast<std::uint64_t>(threads) * of_thread + products.bytes() +
           products.groups().size() * sizeof(TiledGroup) + sums * (sizeof(TiledGroup::Sum) + sizeof(Complex));
}

double ProductLayout::reads() const { return static_cast<double>(batches_.size()); }

double ProductLayout::sent_parts() const {
    double parts = 0;
    for (const auto& [high, groups] : batches_)
        if (high >> (own_bits_ - slab_bits_) != 0) parts += 0.5;
    return parts;
}

}  // namespace strata::trotter
