// SPDX-License-Identifier: BSD-3-Clause
// H = - sum_<ij>s t_ij c+_is c_js + h.c. + sum_i U_i n_iu n_id + V sum_<ij> n_i n_j + sum_is e_i n_is in a sector of
// fixed particle numbers, as tables for the kernels: H = H_up x 1 + 1 x H_dn + what couples the two.
#pragma once

#include <vector>

#include "kernels/lanczos/species_table.hpp"
#include "lanczos/combinations.hpp"
#include "lanczos/lattice.hpp"

namespace strata::lanczos {

struct Model {
    Lattice lattice;
    std::vector<double> u;        ///< [site]
    double v = 0;                 ///< on edges between neighbours
    std::vector<double> epsilon;  ///< [site]
    bool real() const;            ///< all amplitudes are
};

/// The hopping matrix of one species in row lists, and its diagonal.
class SpeciesTable {
  public:
    /// Throws Error(bad_input) for more than 64 different amplitudes, Error(does_not_fit) for more than 2^26 states.
    SpeciesTable(const Model& model, int particles);

    const Combinations& basis() const { return basis_; }
    SpeciesView view() const;
    std::uint64_t entries() const { return entries_.size(); }
    std::uint64_t bytes() const;

  private:
    std::uint32_t amplitude_class(Complex amplitude);

    Combinations basis_;
    std::vector<std::uint64_t> first_, complex_, sites_;
    std::vector<std::uint32_t> entries_;
    std::vector<double> re_, im_, diagonal_;
};

/// U_i and V between the species, [up site][dn site].
std::vector<double> coupling(const Model& model);

/// Mean of the diagonal over the sector: the centre that keeps the recurrence stable.
double mean_diagonal(const Model& model, int up, int down);

}  // namespace strata::lanczos
