// SPDX-License-Identifier: BSD-3-Clause
// The terms of H other than diagonal ones of a single site, as products of matrices of one site each,
//
//     H = sum_terms amplitude (O_1 O_2 ... O_n [+ transpose]),  sites of O_1, O_2, ... ascending,
//
// with the parities of sites between the factors (site_products.hpp). A bond divides a term into two partial products. A
// left block holds the partial products of the terms that cross its end, a right block those of the other side; terms
// that begin, or end, with the same factors share them:
//
//     site        i       k   |   j              term O_1(i) O_2(k) O_3(j), cut at the bond
//                O_1 --- O_2  |  O_3             left partial product 1 (factors 0, 1), right partial product 2 (factor 2)
//
// A complex H = A + i B is the real matrix A x 1 + B x J of the real and the imaginary part of a state, with J = ((0, -1),
// (1, 0)) in the place of i. The two parts are states of the bond behind the last site L - 1, so that J is a factor at the
// site number L, which only right blocks contain. What a left block has of B is one operator, the sum of all terms whose
// other factors it contains, like H itself: J is all that they lack.
//
// H(t) = H + sum_n f_n(t) V_n of a drive has the terms of all V_n beside those of H, with the amplitudes of f_n = 1. Blocks
// keep the sums of H and of each V_n apart, and numbers f_n multiply them where a superblock is made.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "dmrg/job/site_operator.hpp"

namespace strata::dmrg {

enum class Side { left, right };

/// The factors of a term on one side of a bond, in a block that contains them and all sites up to the bond.
struct PartialProduct {
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

    std::size_t rest = none;  ///< the partial product without the factor nearest to the bond
    int site = 0;             ///< where that factor acts
    std::size_t op = 0;       ///< its matrix, an index of Terms::operators
    Charge change;            ///< what it adds to the charge left of the bond: both sides of a term change that alike
    bool odd = false;         ///< whether sites between the factor and the bond contribute their parity
    int furthest = 0;         ///< the site of a next factor that is furthest from here, beyond the bond
};

/// Numbers for the operators V_n of a drive, [n]; empty: all are 1.
using DriveNumbers = std::span<const double>;

/// The last factor before J of a term that becomes part of a left block's sum.
struct ImaginaryPart {
    std::size_t sum = 0;                      ///< the partial product that is this sum
    std::size_t rest = PartialProduct::none;  ///< the partial product of the other factors
    std::size_t op = 0;
    double amplitude = 0;
};

struct TermFactor {
    int site = 0;
    std::size_t op = 0;  ///< its matrix, an index of Terms::operators
    /// The partial products of the factors up to this one, and from this one on; none where that is the whole term.
    std::size_t left = PartialProduct::none, right = PartialProduct::none;
};

struct Term {
    std::vector<TermFactor> factors;  ///< ascending sites
    double amplitude = 0;
    bool conjugate = false;  ///< H has the transpose, too; otherwise all matrices are diagonal
    std::size_t order = 0;   ///< place of its group (CrossingGroup) among the others
    std::size_t driven = 0;  ///< 0: a term of H; n + 1: one of V_n of a drive

    /// The number of its operator, 1 of H.
    double factor_in(DriveNumbers numbers) const { return driven == 0 || numbers.empty() ? 1 : numbers[driven - 1]; }
    double amplitude_in(DriveNumbers numbers) const { return factor_in(numbers) * amplitude; }
    int first_site() const { return factors.front().site; }
    int last_site() const { return factors.back().site; }
    /// The factor that completes the term in a growing block of this side, and the partial product of the others.
    const TermFactor& last(Side side) const { return side == Side::left ? factors.back() : factors.front(); }
    std::size_t rest(Side side) const {
        if (factors.size() == 1) return PartialProduct::none;
        return side == Side::left ? factors[factors.size() - 2].left : factors[1].right;
    }
};

/// A term between two blocks: indices of its partial products.
struct Crossing {
    std::size_t left = 0, right = 0;
    double amplitude = 0;
    friend bool operator==(const Crossing&, const Crossing&) = default;
};

/// Crossing terms that change charges alike. They are summed on the side that has fewer partial products, so that there
/// is one product of matrices for each of the other side: A_k = X_i, B_k = sum_j c_ij Y_j, or the other way round
/// (complementary operators, T. Xiang, Phys. Rev. B 53, R10445 (1996)).
struct CrossingGroup {
    Charge change;
    bool conjugate = false;
    std::size_t order = 0;  ///< the smallest of its terms
    std::vector<Crossing> terms;
    bool by_left = true;                ///< summed on the right
    std::vector<std::size_t> products;  ///< the partial products of the side that is not summed, ascending
};

class Terms {
  public:
    /// A factor before the terms are known.
    struct Factor {
        int site;
        SiteOperator op;
        bool odd;  ///< sites up to the next factor contribute their parity
        friend auto operator<=>(const Factor&, const Factor&) = default;
    };

    /// `charges`: [state of a site].
    explicit Terms(int sites = 0, std::vector<Charge> charges = {});
    /// J, the factor of an imaginary amplitude.
    Factor imaginary_unit() const { return {sites_, {{{0, 1, -1}, {1, 0, 1}}}, false}; }
    /// Adds a term of one or more factors on ascending sites. `driven`: that of Term.
    void add(const std::vector<Factor>& factors, double amplitude, bool conjugate, std::size_t order,
             std::size_t driven = 0);
    /// Frees what add() alone needs.
    void finish();
    /// Numbers the partial product of a single factor: operators of a block are kept in the order of their first use.
    void number_single(Side side, const Factor& factor, bool odd) { partial(side, PartialProduct::none, factor, odd); }

    const std::vector<Term>& all() const { return all_; }
    const PartialProduct& partial(Side side, std::size_t id) const { return partials_[index(side)][id]; }
    const SiteOperator& matrix(std::size_t op) const { return operators_[op]; }
    /// Partial products whose factor nearest to the bond is at `site`, ascending.
    const std::vector<std::size_t>& partials_of(Side side, int site) const;
    /// Indices of the terms that a growing block of this side completes with `site`.
    const std::vector<std::size_t>& ending(Side side, int site) const;
    /// Whether a block of this side that ends with `site` needs a partial product for sites outside.
    bool is_needed(Side side, std::size_t id, int site) const;
    /// The magnitude of the largest amplitude.
    double largest(DriveNumbers numbers = {}) const;
    /// That of the smallest one, of those that are at least `share` of the largest.
    double smallest(double share, DriveNumbers numbers = {}) const;
    std::size_t count(Side side) const { return partials_[index(side)].size(); }
    /// Whether a left partial product is the sum of the terms, of H or of a V_n, that lack J alone.
    bool is_imaginary_sum(std::size_t left) const { return partial(Side::left, left).op == PartialProduct::none; }
    /// The terms that join such a sum with `site`.
    const std::vector<ImaginaryPart>& imaginary_parts(int site) const {
        return imaginary_parts_[static_cast<std::size_t>(site)];
    }

    /// The terms between the blocks that end with the sites `centre` and `centre` + 1, without those of these two sites
    /// alone, in a fixed order. Numbers change amplitudes and nothing else.
    std::vector<CrossingGroup> crossing(int centre, DriveNumbers numbers = {}) const;
    /// Indices of the terms of these two sites alone.
    std::vector<std::size_t> of_centre(int centre) const;

  private:
    static std::size_t index(Side side) { return side == Side::left ? 0 : 1; }
    std::size_t operator_index(const SiteOperator& op);
    /// The number of a partial product.
    std::size_t partial(Side side, std::size_t rest, const Factor& factor, bool odd);
    /// That of the sum of the terms that lack J, which a term joins.
    std::size_t join_imaginary_sum(std::size_t driven, std::size_t rest, const Factor& factor, double amplitude);

    int sites_;
    std::vector<Charge> charges_;
    std::vector<Term> all_;
    std::vector<SiteOperator> operators_;
    std::map<SiteOperator, std::size_t> operator_number_;
    struct Name {
        std::size_t rest;
        int site;
        std::size_t op;
        bool odd;
        friend auto operator<=>(const Name&, const Name&) = default;
    };
    std::map<Name, std::size_t> partial_number_[2];
    std::vector<PartialProduct> partials_[2];                  ///< [side]
    std::vector<std::vector<std::size_t>> partials_of_[2];     ///< [side][site]
    std::vector<std::vector<std::size_t>> ending_[2];          ///< [side][site]
    std::map<std::size_t, std::size_t> imaginary_sums_;        ///< their numbers, by Term::driven
    std::vector<std::vector<ImaginaryPart>> imaginary_parts_;  ///< [site]
};

}  // namespace strata::dmrg
