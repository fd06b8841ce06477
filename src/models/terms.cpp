// SPDX-License-Identifier: BSD-3-Clause
// Coefficients of the normal form become couplings. With S+ = Sx + i Sy:
//
//     c S+_i + h.c. = 2 Re c Sx - 2 Im c Sy
//     a S+_i S-_j + b S+_i S+_j + h.c. = 2 (Re a + Re b) Sx Sx + 2 (Re a - Re b) Sy Sy + 2 Im a (Sx Sy - Sy Sx)
//                                        - 2 Im b (Sx Sy + Sy Sx), of which the last is no coupling of an edge
#include "models/terms.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace strata {
namespace {

constexpr Mode spin_up = Mode::up, spin_down = Mode::down;

/// Moves the terms of a sum to the values of sites and edges.
class Sorting {
  public:
    Sorting(const OperatorSum& h, TermSums& sums)
        : h_(h),
          sums_(sums),
          electrons_(sums.kind == SiteKind::electrons),
          limit_(OperatorSum::rounding * h.largest()) {
        std::map<std::pair<int, int>, std::vector<OperatorProduct>> of_pairs;
        for (const auto& [product, coefficient] : h.terms()) {
            if (product.size() == 1)
                take_site(product, coefficient);
            else if (product.size() == 2 && product[0].site == product[1].site && is_interaction(product))
                sums.u[static_cast<std::size_t>(product[0].site)] = coefficient.real();
            else if (product.size() == 2 && product[0].site != product[1].site)
                of_pairs[std::minmax(product[0].site, product[1].site)].push_back(product);
            else
                leave(product, coefficient);
        }
        for (const auto& [sites, products] : of_pairs) take_density(sites);
        for (const auto& [sites, products] : of_pairs) take_hop(sites);
        for (const auto& [sites, products] : of_pairs)
            for (const OperatorProduct& product : products)
                if (taken_.count(product) == 0) leave(product, h[product]);
    }

  private:
    bool equal(Complex a, Complex b) const { return std::abs(a - b) <= limit_; }
    void leave(const OperatorProduct& product, Complex coefficient) {
        sums_.others += OperatorSum::product(h_.kind(), product, coefficient);
    }
    static bool is_interaction(const OperatorProduct& p) { return p[0].local == Local::z && p[1].local == Local::z; }

    void take_site(const OperatorProduct& product, Complex c) {
        const ModeOperator o = product[0];
        const auto site = static_cast<std::size_t>(o.site);
        if (sums_.kind == SiteKind::spins) {
            if (o.local == Local::z) sums_.field[2][site] = c.real();
            if (o.local == Local::raise) {
                sums_.field[0][site] = 2 * c.real();
                sums_.field[1][site] = 0 - 2 * c.imag();
            }
            return;
        }
        const Mode other = o.mode == spin_up ? spin_down : spin_up;
        if (o.local != Local::z || (electrons_ && !equal(h_[{{other, o.site, Local::z}}], c))) return leave(product, c);
        sums_.potential[site] = c.real();
    }

    /// The edge of a pair, made at its first use.
    std::size_t edge_of(std::pair<int, int> sites) {
        const auto [found, is_new] = edges_.try_emplace(sites, sums_.edges.size());
        if (is_new) {
            sums_.edges.push_back({sites.second, sites.first, 0, 0, Shell::term});
            sums_.exchange.push_back({0, 0, 0});
        }
        return found->second;
    }

    OperatorProduct on(std::pair<int, int> sites, Mode a, Local left, Mode b, Local right) const {
        OperatorProduct product = {{a, sites.first, left}, {b, sites.second, right}};
        std::ranges::sort(product);
        return product;
    }

    /// z z of a pair, the same for all spins of electrons.
    void take_density(std::pair<int, int> sites) {
        std::vector<OperatorProduct> all;
        for (const Mode a : {spin_down, spin_up})
            for (const Mode b : {spin_down, spin_up})
                if (electrons_ || (a == spin_down && b == spin_down))
                    all.push_back(on(sites, a, Local::z, b, Local::z));
        const Complex value = h_[all[0]];
        if (value == Complex(0) || !std::ranges::all_of(all, [&](const auto& p) { return equal(h_[p], value); }))
            return;
        taken_.insert(all.begin(), all.end());
        const std::size_t e = edge_of(sites);
        sums_.edges[e].weight = sums_.exchange[e][2] = value.real();
    }

    void take_hop(std::pair<int, int> sites) {
        using enum Local;
        const OperatorProduct hop = on(sites, spin_down, raise, spin_down, lower),
                              back = on(sites, spin_down, lower, spin_down, raise);
        const Complex a = h_[hop];
        if (sums_.kind == SiteKind::spins) return take_exchange(sites, a);
        if (a == Complex(0) || (electrons_ && !equal(h_[on(sites, spin_up, raise, spin_up, lower)], a))) return;
        taken_.insert({hop, back});
        if (electrons_)
            taken_.insert({on(sites, spin_up, raise, spin_up, lower), on(sites, spin_up, lower, spin_up, raise)});
        sums_.edges[edge_of(sites)].amplitude = -a;
    }

    void take_exchange(std::pair<int, int> sites, Complex a) {
        using enum Local;
        const OperatorProduct both = on(sites, spin_down, raise, spin_down, raise),
                              none = on(sites, spin_down, lower, spin_down, lower);
        const Complex b = h_[both];
        taken_.insert(
            {on(sites, spin_down, raise, spin_down, lower), on(sites, spin_down, lower, spin_down, raise), both, none});
        if (b.imag() != 0) {
            leave(both, {0, b.imag()});
            leave(none, {0, -b.imag()});
        }
        if (a == Complex(0) && b.real() == 0) return;
        const std::size_t e = edge_of(sites);
        sums_.exchange[e][0] = 2 * (a.real() + b.real());
        sums_.exchange[e][1] = 2 * (a.real() - b.real());
        sums_.edges[e].amplitude = 2.0 * a;
    }

    const OperatorSum& h_;
    TermSums& sums_;
    const bool electrons_;
    const double limit_;
    std::map<std::pair<int, int>, std::size_t> edges_;
    std::set<OperatorProduct> taken_;
};

bool names_a_site_twice(const Item& term) {
    for (std::size_t i = 2; i < term.words.size(); i += 2)
        for (std::size_t j = i + 2; j < term.words.size(); j += 2)
            if (term.words[i] == term.words[j]) return true;
    return false;
}

/// The terms of a list as values of sites and edges, and the others.
TermSums sorted(const OperatorList& list) {
    TermSums sums;
    sums.kind = list.kind;
    sums.sites = list.sites;
    const auto sites = static_cast<std::size_t>(sums.sites);
    sums.u.assign(sites, 0);
    sums.potential.assign(sites, 0);
    sums.field.fill(std::vector<double>(sites, 0));
    Sorting(list.hamiltonian(), sums);
    return sums;
}

/// A product that is not of sites and edges with real amplitudes, if there is one.
std::optional<OperatorProduct> first_other(const TermSums& sums) {
    if (!sums.others.empty()) return sums.others.terms().begin()->first;
    for (const Edge& e : sums.edges)
        if (sums.kind == SiteKind::spins && e.amplitude.imag() != 0)
            return OperatorProduct{{Mode::down, std::min(e.to, e.from), Local::raise},
                                   {Mode::down, std::max(e.to, e.from), Local::lower}};
    return std::nullopt;
}

}  // namespace

TermSums read_terms(const std::vector<Item>& items, std::optional<SiteKind> kind, const OperatorLimits& limits,
                    TermSet taken) {
    const bool above_half = limits.twice_spin > 1 && taken == TermSet::all;
    OperatorLimits own = limits;
    if (above_half && std::ranges::any_of(items, names_a_site_twice)) own.products = SpinProducts::any;
    OperatorList list = read_operators(items, kind, own);
    const bool levels = own.products == SpinProducts::any && list.kind == SiteKind::spins;
    TermSums sums = sorted(levels ? OperatorList{list.kind, list.sites, {}} : list);
    if (levels || (above_half && list.kind == SiteKind::spins && !sums.others.empty())) {  // all as operators of levels
        own.products = SpinProducts::any;
        list = read_operators(items, kind, own);
        sums = sorted({list.kind, list.sites, {}});
        sums.others = list.hamiltonian();
    }
    if (taken == TermSet::sites_and_edges)
        if (const std::optional<OperatorProduct> other = first_other(sums))
            list.line_with(*other).refuse(
                list.kind == SiteKind::spins
                    ? "has, in the sum of all terms, a part that a splitting does not take, of which a term is a "
                      "field, "
                      "Sx Sx, Sy Sy or Sz Sz of two sites; run.method = chebyshev takes any term of spins 1/2, as "
                      "lanczos and dmrg do."
                    : "has, in the sum of all terms, a part that is taken by lanczos and dmrg alone; here a term is n, "
                      "n n or cdag c of one spin component, with the same coefficients for spin up and down.");
    return sums;
}

}  // namespace strata
