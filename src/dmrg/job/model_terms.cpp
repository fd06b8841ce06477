// SPDX-License-Identifier: BSD-3-Clause
// What a model of bonds becomes with other terms: charges, products of matrices, symmetries. Of a product and its Hermitian
// conjugate one is made; the other one is its transpose.
#include <algorithm>
#include <set>

#include "dmrg/job/model.hpp"
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

/// c X + conj(c) X^T = Re c (X + X^T) + Im c (X J + (X J)^T), with J^T = -J in the place of i (terms.hpp).
void add_term(std::vector<Terms::Factor> factors, Complex amplitude, bool conjugate, std::size_t driven, Model& model) {
    const std::size_t order = model.channels.size();
    if (amplitude.real() != 0) model.terms.add(factors, amplitude.real(), conjugate, order, driven);
    if (!model.complex || amplitude.imag() == 0) return;
    factors.push_back(model.terms.imaginary_unit());
    model.terms.add(factors, amplitude.imag(), conjugate, order, driven);
}

/// Adds a product of H, or of V_n with driven = n + 1 (Term).
void add_product(const OperatorProduct& product, Complex coefficient, std::size_t driven, Model& model) {
    const SiteProduct sites = by_sites(product, model.kind);
    if (!is_made(sites)) return;
    if (!is_energy_of_site(product)) {
        const std::vector<Terms::Factor> factors = factors_of(model, sites);
        const auto is_zero = [](const Terms::Factor& f) { return f.op.elements.empty(); };  // projected, of t-J
        if (std::ranges::any_of(factors, is_zero)) return;
        return add_term(factors, sites.sign * coefficient, !is_diagonal(product), driven, model);
    }
    const double amplitude = sites.sign * coefficient.real();
    const int site = sites.factors.empty() ? 0 : sites.factors[0].site;
    auto& of_sites = driven == 0 ? model.energies : model.driven_energies[driven - 1];
    std::vector<double>& energies = of_sites[static_cast<std::size_t>(site)];
    if (sites.factors.empty())
        for (double& e : energies) e += amplitude;
    else
        for (const auto& [to, from, value] : matrix_of(model.kind, model.parities, sites.factors[0]).elements)
            energies[static_cast<std::size_t>(from)] += amplitude * value;
}

/// Makes the model complex for a complex sum, and refuses odd numbers of fermion operators.
void accept(const OperatorSum& sum, Model& model) {
    for (const auto& [product, coefficient] : sum.terms()) {
        if (std::abs(coefficient.imag()) > OperatorSum::rounding * sum.largest()) model.become_complex();
        if (const auto [down, up] = change_of(product); is_fermionic(model.kind) && (down + up) % 2 != 0)
            throw Error(ExitCode::bad_input,
                        "The term " + text_of(product, model.kind) +
                            " has an odd number of fermion operators, and this application takes even ones; use "
                            "application = lanczos.");
    }
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

std::vector<Terms::Factor> factors_of(const Model& model, const SiteProduct& product) {
    std::vector<Terms::Factor> factors;
    for (const SiteFactor& f : product.factors)
        factors.push_back({f.site, matrix_of(model.kind, model.parities, f), f.odd});
    return factors;
}

bool is_energy_of_site(const OperatorProduct& product) {
    return is_diagonal(product) &&
           std::ranges::all_of(product, [&](const ModeOperator& o) { return o.site == product[0].site; });
}

namespace {

/// The charge of a state by its numbers of particles, or by m + S.
Charge label(Conserved conserved, Charge numbers) {
    switch (conserved) {
        case Conserved::particles: return {numbers.up + numbers.down};
        case Conserved::spin: return {numbers.up - numbers.down + 1};
        case Conserved::parity: return {0, 0, (numbers.up + numbers.down) % 2};
        case Conserved::nothing: return {};
        default: return numbers;
    }
}

/// F o F for the spin flip F.
OperatorSum flipped(const ModeOperator& o, SiteKind kind, int twice_spin) {
    ModeOperator image = o;
    if (kind == SiteKind::electrons) {
        image.mode = o.mode == Mode::up ? Mode::down : Mode::up;
    } else if (is_unit(o.local)) {
        image.local =
            level_unit(levels_of(o.local), twice_spin - target_level(o.local), twice_spin - source_level(o.local));
    } else if (is_of_levels(o.local)) {  // states above level k become those that are not above 2 S - 1 - k
        image.local = above_level(twice_spin - 1 - level_of(o.local));
        OperatorSum rest = OperatorSum::product(kind, {image}, -1);
        rest += OperatorSum::product(kind, {});
        return rest;
    } else if (o.local == Local::z) {
        return OperatorSum::product(kind, {o}, -1);
    } else {
        image.local = o.local == Local::raise ? Local::lower : Local::raise;
    }
    return OperatorSum::product(kind, {image});
}

OperatorSum flipped(const OperatorSum& sum, int twice_spin) {
    OperatorSum result(sum.kind());
    for (const auto& [product, coefficient] : sum.terms()) {
        OperatorSum image = OperatorSum::product(sum.kind(), {}, coefficient);
        for (const ModeOperator& o : product) image = image * flipped(o, sum.kind(), twice_spin);
        result += image;
    }
    return result;
}

}  // namespace

Charge target_of(const Filling& filling, int sites) {
    switch (filling.conserved) {
        case Conserved::numbers: return {filling.up, filling.down};
        case Conserved::spin: return {filling.up + sites};
        case Conserved::parity: return {0, 0, filling.up};
        default: return {filling.up};
    }
}

void complete(const Filling& filling, const OperatorSum& others, Model& model) {
    accept(others, model);
    model.conserved = filling.conserved;
    model.target = target_of(filling, model.sites);
    for (Charge& q : model.charges) q = label(model.conserved, q);
    const bool flips = !model.flips.empty() && model.flipped(model.target, model.sites) == model.target &&
                       are_equal(others, flipped(others, static_cast<int>(model.states()) - 1));
    if (!flips) model.flips.clear(), model.flip_signs.clear();
    model.others = others;
    model.terms = Terms(model.sites, model.charges);
    number_operators(model);
    for (const Coupling& c : model.couplings) {
        const Channel& channel = model.channels[c.channel];
        model.terms.add({{c.i, channel.x, channel.fermionic}, {c.j, channel.y, false}}, c.amplitude, channel.conjugate,
                        c.channel);
    }
    for (const auto& [product, coefficient] : others.terms()) add_product(product, coefficient, 0, model);
}

void add_driven(const OperatorSum& v, Model& model) {
    accept(v, model);
    model.driven_energies.emplace_back(model.energies.size(), std::vector<double>(model.states()));
    for (const auto& [product, coefficient] : v.terms())
        add_product(product, coefficient, model.driven_energies.size(), model);
}

}  // namespace strata::dmrg
