// SPDX-License-Identifier: BSD-3-Clause
// Table of the interaction energies between the two components for a few rows.
#pragma once

#include "kernels/lanczos/step_kernels.hpp"

namespace strata::lanczos::STRATA_ISA {

/// table[chunk][occupation of the chunk][row] := interaction energy of down particles on these sites with the up
/// particles of a row, for `Rows` rows from `first_row` on. The down sites are cut into chunks, so that the tables stay
/// small.
template <std::uint64_t Rows, class Real>
void tabulate_coupling(const HamiltonianView& h, std::uint64_t first_row, Real* table) {
    const CouplingView& c = h.coupling;
    const std::uint64_t values = std::uint64_t{1} << c.chunk_bits;
    for (int chunk = 0; chunk < c.chunks; ++chunk, table += values * Rows) {
        for (std::uint64_t row = 0; row < Rows; ++row) table[row] = 0;
        for (int bit = 0; bit < c.chunk_bits; ++bit) {
            const int site = chunk * c.chunk_bits + bit;
            double energy[Rows] = {};
            for (std::uint64_t row = 0; row < Rows && site < c.down_sites; ++row) {
                const std::uint64_t up = first_row + row;
                if (up >= h.up.dim) break;
                for (std::uint64_t left = h.up.sites[up]; left != 0; left &= left - 1)
                    energy[row] += c.energy[__builtin_ctzll(left) * c.down_sites + site];
            }
            for (std::uint64_t lower = 0; lower < std::uint64_t{1} << bit; ++lower)
                for (std::uint64_t row = 0; row < Rows; ++row)
                    table[((std::uint64_t{1} << bit) + lower) * Rows + row] =
                        table[lower * Rows + row] + static_cast<Real>(energy[row]);
        }
    }
}

}  // namespace strata::lanczos::STRATA_ISA
