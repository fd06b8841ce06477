// SPDX-License-Identifier: BSD-3-Clause
// Device kernels of the Kronecker multiply, for patch vectors laid out as on the host. Both phases of all blocks are
// sums of matrix products, cut into tiles of the result; one launch computes all tiles of a phase:
//
//     left     V[q, k][a] = sum_c X_J(q, c) A_k(a, c)                  one product per tile
//     right    Y_I(p, a) += sum_J sum_(q,k) B_k(p, q) V[q, k][a]       one product per block (I, J), in order
//
// A tile is summed by one block of threads in the order of the tables, so that a result has the same bits for any grid,
// order of the tiles or number of ranks. Every product is one chain of fused multiply-adds from zero per element, as in
// block_product.hpp, and then added: plain arithmetic gives the bits of the CPU; the chains of tensor cores may round
// differently.
#pragma once

#include <cstdint>

#include "strata/partition.hpp"
#include "strata/queue.hpp"

namespace strata::kronecker {

/// Rows and columns of the largest tile of a result; a strip is 8 rows of a tile.
inline constexpr std::uint64_t tile_rows = 64, tile_columns = 64, strip_rows = 8;
/// Blocks of threads that run on a multiprocessor at the same time.
inline constexpr unsigned tiles_per_processor = 3;

/// Memory that holds an operand.
enum class Source : std::uint32_t { operators, own, gathered, scratch };
inline constexpr std::size_t source_count = 4;

/// Factor of a product: element (d, i), where d is summed over, has the index first + d depth_stride + i item_stride in
/// its source.
struct Operand {
    Source source = Source::operators;
    std::uint64_t first = 0, depth_stride = 1, item_stride = 1;
};

/// Product sum_d rows(d, row) columns(d, column) over d < depth. With depth 0 it is a scaled copy instead: factor
/// columns(row, column), for copied_rows and copied_columns of the result (columns.first may then be negative, modulo
/// 2^64).
struct TileProduct {
    Operand rows, columns;
    std::uint64_t depth = 0;
    Range copied_rows = {}, copied_columns = {};
    double factor = 1;
};

/// Some rows and columns of a result that is the sum of `products`, a range of the table. Element (row, column) of the
/// result has the index first + row row_stride + column column_stride.
struct Tile {
    Range products, rows, columns;
    std::uint64_t first = 0, row_stride = 1, column_stride = 1;
};

/// Memory of the operands and of the result of a launch.
template <class Real>
struct TileMemory {
    const Real* sources[source_count] = {};  ///< [Source]
    Real* result = nullptr;
    bool add = false;  ///< whether the result is increased by the products
};

/// Computes all tiles with at most `blocks` blocks of threads, each of which computes one tile after another. Queued, and
/// returns at once; all pointers are to device memory.
template <class Real>
void multiply_tiles(const Queue<Cuda>&, const TileProduct* products, const Tile* tiles, std::uint64_t count,
                    unsigned blocks, const TileMemory<Real>&);

}  // namespace strata::kronecker
