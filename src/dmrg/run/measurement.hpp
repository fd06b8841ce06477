// SPDX-License-Identifier: BSD-3-Clause
// Expectation values of a matrix product state whose tensors to the right of any site are orthonormal: an operator is
// transferred from left to right until all of its factors are included, and its trace is the expectation value. Matrix
// elements between two states are transferred to the last site.
#pragma once

#include <complex>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dmrg/run/overlaps.hpp"

namespace strata::dmrg {

class Measurement {
  public:
    /// Copies the tensors of the state; `model` and `algebra` must outlive the object.
    Measurement(const Model& model, const Algebra& algebra, const FoundState& state);
    Measurement(const Model& model, const Algebra& algebra, const ChainState& chain);
    /// A part of the expectation values of a complex state x + i y, whose complex tensor is that of site 0: with x and y in
    /// the place of this tensor, <x|O|x> + <y|O|y> and <x|O|y> - <y|O|x>.
    enum class ComplexPart { real, imaginary };
    Measurement(const Model& model, const Algebra& algebra, const ChainState& chain, ComplexPart part);
    /// That of imaginary parts beside this one of real parts, with the same tensors.
    Measurement imaginary_part() const;

    /// [site] expectation value of a diagonal operator of one site. `values`: [state of the site].
    std::vector<double> local(const std::vector<double>& values) const;
    /// <X_i Y_j> of an operator pair for the given pairs of sites i < j, in their order.
    std::vector<double> pairs(const Channel& channel, const std::vector<std::pair<int, int>>& sites) const;
    /// [product] expectation values of products of operators, real numbers since all matrices are real. Products that begin
    /// with the same factors share their transfer: a family over pairs of L sites takes L^2 / 2 transfers, each two products
    /// of matrices M x M for every pair of sectors.
    std::vector<double> products(const std::vector<OperatorProduct>& products) const;
    struct Energies {
        std::vector<double> bonds;  ///< [bond] of all terms of its two sites, without those of single sites
        double all = 0;             ///< <H>
    };
    /// `bonds`: all pairs of sites that have terms of their own; `imaginary`: the other part of a complex state's values.
    Energies energies(const std::vector<Bond>& bonds, const Measurement* imaginary = nullptr) const;

    /// Mean and mean square of the sum of a diagonal operator over every `stride`-th site from the first one on.
    struct Moments {
        double mean = 0, square = 0;
    };
    Moments moments(const std::vector<double>& values, int stride) const;

    /// Matrix elements between this state and another one, both normalised.
    struct Elements {
        double overlap = 0;  ///< <this|other>
        double energy = 0;   ///< <this|H|other>
    };
    Elements between(const Measurement& other) const;
    /// <this|other> of two states, each real or complex.
    std::complex<double> overlap(const Measurement& other) const;
    /// [site] <this|O|ket> of an operator of each site, both states normalised, `ket` real or complex. The operators change the
    /// charge by `change`, from that of `ket` to that of this state, which is real; `odd`: whether they are odd in fermions.
    /// Source: U. Schollwoeck, Ann. Phys. 326, 96 (2011), section 4.2.1.
    std::vector<std::complex<double>> transitions(const Measurement& ket, const std::vector<SiteOperator>& ops,
                                                  Charge change, bool odd) const;
    /// The part of the density matrix of the sites to the right of a bond, in the states of the bond, [sector].
    const std::vector<Matrix>& density(int bond) const { return density_[static_cast<std::size_t>(bond)].from_sector; }
    /// The square of the norm, whether or not tensors are orthonormal.
    double whole() const;
    /// Matrix elements between this state and F of it, F the spin flip (Model::flips, which must not be empty).
    Elements spin_flip() const;

  private:
    /// A block of a tensor for one state of the site, from a sector of the left bond to a sector of the right one.
    struct Part {
        std::size_t left = 0, right = 0;  ///< sectors of the bonds
        Matrix matrix;                    ///< states of the right bond x states of the left
    };
    struct Site {
        Sectors left, right;                      ///< sectors of its bonds
        std::vector<std::vector<Part>> of_state;  ///< [state of the site]
    };
    Site site_of(const SiteTensor& tensor, const Sectors& right) const;
    double squared_norm() const { return norm_; }
    void add_sites(const ChainState& chain);
    void prepare_densities();
    /// ket(number) returns a site of the other state.
    template <class Ket>
    Elements elements(Ket ket) const;
    Site flipped(const Site& site, int number) const;
    /// Transfers an operator between two states, `bra` and `ket`, from the left bond of a site to its right bond;
    /// `of_site`: factor of the operator at this site.
    BlockOperator carry(const Site& bra, const Site& ket, const BlockOperator& op, const SiteOperator& of_site) const;
    BlockOperator carry(int site, const BlockOperator& op, const SiteOperator& of_site) const;
    /// The transfer of the identity of a site in the other direction.
    BlockOperator carry_left(const Site& bra, const Site& ket, const BlockOperator& op) const;
    double trace(const BlockOperator& op) const;
    /// A product whose value is asked for, and where it belongs.
    struct Requested {
        std::vector<Terms::Factor> factors;
        double sign;
        double* value;
    };
    /// Products that begin with the same factor are a task of one thread.
    void find_values(std::vector<Requested> all) const;
    /// Values of products that share their first `depth` factors, which `op` includes, up to the site of the last of them.
    void add_values(std::span<const Requested> all, std::size_t depth, const BlockOperator& op) const;

    const Model& model_;
    const Algebra& algebra_;
    std::shared_ptr<const std::vector<Site>> sites_;  ///< shared with the other part of a complex state
    std::optional<Site> imaginary_;                   ///< imaginary part of site 0 of a complex state
    ComplexPart part_ = ComplexPart::real;
    double norm_ = 0;  ///< square of the norm of the state
    /// [bond] transfer of the identity from the left end.
    std::vector<BlockOperator> density_;
};

}  // namespace strata::dmrg
