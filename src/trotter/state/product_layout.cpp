// SPDX-License-Identifier: BSD-3-Clause
// What every bit of a tile means for a group: bits of F remain, bits in no parity are summed, bits in all parities are
// subtracted, and of others both sums are made.
#include "trotter/state/product_layout.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include "strata/exact_sum.hpp"

namespace strata::trotter {
namespace {

/// log2 of the amplitudes of a block, if a row has so many.
constexpr int max_block_bits = 14;
/// The lowest bits, which are not summed away (flip_sums.hpp).
constexpr int sum_lane_bits = 3;

/// `in_all`: of bits that are in all parities.
TiledGroup tiled(const FlipGroup& group, int tile_bits, int lane_bits, BitSum in_all) {
    TiledGroup tiles = {group.flip, group.first, {}, {}};
    std::uint64_t some = 0, every = ~std::uint64_t{0};
    for (const SignedSum& sum : group.sums) some |= sum.parity, every &= sum.parity;
    const auto has = [](std::uint64_t bits, int bit) { return (bits >> bit & 1) != 0; };
    for (int bit = 0; bit < tile_bits; ++bit)
        tiles.of_bit[static_cast<std::size_t>(bit)] = has(group.flip, bit) ? BitSum::kept
                                                      : bit < lane_bits    ? BitSum::both
                                                      : has(every, bit)    ? in_all
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

/// The entries of a group of H, which are numbered as the sums over a tile are, and their terms.
void append_entries(const TiledGroup& group, const Complex* coefficients, FlipProducts& to) {
    EntryGroup entries = {group.flip,
                          group.flip >> to.tile_bits << to.tile_bits,
                          static_cast<std::uint32_t>(to.first_term.size()),
                          static_cast<std::uint32_t>(to.entry_blocks.size()),
                          0,
                          {}};
    std::uint64_t numbered = 0;  // bits of the index that number the entries
    for (int bit = 0; bit < to.tile_bits; ++bit) {
        const BitSum what = group.of_bit[static_cast<std::size_t>(bit)];
        if (what == BitSum::sum) continue;
        entries.of_bit[entries.entry_bits++] = what;
        numbered |= std::uint64_t{1} << bit;
    }
    for (std::size_t entry = 0; entry < std::size_t{1} << entries.entry_bits; ++entry) {
        to.first_term.push_back(static_cast<std::uint32_t>(to.terms.size()));
        for (std::size_t k = 0; k < group.sums.size(); ++k)
            if (group.sums[k].entry == entry)
                to.terms.push_back({group.sums[k].value, group.sums[k].parity, coefficients[group.first + k].real(),
                                    coefficients[group.first + k].imag()});
    }
    for (std::uint64_t block = 0; block < std::uint64_t{1} << (to.tile_bits - to.lane_bits); ++block) {
        std::uint64_t number = 0;
        for (int bit = to.tile_bits - 1; bit >= to.lane_bits; --bit)
            if ((numbered >> bit & 1) != 0) number = 2 * number + (block >> (bit - to.lane_bits) & 1);
        to.entry_blocks.push_back(static_cast<std::uint16_t>(number));
    }
    to.groups.push_back(entries);
}

}  // namespace

FlipProducts lay_out(const FlipTerms& terms, int row_bits, int lane_bits) {
    FlipProducts all;
    all.tile_bits = std::min(row_bits, max_flip_tile_bits);
    all.lane_bits = lane_bits;
    for (const FlipGroup& group : terms.groups())
        append_entries(tiled(group, all.tile_bits, lane_bits, BitSum::both), terms.coefficients().data(), all);
    all.first_term.push_back(static_cast<std::uint32_t>(all.terms.size()));
    return all;
}

ProductCounts count_products(const FlipTerms& terms, const StateLayout& layout, int own_bits, std::uint64_t slab_rows) {
    std::set<std::uint64_t> sent, partners;  // flips above the bits of a slab, and of ranks
    for (const FlipGroup& group : terms.groups()) {
        if (group.flip >> own_bits == 0) continue;
        sent.insert((group.flip >> layout.row_bits) / slab_rows);
        partners.insert(group.flip >> own_bits);
    }
    return {terms.groups().size(), static_cast<double>(sent.size()), partners.size(),
            lay_out(terms, layout.row_bits, layout.lane_bits).bytes()};
}

ProductLayout::ProductLayout(const std::vector<FlipGroup>& groups, int row_bits, int own_bits, int bits, int slab_bits)
    : tile_bits_(std::min(row_bits, max_flip_tile_bits)),
      block_bits_(std::min(row_bits, max_block_bits)),
      slab_bits_(std::max(block_bits_, std::min(slab_bits, own_bits - (own_bits < bits ? 1 : 0)))),
      own_bits_(own_bits),
      slabs_(1) {
    for (const FlipGroup& group : groups) {
        batches_[group.flip >> slab_bits_].push_back(tiled(group, tile_bits_, sum_lane_bits, BitSum::difference));
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
