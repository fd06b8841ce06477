// SPDX-License-Identifier: BSD-3-Clause
// The Hamiltonian as the kernels see it: a list of hops per species, 4 bytes each, and what the diagonal is made of.
#pragma once

#include <cstdint>

#include "kernels/lanczos/block_layout.hpp"

namespace strata::lanczos {

constexpr unsigned amplitude_bits = 6, most_amplitudes = 1u << amplitude_bits;

/// Rows of one species' hopping matrix: row r has the entries first[r] .. first[r + 1] - 1, each
/// column << amplitude_bits | amplitude class; those from complex[r] on have amplitudes that are not real.
struct SpeciesView {
    std::uint64_t dim = 1;
    const std::uint64_t* first = nullptr;
    const std::uint64_t* complex = nullptr;
    const std::uint32_t* entries = nullptr;
    const double* re = nullptr;  ///< [class] of the amplitude, fermion sign included
    const double* im = nullptr;
    const double* diagonal = nullptr;      ///< [row] energy of the species alone
    const std::uint64_t* sites = nullptr;  ///< [row] occupied sites, one bit each
};

/// Interaction between the species: sum_ij coupling[i][j] n_up,i n_dn,j.
struct CouplingView {
    int sites = 0;
    const double* energy = nullptr;  ///< [up site][dn site]; null: none
    int chunk_bits = 1;              ///< dn strings are looked up in chunks of so many sites
    int chunks = 0;
};

struct HamiltonianView {
    BlockLayout layout;
    SpeciesView up, dn;
    CouplingView coupling;
    double shift = 0;  ///< subtracted from the diagonal
};

}  // namespace strata::lanczos
