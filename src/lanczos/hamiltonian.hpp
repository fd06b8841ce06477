// SPDX-License-Identifier: BSD-3-Clause
// H = - sum_<ij>s t_ij c+_is c_js + h.c. + sum_i U_i n_iu n_id + V sum_<ij> n_i n_j + sum_is e_i n_is, and what the
// kernels need of it for one species: strings of occupied sites and lists of hops. Spins 1/2 are hard-core bosons: the
// same hops without signs.
#pragma once

#include <map>
#include <vector>

#include "kernels/lanczos/species_table.hpp"
#include "lanczos/combinations.hpp"
#include "lanczos/lattice.hpp"

namespace strata::lanczos {

enum class Statistics { fermions, hard_core_bosons };

struct Model {
    Lattice lattice;
    std::vector<double> u;        ///< [site]; of two species
    double v = 0;                 ///< on edges between neighbours
    std::vector<double> epsilon;  ///< [site]
    int species = 2;
    Statistics statistics = Statistics::fermions;
    double constant = 0;  ///< added to every energy

    bool real() const;  ///< all amplitudes are
    /// Directed hops (to, from), the amplitudes of double edges added up, signs as they stand in H.
    std::map<std::pair<int, int>, Complex> hops() const;
    /// What concerns the sites first .. last - 1 alone, counted from `first`.
    Model part(int first, int last) const;
};

/// Amplitudes by class. As many bits as they need, 6 at least, are taken from the 32 of an entry.
class AmplitudeTable {
  public:
    explicit AmplitudeTable(const Model& model);
    std::uint32_t number(Complex amplitude) const;
    int bits() const { return bits_; }
    const double* re() const { return re_.data(); }
    const double* im() const { return im_.data(); }

  private:
    std::map<std::pair<double, double>, std::uint32_t> numbers_;
    std::vector<double> re_, im_;
    int bits_ = 6;
};

/// Rows of hops as they are made, one after another.
class HopRows {
  public:
    explicit HopRows(const AmplitudeTable& amplitudes) : amplitudes_(&amplitudes) {}
    /// To the row being made.
    void add(std::uint64_t column, Complex amplitude);
    /// As in another table with the same classes.
    void add(std::uint64_t column, std::uint32_t number, bool complex);
    void end_row();
    /// Valid until the next change.
    HopView view() const;
    std::uint64_t entries() const { return entries_.size(); }
    std::uint64_t bytes() const { return 8 * (first_.size() + complex_.size()) + 4 * entries_.size(); }

  private:
    const AmplitudeTable* amplitudes_;
    std::vector<std::uint64_t> first_ = {0}, complex_;
    std::vector<std::uint32_t> entries_, complex_entries_;
};

/// The strings of `particles` on the sites of a model, their hops and their energy.
class SpeciesTable {
  public:
    /// Throws Error(does_not_fit) for more states than 32 bits hold beside the class.
    SpeciesTable(const Model& model, const AmplitudeTable& amplitudes, int particles);

    const Combinations& basis() const { return basis_; }
    SpeciesView view() const;
    std::uint64_t entries() const { return hops_.entries(); }
    std::uint64_t bytes() const { return hops_.bytes() + 16 * basis_.count(); }

  private:
    Combinations basis_;
    HopRows hops_;
    std::vector<std::uint64_t> sites_;
    std::vector<double> diagonal_;
};

/// Whether a particle that hops between two sites passes an odd number of others.
bool odd_between(std::uint64_t string, int a, int b);

/// Energies of pairs, [site][site]: U_i and V between two species, V within one. Empty if there are none.
std::vector<double> pair_energies(const Model& model);

/// Mean of the diagonal over the sector: the centre that keeps the recurrence stable.
double mean_diagonal(const Model& model, int up, int down);

}  // namespace strata::lanczos
