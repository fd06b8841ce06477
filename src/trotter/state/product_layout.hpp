// SPDX-License-Identifier: BSD-3-Clause
// The order in which the amplitudes of a state are summed for expectation values of products (observed_products.hpp).
// A state is divided into blocks, and blocks into tiles, whose sizes follow from the job alone: sums over a block are
// added up tile by tile, and sums of blocks exactly, so that no result depends on ranks, threads and slabs. Amplitudes
// are read in slabs: for a group that flips bits above those of a slab, pairs of slabs are needed.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "kernels/trotter/flip_products.hpp"
#include "kernels/trotter/state_layout.hpp"
#include "trotter/physics/observed_products.hpp"

namespace strata::trotter {

/// A group of products with its sums over tiles.
struct TiledGroup {
    /// Place of a sum among the results of a tile, and what of F, V and P lies above the bits of a tile.
    struct Sum {
        std::size_t entry = 0;
        std::uint64_t value = 0, parity = 0;
    };
    std::uint64_t flip = 0;
    std::size_t first = 0;  ///< index of its first sum among those of all groups
    std::array<BitSum, max_flip_tile_bits> of_bit{};
    std::vector<Sum> sums;
};

/// The numbers from 0 to 2^bits - 1 in which the bit `zero` is 0; all of them if that bit is not among theirs.
struct HalfRange {
    std::uint64_t all, bit;

    HalfRange(int bits, std::uint64_t zero) : all(std::uint64_t{1} << bits), bit(zero < all ? zero : 0) {}
    std::uint64_t count() const { return bit != 0 ? all / 2 : all; }
    /// The n-th one.
    std::uint64_t operator[](std::uint64_t n) const { return bit != 0 ? ((n & ~(bit - 1)) << 1 | (n & (bit - 1))) : n; }
};

/// Tables of the products of H for rows of so many bits, in blocks of 2^lane_bits amplitudes.
FlipProducts lay_out(const FlipTerms& terms, int row_bits, int lane_bits);

/// What the products of H take.
struct ProductCounts {
    std::size_t groups = 0;      ///< sets of spins that they flip
    double sends = 0;            ///< times that a rank sends its part of a state in a product with H
    std::uint64_t partners = 0;  ///< ranks to which it sends
    std::uint64_t bytes = 0;     ///< of their tables
};
/// `own_bits`: of the amplitudes of a state that a rank has, of which so many rows are sent at a time.
ProductCounts count_products(const FlipTerms& terms, const StateLayout& layout, int own_bits, std::uint64_t slab_rows);

class ProductLayout {
  public:
    ProductLayout() = default;
    /// `row_bits`: those of the rows of a checkpoint, of which a rank has at least one; `own_bits`: of the amplitudes of
    /// a state that a rank has; `bits`: of a state; `slab_bits`: of the largest slab.
    ProductLayout(const std::vector<FlipGroup>& groups, int row_bits, int own_bits, int bits, int slab_bits);
    /// Several blocks for each thread, so that the slabs fit in the second-level caches together.
    static int default_slab_bits(int threads);

    int tile_bits() const { return tile_bits_; }
    int block_bits() const { return block_bits_; }
    int slab_bits() const { return slab_bits_; }
    int own_bits() const { return own_bits_; }
    /// Groups by the bits of F above those of a slab.
    const std::map<std::uint64_t, std::vector<TiledGroup>>& batches() const { return batches_; }
    /// Slabs in memory at once: one, two where groups flip bits above a slab, three where they flip bits of the ranks.
    int slabs() const { return slabs_; }
    /// Doubles of a thread for the results of a tile and the sums of a block, a multiple of a cache line.
    std::size_t scratch_doubles() const;
    /// Bytes on a rank, with the numbers of `products`.
    std::uint64_t bytes(int threads, std::uint64_t real_bytes, const ObservedProducts& products) const;
    /// Times that all ranks together read the state, and the part of it that a rank sends, in an observation.
    double reads() const;
    double sent_parts() const;

  private:
    int tile_bits_ = 0, block_bits_ = 0, slab_bits_ = 0, own_bits_ = 0, slabs_ = 0;
    std::size_t largest_group_ = 0;
    std::map<std::uint64_t, std::vector<TiledGroup>> batches_;
};

}  // namespace strata::trotter
