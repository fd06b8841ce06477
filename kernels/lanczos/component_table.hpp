// SPDX-License-Identifier: BSD-3-Clause
// Hamiltonian as the kernels read it: views of hopping matrices and of the parts of the diagonal. Views own no memory;
// they point to host tables, or to copies of them in device memory (src/lanczos/state/device_tables.hpp).
#pragma once

#include <cstdint>

#include "kernels/lanczos/block_layout.hpp"
#include "kernels/lanczos/orbit_search.hpp"

namespace strata::lanczos {

/// Sparse hopping matrix in rows: row r has the entries first[r] .. first[r + 1] - 1. An entry has 4 bytes: a column
/// and the class of an amplitude; there are few different amplitudes, which are stored once per class.
///
///     entry:  | column | class |       the lowest `bits` bits are the class
///     row:    | real amplitudes ... | complex[r]: amplitudes with an imaginary part ... |
struct HoppingView {
    const std::uint64_t* first = nullptr;
    const std::uint64_t* complex = nullptr;
    const std::uint32_t* entries = nullptr;
    const double* re = nullptr;  ///< [class] amplitude, sign included
    const double* im = nullptr;
    const std::uint32_t* element = nullptr;  ///< [class] element g of the symmetry group; null without symmetries
    int bits = 6;                            ///< width of the class in an entry

    constexpr std::uint32_t class_mask() const { return (1u << bits) - 1; }
};

/// Occupation bit strings of one tensor factor: of one spin component, or of one half of the lattice.
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
    int chunk_bits = 1;              ///< sites per chunk; kernels tabulate energies chunk by chunk of the down sites
    int chunks = 0;
};

/// Elements of the group that leave a row or an orbit unchanged, and the factors of its projection onto the sector.
struct StabiliserView {
    const std::uint64_t* first = nullptr;    ///< [row or orbit] range of entries, empty if only the identity does
    const std::uint32_t* element = nullptr;  ///< [entry]
    const double* re = nullptr;              ///< [entry] sign, character and 1 / |stabiliser|
    const double* im = nullptr;

    constexpr bool empty(std::uint64_t i) const { return first[i] == first[i + 1]; }
};

/// Action of a symmetry group on the columns (h, o), images T_h of the representatives o of the down bit strings.
struct SymmetryView {
    std::uint32_t order = 0;  ///< 0 without symmetries
    /// [g][h] offset in reals, in a row of a panel, of the columns of g^-1 h, which a hop of spin up reads.
    const std::uint32_t* left = nullptr;
    /// [g][h] offset in reals, in the transposed rows of an orbit, of the columns of h g, which a hop of spin down
    /// reads.
    const std::uint32_t* right = nullptr;
    StabiliserView rows, columns;
    /// With one spin component, in place of `rows`: bit row % 64 of word row / 64 is set for rows that are 0.
    const std::uint64_t* vanishing = nullptr;
    /// [g][h] the sign, 1 or -1, of the columns that `left` and `right` lead to; null where all are 1. Device kernels take
    /// none.
    const double* left_sign = nullptr;
    const double* right_sign = nullptr;

    constexpr bool vanishes(std::uint64_t row) const { return (vanishing[row / 64] >> row % 64 & 1) != 0; }
};

/// Hamiltonian within one subspace: H_up x 1 + 1 x H_down + diagonal.
struct HamiltonianView {
    BlockLayout layout;
    ComponentView up, down;
    CouplingView coupling;
    HoppingView
        rows;  ///< H_up for the rows of this rank; its columns are local indices (src/lanczos/state/row_plan.hpp)
    double shift = 0;  ///< subtracted from the diagonal
    /// Symmetries of the sector. With them `up` has a row for every orbit; `down` has hops and diagonals for every
    /// orbit, and occupation bit strings for every column in the order of memory.
    SymmetryView symmetry;
    /// In place of `rows` where hops are computed in every step; null otherwise.
    const ComputedHopsView* computed = nullptr;
};

/// Largest number of sites of one half of the lattice.
constexpr int max_half_sites = 32;

/// Matrices D_j of the left sites j for hops between the halves of the lattice. Their entries are 1 or -1, at most one
/// in a row, stored as pairs (row, column), sorted by parts of the rows, sites and signs: with n = 2 (part * sites +
/// j), the entries 1 are first[n] .. first[n + 1] - 1, and the entries -1 first[n + 1] .. first[n + 2] - 1.
struct LeftHopsView {
    std::uint32_t sites = 0;  ///< number of left sites
    std::uint64_t parts = 0;  ///< parts of part_rows rows, which stay in the first-level cache
    const std::uint64_t* first = nullptr;
    const std::uint32_t* rows = nullptr;
    const std::uint32_t* columns = nullptr;
    const double* re = nullptr;  ///< [s][left site] amplitude t_sj, 0 without a hop
    const double* im = nullptr;
    const std::uint64_t* partners = nullptr;  ///< [s] bit j is set if there is a hop to left site j

    static constexpr std::uint64_t part_rows = 128;
};

/// Terms that lead from subspace `from` to subspace `to`, which may be the same: the sum over s of S_s x B_s, where a row
/// of S_s has at most one entry, 1 or -1, and B_s is any matrix. S_s is a product of operators on the up bit strings, and
/// B_s the sum of all that it is multiplied by (src/lanczos/physics/split_terms.hpp). Hopping between the halves of the
/// lattice has an S_s for every right site s, and B_s = sum_j t_sj D_j.
struct SubspaceHopsView {
    BlockLayout from, to;
    int sites = 0;  ///< number of S_s; right sites of hops between the halves
    const std::uint32_t* sources =
        nullptr;                        ///< [row of this rank][s] local index of the source row << 1 | minus, or none
    const HoppingView* hops = nullptr;  ///< [s] B_s, from down bit strings of `from` to those of `to`
    LeftHopsView left;  ///< D_j of hops between the halves, by which CPUs apply them; otherwise no sites

    static constexpr std::uint32_t none = ~std::uint32_t{0};
};

}  // namespace strata::lanczos
