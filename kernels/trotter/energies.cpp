// SPDX-License-Identifier: BSD-3-Clause
// Tables of the energies of one axis.
#include "kernels/trotter/energies.hpp"

namespace strata::trotter {

EnergyTables::EnergyTables(const Diagonal& energy, int row_bits) : spins_(energy.spins()), row_bits_(row_bits) {
    std::vector<int> bits;
    for (int j = 0; j < row_bits; ++j) bits.push_back(j);
    low_ = energies(energy, bits);
    for (int j = 0; j < spins_; ++j)
        for (int k = 0; k < spins_; ++k)
            angles_.push_back(j == k ? energy.field[static_cast<std::size_t>(j)] : energy.angle(j, k));
}

}  // namespace strata::trotter
