// SPDX-License-Identifier: BSD-3-Clause
// Of a product and its Hermitian conjugate one is made; the other one is its transpose.
#include <algorithm>
#include <set>

#include "dmrg/job/model.hpp"
#include "dmrg/job/site_products.hpp"
#include "strata/error.hpp"

namespace strata::dmrg {
namespace {

bool raises(Local o) { return o == Local::raise || (is_unit(o) && target_level(o) > source_level(o)); }

/// Whether this one of a product and its conjugate is made: the one whose first operator that changes a state, in the
/// order of sites, raises it.
bool is_made(const SiteProduct& product) {
    for (const SiteFactor& factor : product.factors)
        for (const ModeOperator& o : factor.operators)
            if (!is_diagonal(o.local)) return raises(o.local);
    return true;
}

bool is_diagonal(const OperatorProduct& product) {
    return std::ranges::all_of(product, [](const ModeOperator& o) { return strata::is_diagonal(o.local); });
}

void add_other(const OperatorProduct& product, double coefficient, Model& model) {
    const SiteProduct sites = by_sites(product, model.kind());
    if (!is_made(sites)) return;
    const double amplitude = sites.sign * coefficient;
    if (!is_energy_of_site(product)) {
        std::vector<Terms::Factor> factors;
        for (const SiteFactor& f : sites.factors) factors.push_back({f.site, matrix_of(model, f), f.odd});
        return model.terms.add(factors, amplitude, !is_diagonal(product), model.channels.size());
    }
    const int site = sites.factors.empty() ? 0 : sites.factors[0].site;
    std::vector<double>& energies = model.energies[static_cast<std::size_t>(site)];
    if (sites.factors.empty())
        for (double& e : energies) e += amplitude;
    else
        for (const auto& [to, from, value] : matrix_of(model, sites.factors[0]).elements)
            energies[static_cast<std::size_t>(from)] += amplitude * value;
}

/// Operators of blocks are in the order of their operator pairs, then of sites.
void number_operators(Model& model) {
    std::set<std::pair<std::size_t, int>> left, right;
    for (const Coupling& c : model.couplings) {
        left.emplace(c.channel, c.i);
        right.emplace(c.channel, c.j);
    }
    for (const auto& [channel, site] : left) {
        const Channel& c = model.channels[channel];
        model.terms.number_single(Side::left, {site, c.x, c.fermionic}, c.fermionic);
    }
    for (const auto& [channel, site] : right) {
        const Channel& c = model.channels[channel];
        model.terms.number_single(Side::right, {site, c.y, false}, c.fermionic);
    }
}

}  // namespace

bool is_energy_of_site(const OperatorProduct& product) {
    return is_diagonal(product) &&
           std::ranges::all_of(product, [&](const ModeOperator& o) { return o.site == product[0].site; });
}

void add_terms(const OperatorSum& others, Model& model) {
    if (!others.is_real())
        throw Error(
            ExitCode::bad_input,
            "H has complex matrix elements (a field along y, or complex coefficients), and this application has "
            "real ones; use application = lanczos.");
    model.others = others;
    model.terms = Terms(model.sites, model.charges);
    number_operators(model);
    for (const Coupling& c : model.couplings) {
        const Channel& channel = model.channels[c.channel];
        model.terms.add({{c.i, channel.x, channel.fermionic}, {c.j, channel.y, false}}, c.amplitude, channel.conjugate,
                        c.channel);
    }
    for (const auto& [product, coefficient] : others.terms()) add_other(product, coefficient.real(), model);
}

}  // namespace strata::dmrg
