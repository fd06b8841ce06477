// SPDX-License-Identifier: BSD-3-Clause
// Construction of the tables. A result is divided into tiles of nearly equal numbers of rows: 88 rows into 44 and 44,
// not into 64 and 24.
#include "superblock/device_plan.hpp"

#include <algorithm>
#include <functional>

#include "superblock/patch_copies.hpp"

namespace strata::superblock {
namespace {

using kronecker::strip_rows, kronecker::tile_columns, kronecker::tile_rows;

/// Divides a result of `rows` x `columns` into tiles; all other members are those of `tile`.
void cut(Tile tile, std::uint64_t rows, std::uint64_t columns, std::vector<Tile>& tiles) {
    const std::uint64_t parts = (rows + tile_rows - 1) / tile_rows;
    for (std::uint64_t column = 0; column < columns; column += tile_columns)
        for (std::uint64_t part = 0; part < parts; ++part) {
            tile.rows = equal_part(rows, parts, part);
            tile.columns = {column, std::min(column + tile_columns, columns)};
            tiles.push_back(tile);
        }
}

/// Multiply-adds of a tile, whose rows are computed in whole strips.
std::uint64_t cost(const Tile& tile, const std::vector<TileProduct>& products) {
    std::uint64_t depth = 1;
    for (std::uint64_t p = tile.products.first; p < tile.products.last; ++p) depth += products[p].depth;
    return (tile.rows.size() + strip_rows - 1) / strip_rows * strip_rows * tile.columns.size() * depth;
}

/// Sorts by descending cost. The sort is stable, so that tiles of equal cost, which share operands, remain adjacent.
void sort_by_cost(std::vector<Tile>& tiles, const std::vector<TileProduct>& products) {
    std::ranges::stable_sort(tiles, std::greater(), [&](const Tile& tile) { return cost(tile, products); });
}

}  // namespace

DevicePlan::DevicePlan(const Target& target, const Range& columns) {
    place_patches(target, columns);
    for (std::size_t term = 0; term < target.terms.size(); ++term) {
        const Term& t = target.terms[term];
        add_block(target, term, Orientation::as_listed, target.layout.part_of(t.i, columns));
        if (!t.diagonal()) add_block(target, term, Orientation::transposed, target.layout.part_of(t.j, columns));
    }
    make_left_tiles();
    make_result_tiles(target, columns);
    for (std::vector<Tile>* tiles : {&own_tiles_, &gathered_tiles_, &result_tiles_}) sort_by_cost(*tiles, products_);
}

/// Assigns positions to the patches that are read: in the rank's own part of the vector, or in gathered memory.
void DevicePlan::place_patches(const Target& target, const Range& columns) {
    const PatchLayout& layout = target.layout;
    const Range own = {layout.element_of(columns.first), layout.element_of(columns.last)};
    patches_.resize(layout.size());
    for (const std::size_t i : patches_read(target, columns)) {
        const Range elements = layout.elements_of(i);
        const bool is_own = elements.first >= own.first && elements.last <= own.last;
        patches_[i] = {is_own ? Source::own : Source::gathered, is_own ? elements.first - own.first : gathered_reals_,
                       layout[i].r, 1};
        if (is_own) continue;
        gathered_.push_back(elements);
        gathered_reals_ += elements.size();
    }
}

/// Appends one direction of a term and reserves its memory in the pool and the scratch memory.
void DevicePlan::add_block(const Target& target, std::size_t term, Orientation orientation, const Range& own) {
    if (own.empty()) return;
    const Term& t = target.terms[term];
    const bool listed = orientation == Orientation::as_listed;
    DeviceBlock block;
    block.term = term;
    block.orientation = orientation;
    block.to = listed ? t.i : t.j;
    block.from = listed ? t.j : t.i;
    block.shape = {target.layout[block.to], target.layout[block.from], t.operators, t.left, t.right};
    block.own = own;
    block.left = pool_reals_;
    block.right = block.left + block.left_reals();
    block.intermediate = scratch_reals_;
    pool_reals_ = block.right + block.right_reals();
    scratch_reals_ += block.intermediate_reals();
    blocks_.push_back(block);
}

/// V is a matrix of r_from rows q and K l columns (k, a), stored row by row.
void DevicePlan::make_left_tiles() {
    for (const DeviceBlock& b : blocks_) {
        if (!b.has_left()) continue;
        const std::uint64_t width = b.shape.operators * b.own.size();
        Tile tile;
        tile.products = {products_.size(), products_.size() + 1};
        tile.first = b.intermediate;
        tile.row_stride = width;
        products_.push_back({patches_[b.from], {Source::operators, b.left, width, 1}, b.shape.from.l});
        cut(tile, b.shape.from.r, width, patches_[b.from].source == Source::own ? own_tiles_ : gathered_tiles_);
    }
}

/// Appends the products that a block adds to this rank's columns of Y_to.
void DevicePlan::add_products(const Target& target, const DeviceBlock& b, std::vector<TileProduct>& products) const {
    const std::vector<PatchCopy>& listed = target.terms[b.term].copies;
    if (!listed.empty()) {
        for (const PatchCopy& c : listed)
            products.push_back(copy_of(b, b.orientation == Orientation::as_listed ? c : transposed(c)));
        return;
    }
    TileProduct product;
    product.columns = {Source::scratch, b.intermediate, b.own.size(), 1};
    if (!b.has_left()) {
        const Operand& x = patches_[b.from];
        product.columns = {x.source, x.first + b.own.first * b.shape.from.r, 1, b.shape.from.r};
    }
    if (b.has_right()) {
        product.rows = {Source::operators, b.right, b.shape.to.r, 1};
        product.depth = b.shape.operators * b.shape.from.r;
    }
    product.copied_rows = {0, b.shape.to.r};
    product.copied_columns = {0, b.own.size()};
    products.push_back(product);
}

/// Element (p, a) of the copy, a counted from the first own column, is element (p + rows, a + columns) of X.
TileProduct DevicePlan::copy_of(const DeviceBlock& b, const PatchCopy& copy) const {
    const Operand& x = patches_[b.from];
    const std::uint64_t rows = copy.from_row - copy.to.rows.first,
                        columns = copy.from_column + b.own.first - copy.to.columns.first;
    const auto own_column = [&](std::uint64_t column) {
        return std::clamp(column, b.own.first, b.own.last) - b.own.first;
    };
    TileProduct product;
    product.columns = {x.source, x.first + rows + columns * b.shape.from.r, 1, b.shape.from.r};
    product.copied_rows = copy.to.rows;
    product.copied_columns = {own_column(copy.to.columns.first), own_column(copy.to.columns.last)};
    product.factor = copy.factor;
    return product;
}

/// Makes a result of this rank's columns of each patch; the products of its blocks keep the order of blocks.
void DevicePlan::make_result_tiles(const Target& target, const Range& columns) {
    const PatchLayout& layout = target.layout;
    std::vector<std::vector<TileProduct>> of_patch(layout.size());
    for (const DeviceBlock& b : blocks_) add_products(target, b, of_patch[b.to]);
    for (std::size_t i = 0; i < layout.size(); ++i) {
        const Range own = layout.part_of(i, columns);
        if (own.empty() || of_patch[i].empty()) continue;
        Tile tile;
        tile.products = {products_.size(), products_.size() + of_patch[i].size()};
        tile.first = layout.elements_of(i).first + own.first * layout[i].r - layout.element_of(columns.first);
        tile.column_stride = layout[i].r;
        products_.insert(products_.end(), of_patch[i].begin(), of_patch[i].end());
        cut(tile, layout[i].r, own.size(), result_tiles_);
    }
}

}  // namespace strata::superblock
