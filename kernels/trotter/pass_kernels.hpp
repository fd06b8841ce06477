// SPDX-License-Identifier: BSD-3-Clause
// One pass over the state of N spins 1/2 in memory: T D T on every tile, where T is the unnormalised Walsh-Hadamard
// transform of the tile's bits and D a diagonal gate. The XYZ Trotter-Suzuki scheme (A. Dente, C. Bederian, P. Zangara,
// H. Pastawski, GPU accelerated Trotter-Suzuki solver for quantum spin dynamics) needs four of them per step of second
// order, because every change of basis is a Walsh-Hadamard transform and a diagonal (src/trotter/physics/layers.hpp).
//
// Bytes per amplitude (double): 32, the state read and written. Operations per amplitude: 4 b for the transforms of b
// bits (additions of re and im, before and after), 18 for the phase: two products to compute it and one to apply it.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/trotter/diagonal.hpp"
#include "kernels/trotter/energies.hpp"
#include "kernels/trotter/flip_products.hpp"
#include "kernels/trotter/flip_sums.hpp"
#include "kernels/trotter/light_cone.hpp"
#include "kernels/trotter/random_state.hpp"
#include "kernels/trotter/state_layout.hpp"

namespace strata::trotter {

/// Addresses of the blocks of a pass. Tile t has 2^block_bits blocks; block i lies in slab s = i >> slab_bits at
///
///     slabs[s] + i' * stride + (i' >> 7) * gap + t * tile_stride + (t >> 7) * tile_gap,    i' = i mod 2^slab_bits.
template <class Real>
struct TileBlocks {
    Real* const* slabs = nullptr;
    int slab_bits = 0, block_bits = 0;
    std::uint64_t stride = 0, gap = 0, tile_stride = 0, tile_gap = 0;  ///< reals

    Real* block(std::uint64_t tile, std::uint64_t i) const {
        const std::uint64_t within = i & ((std::uint64_t{1} << slab_bits) - 1);
        return slabs[i >> slab_bits] + within * stride + (within >> StateLayout::group_bits) * gap +
               tile * tile_stride + (tile >> StateLayout::group_bits) * tile_gap;
    }
};

/// Largest number of bits of the block index of a tile.
constexpr int max_tile_block_bits = 15;

enum class Lanes { transformed, kept };

template <class Real>
struct Pass {
    TileBlocks<Real> blocks;
    Lanes lanes = Lanes::kept;         ///< whether T acts on the lane bits too
    bool before = true, after = true;  ///< whether T acts before and after D
    DiagonalView<Real> diagonal;
    std::uint64_t first_outer = 0;  ///< outer index of tile 0
};

/// Tiles of a pass within rows: every row is a tile. `rows`: pointer to the address of the first row.
template <class Real>
TileBlocks<Real> row_tiles(const StateLayout& layout, Real* const* rows) {
    const int block_bits = layout.row_bits - layout.lane_bits;
    const std::uint64_t block = layout.block_reals();
    return {rows, block_bits, block_bits, block, block, layout.row_stride() * block, layout.row_gap()};
}

/// Tiles of a pass across rows: every block of a row, with the same block of all other rows, is a tile. Slab s holds
/// 2^slab_bits rows.
template <class Real>
TileBlocks<Real> column_tiles(const StateLayout& layout, Real* const* slabs, int slab_bits) {
    const std::uint64_t block = layout.block_reals();
    return {slabs, slab_bits, layout.spins - layout.row_bits, layout.row_stride() * block, layout.row_gap(),
            block, block};
}

/// Sums of |psi|^2 over the amplitudes of one row, from which all expectation values of products of up to two S^z
/// follow. With p(x) the probability of state x of the row's a bits and s = +-1 for bit 0, 1:
struct RowSums {
    /// Number of sums: sum p at [0], sum p s_j at [1 + j], sum p s_j s_k at [1 + a + pair_index(j, k)], then a + 1 sums
    /// of p over the states with n bits set, n = 0..a, then sum p^2.
    static std::uint64_t width(int row_bits) {
        const auto a = static_cast<std::uint64_t>(row_bits);
        return 1 + a + a * (a - 1) / 2 + (a + 1) + 1;
    }
};

/// Kernels of one instruction set.
template <class Real>
struct PassKernels {
    std::string_view name;
    void (*pass)(const Pass<Real>&, Range tiles);
    void (*light_cone_pass)(const LightConePass<Real>&, Range tiles);
    /// Writes out[row * width + i] for `rows` rows, as in RowSums. `scratch`: [thread][scratch_doubles], with
    /// scratch_doubles >= row_amplitudes().
    void (*row_sums)(const StateLayout&, const Real* state, std::uint64_t rows, double* out, double* scratch,
                     std::uint64_t scratch_doubles);
    /// Multiplies `rows` rows by a factor.
    void (*scale)(const StateLayout&, Real* state, std::uint64_t rows, double factor);
    /// Sums of rows of two states (energies.hpp): `rows` are numbered within the state, the pointers are to the first
    /// of them.
    void (*add_energies)(const StateLayout&, const EnergyView&, Range rows, const EnergySum&, const Real* from,
                         Real* to);
    void (*combine)(const StateLayout&, std::uint64_t rows, double re, double im, double c, const Real* from, Real* to);
    /// Adds the contribution of one block of amplitudes to some tiles of a density matrix (density_tiles.hpp).
    void (*add_density)(const double* panels, std::uint64_t count, Range tiles, double* out);
    /// Writes the sums over a tile (flip_sums.hpp) to re and im, aligned to 64 bytes, with space for 2^bits doubles each;
    /// im is overwritten, too, where all sums are real.
    void (*flip_sums)(const FlipTile<Real>&, double* re, double* im);
    /// Adds a times products (flip_products.hpp) of some groups to rows of `to`, a power of two of them, numbered
    /// within the state; `from` points to the row that the bits of F above these rows make of the first one.
    void (*add_products)(const StateLayout&, const FlipProductsView&, Range groups, Range rows, double a,
                         const Real* from, Real* to);
    FillRandom fill_random;
};

/// Variants that this processor can run, the fastest first; the last one is "portable".
template <class Real>
const std::vector<PassKernels<Real>>& pass_variants();

/// Bits of the tiles of passes within rows and across rows. `top_bits`: number of bits of u, if the tile has so many
/// and the tables can hold the others; 0: as many as leave 128 blocks below them.
TileBits row_bits(const StateLayout& layout, int top_bits = 0);
TileBits column_bits(const StateLayout& layout, int top_bits = 0);

}  // namespace strata::trotter
