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

#include "strata/fixed_point_sum.hpp"
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

/// Scalar product of x with y, or the sum of x if y is null.
template <class Real>
struct DotPair {
    const Real *x = nullptr, *y = nullptr;
};

/// All kernels are queued and return at once; all pointers are to device memory. Bytes per element of double precision:
/// advance 32, combine 24, dots 16 per pair, draw 8, rotate 8 (count + kept) and as many in its scratch memory.
template <class Real>
struct DeviceKernels {
    /// Computes all tiles with at most `blocks` blocks of threads, each of which computes one tile after another.
    void (*multiply)(const Queue<Cuda>&, const TileProduct* products, const Tile* tiles, std::uint64_t count,
                     unsigned blocks, const TileMemory<Real>&);
    /// w := scale w + part v, v := beta v.
    void (*advance)(const Queue<Cuda>&, std::uint64_t size, Real scale, Real part, Real beta, Real* v, Real* w);
    /// x[e] := random number of element first + e.
    void (*draw)(const Queue<Cuda>&, std::uint64_t seed, std::uint64_t stream, std::uint64_t first, std::uint64_t size,
                 Real* x);
    /// out := a x + b y, unless out is null, and sums[column] := |a x + b y|^2 of each column, unless sums is null.
    /// Column i has the elements begin[i] ... begin[i + 1] - 1.
    void (*combine)(const Queue<Cuda>&, const std::uint64_t* begin, std::uint64_t columns, Real a, const Real* x,
                    Real b, const Real* y, Real* out, double* sums);
    /// sums[i * columns + column] := scalar product i of each column.
    void (*dots)(const Queue<Cuda>&, const std::uint64_t* begin, std::uint64_t columns, const DotPair<Real>* pairs,
                 std::uint64_t count, double* sums);
    /// x := x - sum_i c[i] basis[i], in the order of i.
    void (*subtract)(const Queue<Cuda>&, std::uint64_t size, const Real* const* basis, const double* c,
                     std::uint64_t count, Real* x);
    /// basis[j] := sum_i c[j * count + i] basis[i] for j < kept. `scratch`: rotate_scratch_reals(count, size) reals.
    void (*rotate)(const Queue<Cuda>&, std::uint64_t size, Real* const* basis, std::uint64_t count, const double* c,
                   std::uint64_t kept, Real* scratch);
};

/// Number of elements that are rotated at the same time.
inline constexpr std::uint64_t rotated_together = std::uint64_t{1} << 16;
constexpr std::uint64_t rotate_scratch_reals(std::uint64_t count, std::uint64_t size) {
    return count * (size < rotated_together ? size : rotated_together);
}

template <class Real>
const DeviceKernels<Real>& device_kernels();

/// Functions of `width` sums i of the numbers values[i * columns + column]: the largest finite magnitude of the addends
/// of each sum, and the sums of the addends times `factor`, which are exact and therefore do not depend on the order.
void device_largest(const Queue<Cuda>&, const double* values, std::uint64_t columns, std::uint64_t width,
                    double* largest);
void device_exact_sums(const Queue<Cuda>&, const double* values, std::uint64_t columns, std::uint64_t width,
                       double factor, FixedPointSum* sums);

}  // namespace strata::kronecker
