// SPDX-License-Identifier: BSD-3-Clause
// Kernels of H v other than the transforms, on the rows of two states: (1) to <- (a E + b) from + c to, with the
// energies E of one axis in the basis of that axis (diagonal.hpp); (2) to <- z from + c to. A table holds the energies
// of the bits within a row; the bits of the row's number act on them as fields, whose energy is the sum of two numbers
// from small tables that are computed once per row.
//
// Bytes per amplitude (double): 48, one state read, one read and written; 32 where c = 0.
#pragma once

#include "kernels/trotter/diagonal.hpp"
#include "kernels/trotter/state_layout.hpp"

namespace strata::trotter {

/// Tables of energies as kernels read them.
struct EnergyView {
    const double* low;     ///< [state of the bits within a row] energy
    const double* angles;  ///< [spin][spin] couplings, and on the diagonal the fields
    int spins, row_bits;
};

/// Factors of to <- (a E + b) from + c to.
struct EnergySum {
    double a = 1, b = 0, c = 0;
};

/// Largest number of bits of one of the two tables of a row.
constexpr int max_half_row_bits = 12;

/// Tables of one axis in host memory.
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
