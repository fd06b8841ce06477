// SPDX-License-Identifier: BSD-3-Clause
// The Hamiltonian as the kernels see it: lists of hops, 4 bytes each, and what the diagonal is made of.
#pragma once

#include <cstdint>

#include "kernels/lanczos/block_layout.hpp"

namespace strata::lanczos {

/// Rows of a hopping matrix: row r has the entries first[r] .. first[r + 1] - 1, each column << bits | amplitude class;
/// those from complex[r] on have amplitudes that are not real.
struct HoppingView {
    const std::uint64_t* first = nullptr;
    const std::uint64_t* complex = nullptr;
    const std::uint32_t* entries = nullptr;
    const double* re = nullptr;  ///< [class] of the amplitude, sign included
    const double* im = nullptr;
    int bits = 6;  ///< of the class
};

/// The bit strings of one spin component, or of one half of it.
struct ComponentView {
    std::uint64_t dim = 1;
    HoppingView hops;                      ///< [row] of all rows
    const double* diagonal = nullptr;      ///< [row] energy of the spin component alone
    const std::uint64_t* sites = nullptr;  ///< [row] occupied sites, one bit each
};

/// Interaction between the up and the down bit strings: sum_ij energy[i][j] n_up,i n_down,j.
struct CouplingView {
    int up_sites = 0, down_sites = 0;
    const double* energy = nullptr;  ///< [up site][down site]; null: none
    int chunk_bits = 1;              ///< down bit strings are looked up in chunks of so many sites
    int chunks = 0;
};

struct HamiltonianView {
    BlockLayout layout;
    ComponentView up, down;
    CouplingView coupling;
    HoppingView rows;  ///< H_up for this rank's rows; columns are places of local rows, counted from the first
    double shift = 0;  ///< subtracted from the diagonal
};

/// Hops amplitude by amplitude: class c has the pairs (row, column) first[c] .. first[c + 1] - 1. Where rows have few
/// entries each, this spares the branches at their ends.
struct PairView {
    std::uint32_t classes = 0;
    const std::uint64_t* first = nullptr;
    const std::uint32_t* rows = nullptr;
    const std::uint32_t* columns = nullptr;
    const double* re = nullptr;
    const double* im = nullptr;
};

/// Hops of particles between the sites of the up bit strings and those of the down bit strings, which lead from one subspace of
/// bit strings (`from`) to another: sum over s of S_s x B_s, where S_s has one entry, 1 or -1, in a row.
struct SubspaceHopsView {
    BlockLayout from, to;
    int sites = 0;                           ///< of the up bit strings that take part
    const std::uint32_t* sources = nullptr;  ///< [row of this rank][s]: place of the source row << 1 | minus, or none
    const HoppingView* hops = nullptr;       ///< [s] B_s: rows are down bit strings of `to`, columns those of `from`
    const PairView* pairs = nullptr;         ///< [s] the same, amplitude by amplitude

    static constexpr std::uint32_t none = ~std::uint32_t{0};
};

}  // namespace strata::lanczos
