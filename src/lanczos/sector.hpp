// SPDX-License-Identifier: BSD-3-Clause
// The states of fixed particle numbers, as a direct sum of products of strings.
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
struct Product {
    SpeciesTable up, dn;
};

/// Hops of one species from product `from` to product `to`.
struct Crossing {
    std::size_t from = 0, to = 0;
    std::vector<int> sites;     ///< of the upper half that take part
    std::vector<HopRows> hops;  ///< [site that takes part] from dn strings of `from` (columns) to those of `to` (rows)
};

class Sector {
  public:
    /// Of one species, `up` particles. Throws as SpeciesTable and Combinations do.
    Sector(Model model, int up, int down);
    Sector(const Sector&) = delete;
    Sector& operator=(const Sector&) = delete;

    const Model& model() const { return model_; }
    const AmplitudeTable& amplitudes() const { return amplitudes_; }
    const std::vector<Product>& products() const { return products_; }
    const std::vector<Crossing>& crossings() const { return crossings_; }

    BlockLayout layout(std::size_t product, Arithmetic arithmetic, int ranks, int rank) const;
    /// All of a product's Hamiltonian but the rows of H_up.
    HamiltonianView hamiltonian(std::size_t product, const BlockLayout& layout) const;
    /// Source of `row` of crossing.to by a hop at crossing.sites[s]: its row in crossing.from, and whether with a
    /// minus.
    struct Source {
        std::uint64_t row;
        bool minus;
    };
    static constexpr std::uint64_t no_row = ~std::uint64_t{0};
    Source source(const Crossing& crossing, std::uint64_t row, std::size_t s) const;

    /// Occupied sites of a state, one bit each: of the first species, or of the only one, and of the second.
    std::uint64_t occupied(std::size_t product, std::uint64_t up, std::uint64_t dn) const;
    std::uint64_t occupied_down(std::size_t product, std::uint64_t dn) const;

    int up_sites() const { return up_sites_; }  ///< of the strings
    int dn_sites() const { return dn_sites_; }

    double dimension() const;
    /// Off the diagonal, of the whole matrix.
    double nonzeros() const;
    /// Whether the hops within all strings have their inverses, by looking for each.
    bool hermitian() const;
    std::uint64_t table_bytes() const;
    /// What is taken off the diagonal for the recurrence; energies are eigenvalues of the rest plus offset().
    double offset() const { return shift_ + model_.constant; }
    /// No energy lies below, nor above: crude bounds from the sizes of all terms.
    double lower_bound() const;
    double upper_bound() const;

  private:
    void add_crossing(std::size_t from, std::size_t to);

    Model model_;
    int lower_sites_ = 0;  ///< of one species
    AmplitudeTable amplitudes_;
    std::vector<Product> products_;
    std::vector<Crossing> crossings_;
    std::vector<double> coupling_;  ///< [up site][dn site]
    int up_sites_ = 0, dn_sites_ = 0;
    double shift_ = 0;
};

}  // namespace strata::lanczos
