// SPDX-License-Identifier: BSD-3-Clause
// The Hamiltonian as the kernels see it: views of hopping matrices and of the parts of the diagonal. Nothing here owns
// memory; the views point to host tables, or to copies of them in device memory (src/lanczos/device_tables.hpp).
#pragma once

#include <cstdint>

#include "kernels/lanczos/block_layout.hpp"

namespace strata::lanczos {

/// A sparse hopping matrix in rows: row r has the entries first[r] .. first[r + 1] - 1. An entry is 4 bytes, a column
/// and the class of an amplitude; there are few different amplitudes, which are kept once per class.
///
///     entry:  | column | class |       the lowest `bits` bits are the class
///     row:    | real amplitudes ... | complex[r]: amplitudes with an imaginary part ... |
struct HoppingView {
    const std::uint64_t* first = nullptr;
    const std::uint64_t* complex = nullptr;
    const std::uint32_t* entries = nullptr;
    const double* re = nullptr;  ///< [class] amplitude, sign included
    const double* im = nullptr;
    const std::uint32_t* element = nullptr;  ///< [class] of a symmetry group; null without symmetries
    int bits = 6;                            ///< width of the class in an entry

    constexpr std::uint32_t class_mask() const { return (1u << bits) - 1; }
};

/// The occupation bit strings of one tensor factor: of one spin component, or of one half of the lattice.
struct ComponentView {
    std::uint64_t dim = 1;
    HoppingView hops;                      ///< [row] hopping matrix of all bit strings
    const double* diagonal = nullptr;      ///< [row] energy without the interaction with the other factor
    const std::uint64_t* sites = nullptr;  ///< [row] occupation bit string, one bit per site
};

/// Interaction between the up and the down bit strings: sum_ij energy[i][j] n_up,i n_down,j.
struct CouplingView {
    int up_sites = 0, down_sites = 0;
    const double* energy = nullptr;  ///< [up site][down site]; null without interaction
    int chunk_bits = 1;              ///< sites per chunk; kernels look energies of down bit strings up chunk by chunk
    int chunks = 0;
};

/// Elements of a group that leave a row or a column unchanged, and the factors of its projection onto the sector.
struct StabiliserView {
    const std::uint64_t* first = nullptr;    ///< [row or orbit] empty where only the identity does
    const std::uint32_t* element = nullptr;  ///< [entry]
    const double* re = nullptr;              ///< [entry] sign, character and 1 / |stabiliser|
    const double* im = nullptr;

    constexpr bool empty(std::uint64_t i) const { return first[i] == first[i + 1]; }
};

/// How a symmetry group acts on the columns (h, o), images T_h of the representatives o of the down bit strings.
struct SymmetryView {
    std::uint32_t order = 0;  ///< 0 without symmetries
    /// [g][h] where the columns of g^-1 h, which a hop of spin up reads, begin in a row of a panel: in reals.
    const std::uint32_t* left = nullptr;
    /// [g][h] where those of h g, which a hop of spin down reads, begin in the transposed rows of an orbit: in reals.
    const std::uint32_t* right = nullptr;
    StabiliserView rows, columns;
};

/// The Hamiltonian within one subspace: H_up x 1 + 1 x H_down + diagonal.
struct HamiltonianView {
    BlockLayout layout;
    ComponentView up, down;
    CouplingView coupling;
    HoppingView rows;  ///< H_up for the rows of this rank; its columns are local indices (src/lanczos/row_plan.hpp)
    double shift = 0;  ///< subtracted from the diagonal
    /// In a sector of symmetries `up` has a row for every orbit; `down` has hops and diagonals for every orbit, and
    /// occupation bit strings for every column as it lies in memory.
    SymmetryView symmetry;
};

/// Most sites of one half of the lattice.
constexpr int max_half_sites = 32;

/// What the hops between the halves of the lattice do in the left half: D_j of left site j, whose entries are 1 or -1,
/// one in a row at most. They are pairs (row, column), sorted by parts of the rows, sites and signs: with n = 2 (part *
/// sites + j), the entries 1 are first[n] .. first[n + 1] - 1, and the entries -1 first[n + 1] .. first[n + 2] - 1.
struct LeftHopsView {
    std::uint32_t sites = 0;  ///< left sites
    std::uint64_t parts = 0;  ///< of part_rows rows, which stay in the first-level cache
    const std::uint64_t* first = nullptr;
    const std::uint32_t* rows = nullptr;
    const std::uint32_t* columns = nullptr;
    const double* re = nullptr;  ///< [s][left site] amplitude t_sj, 0 without a hop
    const double* im = nullptr;
    const std::uint64_t* partners = nullptr;  ///< [s] bit j: there is a hop

    static constexpr std::uint64_t part_rows = 128;
};

/// Hopping from subspace `from` to subspace `to`: a particle moves between a site of the up bit strings (right half of
/// the lattice) and one of the down bit strings (left half). The matrix is the sum over right sites s of S_s x B_s with
/// B_s = sum_j t_sj D_j, where a row of S_s has at most one entry, 1 or -1.
struct SubspaceHopsView {
    BlockLayout from, to;
    int sites = 0;  ///< number of right sites with such hops
    const std::uint32_t* sources =
        nullptr;                        ///< [row of this rank][s] local index of the source row << 1 | minus, or none
    const HoppingView* hops = nullptr;  ///< [s] B_s, from down bit strings of `from` to those of `to`, for devices
    LeftHopsView left;                  ///< for CPUs

    static constexpr std::uint32_t none = ~std::uint32_t{0};
};

}  // namespace strata::lanczos
