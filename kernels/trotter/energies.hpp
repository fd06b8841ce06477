// SPDX-License-Identifier: BSD-3-Clause
// What H v takes beside transforms: to <- (a E + b) from + c to and to <- z from + c to on the rows of two states, E the
// energies of one axis in the basis of that axis (diagonal.hpp). A table holds the energy of the bits within a row; the
// bits of the row's number make fields on them, once per row, whose energy is the sum of two numbers from small tables.
//
// Bytes per amplitude (double): 48, one state read, one read and written; 32 where c = 0.
#pragma once

#include "kernels/trotter/diagonal.hpp"
#include "kernels/trotter/state_layout.hpp"

namespace strata::trotter {

/// Energies as kernels see them.
struct EnergyView {
    const double* low;     ///< [state of the bits within a row]
    const double* angles;  ///< [spin][spin] couplings, and on the diagonal the fields
    int spins, row_bits;
};

/// to <- (a E + b) from + c to.
struct EnergySum {
    double a = 1, b = 0, c = 0;
};

/// Bits of one of the two tables of a row, at most.
constexpr int max_half_row_bits = 12;

/// Owns the tables of one axis, on the host.
class EnergyTables {
  public:
    EnergyTables(const Diagonal& energy, int row_bits);
    EnergyView view() const { return {low_.data(), angles_.data(), spins_, row_bits_}; }
    const std::vector<double>& low() const { return low_; }
    const std::vector<double>& angles() const { return angles_; }
    static std::uint64_t bytes(int spins, int row_bits) {
        return 8 * ((std::uint64_t{1} << row_bits) + static_cast<std::uint64_t>(spins) * spins);
    }

  private:
    int spins_, row_bits_;
    std::vector<double> low_, angles_;
};

}  // namespace strata::trotter
