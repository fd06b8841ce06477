// SPDX-License-Identifier: BSD-3-Clause
// Diagonal gates of the evolution, exp(-i E(k)), and their tables. E is the sum of fields and couplings of spins in the
// z basis, whatever axis they belong to in the Hamiltonian. Nothing of the size of the state is stored: the factor of
// an amplitude is a product of three numbers from small tables.
//
// A pass transforms the `inner` bits of a tile and leaves the `outer` ones fixed (within rows: outer = row; across
// rows: outer = block of a row). The inner bits are the lanes and the bits of the tile's block index, which are divided
// into q, m and u:
//
//     inner bits, lowest first:   lanes | q | m | u       k = m q: the low bits of the block index, u: its R top bits
//
//     factor(lane, k, u; outer) = P[k][lane] * V[u][q][lane] * C[u][m]
//
// P: fields of lanes and k, couplings among them. V: couplings of u with lanes and q. C: fields of u, couplings of u
// with u and m. Couplings to outer bits act as fields on the inner ones; they enter V and C once for every tile.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "strata/buffer.hpp"

namespace strata::trotter {

/// Index of the pair j < k among all pairs, and number of pairs.
constexpr std::size_t pair_index(int j, int k) { return static_cast<std::size_t>(k) * (k - 1) / 2 + j; }

constexpr std::size_t pair_count(int spins) { return pair_index(0, spins); }

/// exp(-i (sum_j field[j] s_j + sum_{j<k} coupling[pair_index(j, k)] s_j s_k)) with s_j = 1/2 - (bit j). Angles in
/// radians.
struct Diagonal {
    explicit Diagonal(int spins = 0) : field(spins), coupling(pair_count(spins)) {}

    std::vector<double> field, coupling;

    int spins() const { return static_cast<int>(field.size()); }
    double angle(int j, int k) const { return j < k ? coupling[pair_index(j, k)] : coupling[pair_index(k, j)]; }
    friend bool operator==(const Diagonal&, const Diagonal&) = default;
};

/// Energies of the fields of `bits` and of the couplings among them, [state of `bits`, the first one lowest]. In the
/// second form `field` is scratch memory of half the size.
std::vector<double> energies(const Diagonal& d, const std::vector<int>& bits);
void energies(const Diagonal& d, const std::vector<int>& bits, double* energy, double* field);

/// Bits of the tiles of a pass.
struct TileBits {
    int lanes = 3;                  ///< the lowest bits, in every pass
    std::vector<int> block, outer;  ///< bits of the block index, and of the tile's number, lowest first
    int top = 0;                    ///< R: bits of u, the highest ones of `block`

    int low() const { return static_cast<int>(block.size()) - top; }  ///< bits of k
    int q() const { return low() < 3 ? low() : 3; }
    int m() const { return low() - q(); }
    int inner() const { return lanes + static_cast<int>(block.size()); }
};

/// Tables of one diagonal as kernels read them. Complex vectors are [re lanes][im lanes].
template <class Real>
struct DiagonalView {
    int lanes, low, q, m, top;
    const Real* p;        ///< [k] complex vectors
    const Real* v;        ///< [u][q] complex vectors
    const double* c;      ///< [u][m] complex numbers
    const double* flip;   ///< [outer][inner bit] factor of an amplitude whose bit is 1 instead of 0, by outer couplings
    const double* outer;  ///< [outer] factor of the tile, with the scale of the transforms
};

/// Tables of a diagonal, computed in doubles.
template <class Real>
class DiagonalTables {
  public:
    explicit DiagonalTables(const TileBits& bits);
    DiagonalTables(const Diagonal& diagonal, const TileBits& bits, std::complex<double> scale) : DiagonalTables(bits) {
        set(diagonal, scale);
    }
    /// Computes the tables of another diagonal, with all factors multiplied by `scale`. Allocates nothing.
    void set(const Diagonal& diagonal, std::complex<double> scale);

    DiagonalView<Real> view() const;
    static std::uint64_t bytes(const TileBits& bits);

  private:
    void set_inner(const Diagonal& d);
    void set_top(const Diagonal& d);
    void set_outer(const Diagonal& d, std::complex<double> scale);

    TileBits bits_;
    std::vector<int> lanes_q_, lanes_k_, m_, u_;  ///< spins
    Buffer<Real> p_, v_;
    Buffer<double> c_, flip_, outer_;
    Buffer<double> energy_, field_;  ///< scratch
};

}  // namespace strata::trotter
