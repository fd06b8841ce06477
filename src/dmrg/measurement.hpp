// SPDX-License-Identifier: BSD-3-Clause
// Expectation values of a matrix product state whose centre is at bond 0, so that everything to the right of a site is
// orthonormal: an operator is carried from left to right until all of its factors are in, and its trace taken. Elements
// between two states are carried to the last site.
#pragma once

#include <vector>

#include "dmrg/overlaps.hpp"

namespace strata::dmrg {

class Measurement {
  public:
    /// Copies what it takes of the state; `model` and `algebra` must outlive it.
    Measurement(const Model& model, const Algebra& algebra, const FoundState& state);
    Measurement(const Model& model, const Algebra& algebra, const ChainState& chain);

    /// Of a diagonal operator of one site, at every site.
    std::vector<double> local(const std::vector<double>& values) const;
    /// <X_i Y_j> of a channel for given pairs of sites i < j, in their order.
    std::vector<double> pairs(const Channel& channel, const std::vector<std::pair<int, int>>& sites) const;
    /// <c_ij (X_i Y_j + h.c.)> summed over the couplings of each bond, and without the sites' energies.
    std::vector<double> bond_energies(const std::vector<Bond>& bonds) const;
    /// <H>: all bond energies and those of the sites.
    double energy(const std::vector<double>& bond_energies) const;

    /// Between this state and another one, both normalised.
    struct Elements {
        double overlap = 0;  ///< <this|other>
        double energy = 0;   ///< <this|H|other>
    };
    Elements between(const Measurement& other) const;
    /// The other state is F of this one; F turns all spins over (Model::flips, not empty).
    Elements spin_flip() const;

  private:
    /// Parts of a tensor: from a state of the left bond to one of the right.
    struct Part {
        std::size_t left = 0, right = 0;  ///< sectors of the bonds
        Matrix matrix;                    ///< states of the right bond x states of the left
    };
    struct Site {
        Sectors left, right;                      ///< of its bonds
        std::vector<std::vector<Part>> of_state;  ///< [state of the site]
    };
    Site site_of(const SiteTensor& tensor, const Sectors& right) const;
    double squared_norm() const;
    void prepare_densities();
    /// `ket`(number) is a site of the other state.
    template <class Ket>
    Elements elements(Ket ket) const;
    Site flipped(const Site& site, int number) const;
    /// An operator between the states `bra` and `ket` of the sites to the left of this one, carried over it.
    BlockOperator carry(const Site& bra, const Site& ket, const BlockOperator& op, const SiteOperator& of_site) const;
    BlockOperator carry(int site, const BlockOperator& op, const SiteOperator& of_site) const {
        return carry(sites_[std::size_t(site)], sites_[std::size_t(site)], op, of_site);
    }
    double trace(const BlockOperator& op) const;

    const Model& model_;
    const Algebra& algebra_;
    std::vector<Site> sites_;
    std::vector<BlockOperator> density_;  ///< [bond] nothing but the state to the left of the bond
};

}  // namespace strata::dmrg
