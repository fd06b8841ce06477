// SPDX-License-Identifier: BSD-3-Clause
// H = - sum_<ij>s t_ij c+_is c_js + h.c. + sum_i U_i n_iu n_id + V sum_<ij> n_i n_j + sum_is e_i n_is, and what the
// kernels need of it for one spin component: bit strings of occupied sites and lists of hops. Spins 1/2 are hard-core bosons: the
// same hops without signs.
#pragma once

#include <map>
#include <vector>

#include "kernels/lanczos/component_table.hpp"
#include "lanczos/combinations.hpp"
#include "lattices/lattice.hpp"

namespace strata::lanczos {

enum class Statistics { fermions, hard_core_bosons };

struct Model {
    Lattice lattice;
    std::vector<double> u;        ///< [site]; of two spin components
    double v = 0;                 ///< on edges between neighbours
    std::vector<double> epsilon;  ///< [site]
    int spin_components = 2;
    Statistics statistics = Statistics::fermions;
    double constant = 0;  ///< added to every energy

    bool real() const;  ///< all amplitudes are
    /// Whether every hop has its inverse with the conjugate amplitude.
    bool hermitian() const;
    /// Directed hops (to, from), the amplitudes of double edges added up, signs as they stand in H.
    std::map<std::pair<int, int>, Complex> hops() const;
    /// What concerns the sites first .. last - 1 alone, counted from `first`.
    Model part(int first, int last) const;
};

/// Amplitudes by class. As many bits as they need, 6 at least, are taken from the 32 of an entry.
class AmplitudeTable {
  public:
    explicit AmplitudeTable(const Model& model);
    std::uint32_t index_of(Complex amplitude) const;
    int bits() const { return bits_; }
    /// Rows that an entry can name beside the class of its amplitude.
    std::uint64_t max_rows() const { return std::uint64_t{1} << (32 - bits_); }
    const double* re() const { return re_.data(); }
    const double* im() const { return im_.data(); }

  private:
    std::map<std::pair<double, double>, std::uint32_t> numbers_;
    std::vector<double> re_, im_;
    int bits_ = 6;
};

/// Rows of hops as they are made, one after another.
class HoppingRows {
  public:
    /// Memory for so many rows and entries is reserved: no more is taken.
    HoppingRows(const AmplitudeTable& amplitudes, std::uint64_t rows, std::uint64_t entries);
    /// To the row being made. `column` must be below max_rows() of the amplitudes.
    void add(std::uint64_t column, Complex amplitude);
    /// As in another table with the same classes.
    void add(std::uint64_t column, std::uint32_t number, bool complex);
    void end_row();
    /// Valid until the next change.
    HoppingView view() const;
    std::uint64_t entries() const { return entries_.size(); }
    std::uint64_t bytes() const { return bytes(complex_.size(), entries_.size()); }
    static constexpr std::uint64_t bytes(std::uint64_t rows, std::uint64_t entries) {
        return 8 * (2 * rows + 1) + 4 * entries;
    }

  private:
    const AmplitudeTable* amplitudes_;
    std::vector<std::uint64_t> first_, complex_;
    std::vector<std::uint32_t> entries_, complex_entries_;
};

/// The bit strings of `particles` on the sites of a model, their hops and their energy.
class ComponentTable {
  public:
    /// `particles` must have at most amplitudes.max_rows() bit strings.
    ComponentTable(const Model& model, const AmplitudeTable& amplitudes, int particles);

    const Combinations& basis() const { return basis_; }
    ComponentView view() const;
    std::uint64_t entries() const { return hops_.entries(); }
    std::uint64_t bytes() const { return bytes(basis_.count(), entries()); }
    static constexpr std::uint64_t bytes(std::uint64_t rows, std::uint64_t entries) {
        return HoppingRows::bytes(rows, entries) + 16 * rows;
    }

  private:
    Combinations basis_;
    HoppingRows hops_;
    std::vector<std::uint64_t> sites_;
    std::vector<double> diagonal_;
};

/// Entries of the table of hops of `particles` on the sites of a model: each hop finds its two sites occupied and empty
/// as often as the other particles can be arranged on the other sites.
std::uint64_t hopping_entries(const Model& model, int particles);

/// Whether a particle that hops between two sites passes an odd number of others.
bool odd_between(std::uint64_t occupation, int a, int b);

/// Energies of pairs, [site][site]: U_i and V between two spin components, V within one. Empty if there are none.
std::vector<double> pair_energies(const Model& model);

/// Mean of the diagonal over the sector: the centre that keeps the recurrence stable.
double mean_diagonal(const Model& model, int up, int down);

}  // namespace strata::lanczos
