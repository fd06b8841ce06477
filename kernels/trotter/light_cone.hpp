// SPDX-License-Identifier: BSD-3-Clause
// Light-cone passes (temporal blocking inside the light cone) for spins with couplings between neighbours on a ring or
// an open chain: two passes over memory per step of second order instead of four. A coupling of layer n may be applied
// as soon as both of its spins have been transformed n times. A pass therefore applies more than one layer to the spins
// of its window, as far as they do not depend on spins outside. With N spins in rows of 2^a amplitudes the windows
// share the spins 0 and a-1:
//
//     window within a row:   spins 0, 1 ... a-1              inner spins: 1 ... a-2
//     window across rows:    spins a-1, a ... N-1, and 0     inner spins: a ... N-1
//
// In a sequence D_0 W D_1 W D_2 ... of diagonals and transforms of all spins (layers.hpp), pass p on window X does
//
//     W(inner)  D_{2p-1} on X  W(X)  D_2p  W(X)  D_{2p+1} on X  W(inner),
//
// the leftmost first, with even p within rows and odd p across rows. "D on X" has the couplings between spins of X, and
// the fields of the inner spins within a row, of all spins of X across rows: the two windows together have every term
// once. The first pass begins with D_0 and the last one ends with the last diagonal.
//
// Spins of a set M that are not coupled to each other need no transform before and after a diagonal: with their angle
// f_j = (field + couplings to spins outside of M) / 2,
//
//     W(M) D W(M) = (terms without M) * product over M of cos(f_j) (1 - i tan(f_j) X_j),
//
// one fused multiply-add per real number and spin. The block bits of a window (the bits of a tile's block index) fall
// into three sets: `low`, and a series of neighbouring spins that belong alternately to `top`, which is rotated by
// D_{2p-1} and D_{2p+1} in this way, and to `mid`, which is rotated by D_2p.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "kernels/trotter/diagonal.hpp"
#include "kernels/trotter/state_layout.hpp"

namespace strata::trotter {

/// Bits of the tiles of a window.
struct Window {
    static constexpr int max_low_bits = 8, max_mid_bits = 4, max_top_bits = 4;

    bool within_row = true;
    int lane_bits = 3;
    std::vector<int> low, mid, top;  ///< spins of the block bits; the last one of `low` is the spin a-1
    std::vector<int> outer;          ///< spins of the number of a tile, lowest first

    /// Lane bits that are spins of the window; the others are idle.
    std::vector<int> lanes() const;
    /// Number of all N spins: lanes, block bits and outer spins.
    int all_spins() const { return lane_bits + block_bits() + static_cast<int>(outer.size()); }
    /// Number of spins of the window, and number of its block bits.
    int spins() const { return static_cast<int>(lanes().size() + low.size() + mid.size() + top.size()); }
    int block_bits() const { return static_cast<int>(low.size() + mid.size() + top.size()); }
};

/// Version of the division of a window's spins into its sets, on which the last bits of amplitudes depend.
constexpr std::uint64_t window_version = 2;

/// Whether a layout has windows; and whether, in addition, all nonzero couplings join neighbours on the ring.
bool has_windows(const StateLayout& layout);
bool served_by_windows(const StateLayout& layout, const std::vector<double>& coupling);

/// Windows within a row and across rows, for a layout that has windows.
Window row_window(const StateLayout& layout);
Window column_window(const StateLayout& layout);

/// Tables of the terms of a diagonal that belong to a window, as kernels read them. Complex vectors are [re lanes][im
/// lanes].
template <class Real>
struct PartialView {
    const Real* factor = nullptr;   ///< [mid][low] complex vectors: terms without `top`, times the cosines of `top`
    const Real* tangent = nullptr;  ///< [mid][low][top bit] tan(f)
};

/// Tables of a whole diagonal, as kernels read them.
template <class Real>
struct FullView {
    const Real* lanes = nullptr;    ///< [low] complex vectors: terms of lanes and `low`
    const Real* scalar = nullptr;   ///< [top][low] complex numbers: terms of `top`, times the cosines of `mid`
    const Real* tangent = nullptr;  ///< [top][low][mid bit] tan(f)
    const double* flip =
        nullptr;  ///< [outer][lane bit, then low bit] factor of a set bit, from couplings to outer spins
    const double* outer = nullptr;  ///< [outer] factor of the tile, with the scale of the transforms
};

template <class Real>
class PartialTables {
  public:
    explicit PartialTables(const Window& window);
    /// Computes the tables of another diagonal. Allocates nothing.
    void set(const Diagonal& diagonal);
    PartialView<Real> view() const { return {factor_.data(), tangent_.data()}; }
    static std::uint64_t bytes(const Window& window);

  private:
    void set_part(const Diagonal& diagonal);

    Window window_;
    std::vector<int> spins_, k_, lanes_k_;  ///< spins of the window; of k = `low`, `mid`; of lanes and k
    Diagonal part_;                         ///< terms of the diagonal that belong to the window
    Buffer<Real> factor_, tangent_;
    Buffer<double> energy_, field_;  ///< scratch of set()
};

template <class Real>
class FullTables {
  public:
    explicit FullTables(const Window& window);
    /// Computes the tables of another diagonal, with all factors multiplied by `scale`. Allocates nothing.
    void set(const Diagonal& diagonal, std::complex<double> scale);
    FullView<Real> view() const {
        return {lanes_.data(), scalar_.data(), tangent_.data(), flip_.data(), outer_.data()};
    }
    static std::uint64_t bytes(const Window& window);

  private:
    void set_inner(const Diagonal& diagonal);
    void set_outer(const Diagonal& diagonal, std::complex<double> scale);

    Window window_;
    std::vector<int> inner_, low_top_;  ///< lanes and `low`; `low` and `top`
    Buffer<Real> lanes_, scalar_, tangent_;
    Buffer<double> flip_, outer_;
    Buffer<double> energy_, field_;  ///< scratch of set()
};

/// A pass over tiles. Block i of tile t lies at first + t * tile_stride + (t >> 7) * tile_gap plus the offsets of the
/// bits of i that are set. Bytes per amplitude (double): 32. Operations per amplitude and step of second order on N =
/// 24 spins: 24 instructions of 8 doubles for every 8 amplitudes, transforms and diagonals together, against 33 in four
/// passes.
template <class Real>
struct LightConePass {
    const Window* window = nullptr;
    Real* first = nullptr;
    const std::uint64_t* offsets = nullptr;  ///< reals, [block bit: low, then mid, then top]
    std::uint64_t tile_stride = 0, tile_gap = 0;
    PartialView<Real> before, after;  ///< D_{2p-1}, D_{2p+1}; a pass begins or ends with D_2p if its table is null
    FullView<Real> full;
    std::uint64_t first_outer = 0;  ///< outer index of tile 0
};

/// Offsets of the block bits of a window in reals, [low, mid, top], for a state whose rows lie in slabs of 2^slab_bits
/// rows, `slab_reals` apart; and for packed columns of all rows, with a distance of `row_reals` between rows and an
/// offset of `half_reals` for the bit a-1.
std::vector<std::uint64_t> bit_offsets(const Window& window, const StateLayout& layout, int slab_bits,
                                       std::uint64_t slab_reals);
std::vector<std::uint64_t> bit_offsets(const Window& column_window, const StateLayout& layout, std::uint64_t row_reals,
                                       std::uint64_t half_reals);

/// Half the number n of one-bit transforms that a pass leaves unnormalised; together they need the factor 2^(-n/2).
int unnormalised_transforms(const Window& window, bool before, bool after);

}  // namespace strata::trotter
