// SPDX-License-Identifier: BSD-3-Clause
// Computes all tiles of a phase by one launch. A block of threads computes one tile after another; for each product it
// advances along the depth in steps of 16, with the operands of a step in shared memory while those of the next step
// are loaded into registers:
//
//     columns ->   warp 0 (16) | warp 1 | warp 2 | warp 3        8 columns of a strip of 8 rows are one accumulator of
//     rows                                                       mma.m8n8k4: lane i holds row i / 4 and the columns
//     8 strips     16 accumulators of 8 x 8 in every warp        2 (i mod 4), 2 (i mod 4) + 1
//
// Without tensor cores for the type the same registers are summed by plain multiply-adds.
#include <cmath>

#include "kernels/kronecker/device_tiles.hpp"
#include "kernels/vectors/segments.hpp"
#include "strata/gpu.hpp"

namespace strata::kronecker::cuda {
namespace {

constexpr unsigned warps = 4, threads = 32 * warps;
constexpr unsigned step_depth = 16;
constexpr unsigned strips = tile_rows / strip_rows, groups = tile_columns / warps / 8;
/// Stride of the depth in shared memory, in items: 4 depths x 4 items lie in 16 different banks of doubles.
constexpr unsigned padded = tile_rows + 4;
/// Number of elements of an operand that a thread copies to shared memory per step.
constexpr unsigned per_thread = step_depth * tile_rows / threads;
static_assert(tile_rows == tile_columns);

/// Accumulators of a thread, [strip][group of 8 columns][column of the lane].
template <class Real>
using Sums = Real[strips][groups][2];

/// Adds one step; `rows` and `columns` are [depth][item] in shared memory from `begin` on. Depths are added in
/// ascending order.
template <class Real, class Shared>
__device__ void multiply_step(Sums<Real>& sums, const Shared& rows, const Shared& columns, unsigned begin,
                              unsigned used_strips) {
    const unsigned lane = threadIdx.x % 32, first_column = threadIdx.x / 32 * 8 * groups;
    if constexpr (gpu_tensor_cores && sizeof(Real) == sizeof(double)) {
        for (unsigned d = lane % 4; d < step_depth; d += 4) {
            double of_columns[groups];
            for (unsigned g = 0; g < groups; ++g)
                of_columns[g] = columns[begin + d * padded + first_column + 8 * g + lane / 4];
            for (unsigned s = 0; s < strips; s += 2) {
                if (s >= used_strips) continue;
                const unsigned item = begin + d * padded + 8 * s + lane / 4;
                const double of_upper = rows[item], of_lower = rows[item + 8];
                for (unsigned g = 0; g < groups; ++g)
                    gpu_tensor_multiply(sums[s][g], sums[s + 1][g], of_upper, of_lower, of_columns[g],
                                        s + 1 < used_strips);
            }
        }
    } else {
        for (unsigned d = 0; d < step_depth; ++d) {
            Real of_columns[groups][2];
            for (unsigned g = 0; g < groups; ++g)
                for (unsigned e = 0; e < 2; ++e)
                    of_columns[g][e] = columns[begin + d * padded + first_column + 8 * g + 2 * (lane % 4) + e];
            for (unsigned s = 0; s < strips; ++s) {
                if (s >= used_strips) continue;
                const Real of_row = rows[begin + d * padded + 8 * s + lane / 4];
                for (unsigned g = 0; g < groups; ++g)
                    for (unsigned e = 0; e < 2; ++e) sums[s][g][e] = std::fma(of_row, of_columns[g][e], sums[s][g][e]);
            }
        }
    }
}

/// Copy of an operand to shared memory through registers: a thread copies one item at every second depth.
template <class Real>
class OperandWalk {
  public:
    __device__ OperandWalk(const TileMemory<Real>& memory, const Operand& operand, const Range& items,
                           std::uint64_t depth)
        : stride_(thread_depths * operand.depth_stride),
          left_(threadIdx.x % tile_rows < items.size() ? static_cast<std::int64_t>(depth) - first_depth() : 0) {
        next_ = memory.sources[static_cast<unsigned>(operand.source)] + operand.first +
                (items.first + threadIdx.x % tile_rows) * operand.item_stride + first_depth() * operand.depth_stride;
    }

    /// Reads the next step into registers; 0 beyond the end of the operand.
    __device__ void read() {
        for (unsigned i = 0; i < per_thread; ++i) {
            element_[i] = left_ > 0 ? *next_ : Real(0);
            next_ += stride_;
            left_ -= thread_depths;
        }
    }
    template <class Shared>
    __device__ void put(Shared& shared, unsigned begin) const {
        for (unsigned i = 0; i < per_thread; ++i)
            shared[begin + (first_depth() + i * thread_depths) * padded + threadIdx.x % tile_rows] = element_[i];
    }

  private:
    static constexpr unsigned thread_depths = threads / tile_rows;
    __device__ static unsigned first_depth() { return threadIdx.x / static_cast<unsigned>(tile_rows); }

    const Real* next_;
    std::uint64_t stride_;
    std::int64_t left_;
    Real element_[per_thread];
};

/// Calls visit(strip, group, column of the lane, row, column) for the elements of a tile that this thread holds.
template <class Visit>
__device__ void for_elements(const Tile& tile, Visit visit) {
    const unsigned lane = threadIdx.x % 32, first_column = threadIdx.x / 32 * 8 * groups;
    for (unsigned s = 0; s < strips; ++s)
        for (unsigned g = 0; g < groups; ++g)
            for (unsigned e = 0; e < 2; ++e) {
                const std::uint64_t row = tile.rows.first + 8 * s + lane / 4,
                                    column = tile.columns.first + first_column + 8 * g + 2 * (lane % 4) + e;
                if (row < tile.rows.last && column < tile.columns.last) visit(s, g, e, row, column);
            }
}

template <class Real>
__device__ void add_copy(const Tile& tile, const TileProduct& copy, const TileMemory<Real>& memory) {
    const Operand& from = copy.columns;
    const Real* source = memory.sources[static_cast<unsigned>(from.source)];
    for_elements(tile, [&](unsigned, unsigned, unsigned, std::uint64_t row, std::uint64_t column) {
        if (!copy.copied_rows.contains(row) || !copy.copied_columns.contains(column)) return;
        Real& result = memory.result[tile.first + row * tile.row_stride + column * tile.column_stride];
        const Real value = source[from.first + row * from.depth_stride + column * from.item_stride];
        result = vectors::add_product(result, static_cast<Real>(copy.factor), value);
    });
}

template <class Real>
__global__ void __launch_bounds__(threads, tiles_per_processor)
    multiply_kernel(const TileProduct* products, const Tile* tiles, std::uint64_t count, TileMemory<Real> memory) {
    constexpr unsigned stage = step_depth * padded;
    GPU_SHARED(Real, rows, 2 * stage);
    GPU_SHARED(Real, columns, 2 * stage);
    for (std::uint64_t round = 0; round * gridDim.x < count; ++round) {
        // alternating direction: the block that took the largest tile in one round takes the smallest in the next
        const std::uint64_t turn = round % 2 == 0 ? blockIdx.x : gridDim.x - 1 - blockIdx.x;
        if (round * gridDim.x + turn >= count) continue;
        const Tile& tile = tiles[round * gridDim.x + turn];
        const auto used_strips = static_cast<unsigned>((tile.rows.size() + strip_rows - 1) / strip_rows);
        const bool has_columns = threadIdx.x / 32 * 8 * groups < tile.columns.size();
        for (std::uint64_t p = tile.products.first; p < tile.products.last; ++p) {
            const TileProduct& product = products[p];
            if (product.depth == 0) {
                add_copy(tile, product, memory);
                continue;
            }
            Sums<Real> sums = {};
            OperandWalk<Real> of_rows(memory, product.rows, tile.rows, product.depth);
            OperandWalk<Real> of_columns(memory, product.columns, tile.columns, product.depth);
            of_rows.read();
            of_columns.read();
            unsigned begin = 0;
            for (std::uint64_t d = 0; d < product.depth; d += step_depth, begin = stage - begin) {
                of_rows.put(rows, begin);
                of_columns.put(columns, begin);
                __syncthreads();  // the step before is finished; the next one overwrites its memory
                of_rows.read();
                of_columns.read();
                if (has_columns) multiply_step<Real>(sums, rows, columns, begin, used_strips);
            }
            __syncthreads();  // the next product writes the same shared memory
            for_elements(tile, [&](unsigned s, unsigned g, unsigned e, std::uint64_t row, std::uint64_t column) {
                Real& result = memory.result[tile.first + row * tile.row_stride + column * tile.column_stride];
                result = memory.add ? result + sums[s][g][e] : sums[s][g][e];
            });
        }
    }
}

}  // namespace

}  // namespace strata::kronecker::cuda

namespace strata::kronecker {

template <class Real>
void multiply_tiles(const Queue<Cuda>& queue, const TileProduct* products, const Tile* tiles, std::uint64_t count,
                    unsigned blocks, const TileMemory<Real>& memory) {
    const std::uint64_t grid = count < blocks ? count : blocks;
    gpu_launch(queue, {"multiply_tiles", dim3(static_cast<unsigned>(grid)), dim3(cuda::threads)},
               cuda::multiply_kernel<Real>, products, tiles, count, memory);
}
template void multiply_tiles(const Queue<Cuda>&, const TileProduct*, const Tile*, std::uint64_t, unsigned,
                             const TileMemory<double>&);
template void multiply_tiles(const Queue<Cuda>&, const TileProduct*, const Tile*, std::uint64_t, unsigned,
                             const TileMemory<float>&);

}  // namespace strata::kronecker
