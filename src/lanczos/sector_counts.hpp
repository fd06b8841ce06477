// SPDX-License-Identifier: BSD-3-Clause
// The states of fixed particle numbers, as a direct sum of products of strings, and the sizes of all tables of a sector
// from binomials alone: nothing is built, so a sector of any size is described and checked at once.
// Two species: one product, strings of up particles times strings of down particles, H = H_up x 1 + 1 x H_dn + coupling
// (Siro & Harju). One species: its sites are cut into a lower half (dn strings) and an upper half (up strings); there
// is a product for every number of particles in the upper half, within which H has the same form, and particles that
// hop from half to half lead from one product to the next: sum_i c+_i x (sum_j t_ij c_j) and its inverse.
#pragma once

#include <vector>

#include "lanczos/hamiltonian.hpp"
#include "strata/partition.hpp"

namespace strata::lanczos {

/// One product of strings.
struct ProductCounts {
    Combinations up, dn;
    std::uint64_t up_entries, dn_entries;  ///< hops listed for each
};

/// Hops of one species from product `from` to product `to`.
struct CrossingCounts {
    std::size_t from = 0, to = 0;
    std::vector<int> sites;              ///< of the upper half that take part
    std::vector<std::uint64_t> entries;  ///< [site that takes part] hops listed between dn strings
};

class SectorCounts {
  public:
    /// Of one species, `up` particles. Throws Error(does_not_fit) if a species, or a half of the lattice, has more
    /// strings than 32 bits hold beside the class of an amplitude.
    SectorCounts(Model model, int up, int down);

    const Model& model() const { return model_; }
    const AmplitudeTable& amplitudes() const { return amplitudes_; }
    const std::vector<ProductCounts>& product_counts() const { return product_counts_; }
    const std::vector<CrossingCounts>& crossing_counts() const { return crossing_counts_; }
    /// The hops within the up strings.
    const Model& up_model() const { return up_model_; }

    BlockLayout layout(std::size_t product, Arithmetic arithmetic, int ranks, int rank) const;
    /// Interaction of up and dn strings, within all products.
    CouplingView coupling() const;

    int up_sites() const { return up_model_.lattice.sites; }  ///< of the strings
    int dn_sites() const { return dn_model_.lattice.sites; }

    double dimension() const;
    /// Off the diagonal, of the whole matrix.
    double nonzeros() const;
    /// Of the tables of a Sector.
    std::uint64_t table_bytes() const;
    /// What is taken off the diagonal for the recurrence; energies are eigenvalues of the rest plus offset().
    double offset() const { return shift_ + model_.constant; }
    /// No energy lies below, nor above: crude bounds from the sizes of all terms.
    double lower_bound() const;
    double upper_bound() const;

  protected:
    const Model& dn_model() const { return dn_model_; }
    double shift() const { return shift_; }
    /// Site of the upper half that a hop (to, from) begins or ends on if it leads from half to half and the upper half
    /// gains, or loses, a particle by it; -1 for others.
    int upper_site(std::pair<int, int> hop, bool gains) const;
    /// Its other site.
    static int lower_site(std::pair<int, int> hop, bool gains) { return gains ? hop.second : hop.first; }

  private:
    void count_product(int up, int down);
    void count_crossing(std::size_t from, std::size_t to);

    Model model_, up_model_, dn_model_;
    AmplitudeTable amplitudes_;
    std::vector<ProductCounts> product_counts_;
    std::vector<CrossingCounts> crossing_counts_;
    std::vector<double> coupling_;  ///< [up site][dn site]
    double shift_ = 0;
};

}  // namespace strata::lanczos
