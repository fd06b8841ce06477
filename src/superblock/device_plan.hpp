// SPDX-License-Identifier: BSD-3-Clause
// The multiplication of a rank as tiles of matrix products (kernels/kronecker/device_tiles.hpp), made once on the host:
// positions of operators and intermediate products in memory, and tables of tiles. Operators are stored separately for
// each direction of a block, for the columns of the result that the rank owns; a direction is
//
//     scratch   V[q, k][a] = sum_c X_from(q, c) A_k(a, c)        A as [c][k][a]: a depth c has K l reals in a row
//     result    Y_to(p, a) += sum_(q,k) B_k(p, q) V[q, k][a]     B as [q][k][p]
//
// If A is the identity, the first line is omitted and V is X itself; if B is the identity, V is added to Y unchanged,
// like copies of parts of X. Other ranks' patches are gathered contiguously.
#pragma once

#include <vector>

#include "kernels/kronecker/device_tiles.hpp"
#include "superblock/multiply_plan.hpp"

namespace strata::superblock {

using kronecker::Operand, kronecker::Source, kronecker::Tile, kronecker::TileProduct;

/// One direction of a term, for the columns of Y_to that a rank owns.
struct DeviceBlock {
    std::size_t term = 0;
    Orientation orientation = Orientation::as_listed;
    std::size_t to = 0, from = 0;  ///< indices of patches
    BlockShape shape;
    Range own;                       ///< columns of Y_to, rows of A
    std::uint64_t left = 0;          ///< index of A in the pool, in reals
    std::uint64_t right = 0;         ///< index of B in the pool
    std::uint64_t intermediate = 0;  ///< index of V in the scratch memory, in reals

    bool has_left() const { return shape.left != Factor::identity; }
    bool has_right() const { return shape.right != Factor::identity; }
    std::uint64_t left_reals() const { return has_left() ? shape.operators * own.size() * shape.from.l : 0; }
    std::uint64_t right_reals() const { return has_right() ? shape.operators * shape.to.r * shape.from.r : 0; }
    std::uint64_t intermediate_reals() const { return has_left() ? shape.operators * own.size() * shape.from.r : 0; }
};

class DevicePlan {
  public:
    /// `columns`: columns of the vector that the rank owns.
    DevicePlan(const Target& target, const Range& columns);

    /// All blocks of the rank. Those of one patch Y_to have the order in which they are added (rank_blocks.hpp).
    const std::vector<DeviceBlock>& blocks() const { return blocks_; }
    std::uint64_t pool_reals() const { return pool_reals_; }
    std::uint64_t scratch_reals() const { return scratch_reals_; }
    /// Elements of the patches that are gathered, each as a whole, in the order of gathered memory.
    const std::vector<Range>& gathered() const { return gathered_; }
    std::uint64_t gathered_reals() const { return gathered_reals_; }

    const std::vector<TileProduct>& products() const { return products_; }
    /// Tiles of the three launches, each by descending cost: left phase from own patches, left phase from gathered
    /// patches, and right phase.
    const std::vector<Tile>& own_tiles() const { return own_tiles_; }
    const std::vector<Tile>& gathered_tiles() const { return gathered_tiles_; }
    const std::vector<Tile>& result_tiles() const { return result_tiles_; }
    std::uint64_t table_bytes() const {
        return sizeof(TileProduct) * products_.size() +
               sizeof(Tile) * (own_tiles_.size() + gathered_tiles_.size() + result_tiles_.size());
    }

  private:
    void place_patches(const Target& target, const Range& columns);
    void add_block(const Target& target, std::size_t term, Orientation orientation, const Range& own);
    void make_left_tiles();
    void add_products(const Target& target, const DeviceBlock& block, std::vector<TileProduct>& products) const;
    TileProduct copy_of(const DeviceBlock& block, const PatchCopy& copy) const;
    void make_result_tiles(const Target& target, const Range& columns);

    std::vector<DeviceBlock> blocks_;
    /// [patch] position of a patch that is read: element (q, c) is at first + q + r c.
    std::vector<Operand> patches_;
    std::vector<Range> gathered_;
    std::uint64_t pool_reals_ = 0, scratch_reals_ = 0, gathered_reals_ = 0;
    std::vector<TileProduct> products_;
    std::vector<Tile> own_tiles_, gathered_tiles_, result_tiles_;
};

}  // namespace strata::superblock
