// SPDX-License-Identifier: BSD-3-Clause
// Spins become hard-core bosons, S+ = b+, Sz = n - 1/2.
#include "lanczos/physics/make_model.hpp"

#include <algorithm>
#include <numbers>
#include <utility>

#include "models/operator_text.hpp"
#include "strata/error.hpp"

namespace strata::lanczos {

namespace {

/// States of a site that are not those of its modes.
SiteCodes codes_of(const LanczosConfig& c) {
    if (c.spins() && c.twice_spin > 1) return SiteCodes::levels(c.twice_spin);
    if (c.coded_electrons) return SiteCodes::of_electrons();
    return c.projected() ? SiteCodes::without_double_occupancy() : SiteCodes();
}

/// The operator `left` on site i times `right` on site j.
OperatorSum pair(SiteKind kind, const char* left, int i, const char* right, int j, Complex coefficient,
                 int twice_spin = 1) {
    OperatorSum product = site_operator(kind, left, i, twice_spin) * site_operator(kind, right, j, twice_spin);
    product *= coefficient;
    return product;
}

/// Hops and interactions of pairs of electrons, those of the t-J model before it is projected.
OperatorSum electron_terms(const LatticeModel& from) {
    constexpr SiteKind kind = SiteKind::electrons;
    OperatorSum sum(kind);
    for (std::size_t e = 0; e < from.lattice.edges.size(); ++e) {
        const auto& [i, j, amplitude, weight, shell] = from.lattice.edges[e];
        for (const auto& [raise, lower] : {std::pair("cdag_up", "c_up"), {"cdag_dn", "c_dn"}}) {
            sum += pair(kind, raise, j, lower, i, -amplitude);
            sum += pair(kind, raise, i, lower, j, -std::conj(amplitude));
        }
        const double exchange = shell == Shell::term || from.exchange.empty() ? 0 : from.exchange[e][2];
        for (const char* component : {"Sx", "Sy", "Sz"}) sum += pair(kind, component, i, component, j, exchange);
        sum += pair(kind, "n", i, "n", j, from.v * weight - exchange / 4);
    }
    return sum;
}

/// The terms of spins above 1/2, without fields along z. A complex amplitude turns S+ S- by a phase.
OperatorSum spin_terms(const LanczosConfig& c, const LatticeModel& from) {
    constexpr SiteKind kind = SiteKind::spins;
    OperatorSum sum(kind);
    const auto add = [&](const char* left, int i, const char* right, int j, Complex coefficient) {
        sum += pair(kind, left, i, right, j, coefficient, c.twice_spin);
    };
    for (std::size_t e = 0; e < from.lattice.edges.size(); ++e) {
        const Edge& edge = from.lattice.edges[e];
        const auto& [jx, jy, jz] = c.coupling_of(edge.shell);
        const Complex flip = edge.amplitude * ((jx + jy) / 4);
        add("S+", edge.to, "S-", edge.from, flip);
        add("S+", edge.from, "S-", edge.to, std::conj(flip));
        const double both = (from.exchange[e][0] - from.exchange[e][1]) / 4;
        for (const char* component : {"S+", "S-"}) add(component, edge.from, component, edge.to, both);
        add("Sz", edge.from, "Sz", edge.to, from.exchange[e][2]);
    }
    for (int site = 0; site < from.lattice.sites; ++site) {
        add("Sz", site, "Sz", site, c.anisotropy);
        for (const auto& [component, axis] : {std::pair("Sx", Axis::x), {"Sy", Axis::y}}) {
            OperatorSum field = site_operator(kind, component, site, c.twice_spin);
            field *= from.field[index_of(axis)][static_cast<std::size_t>(site)];
            sum += field;
        }
    }
    return sum;
}

/// A model whose sites are coded has all its terms among the others. The energy of a particle is stored apart where it is
/// the same on all sites and the number of particles is conserved.
void make_coded(const LanczosConfig& c, const LatticeModel& from, Model& m) {
    m.spin_components = 1;
    const bool apart = c.conserved == Conserved::numbers || c.conserved == Conserved::particles;
    const bool spins = c.spins();
    const std::vector<double> energies = apart ? m.epsilon : spins ? from.field[index_of(Axis::z)] : from.potential;
    if (spins) m.neutral_filling = 0.5 * c.twice_spin * from.lattice.sites;
    if (!apart) m.site_energy = 0;
    if (m.bits() > model_limits.max_sites)
        throw Error(ExitCode::bad_input, "A site takes " + std::to_string(m.codes.bits) + " bits of the " +
                                             std::to_string(model_limits.max_sites) + " of a state here, and " +
                                             std::to_string(m.lattice.sites) + " sites take more; use at most " +
                                             std::to_string(model_limits.max_sites / m.codes.bits) + " sites.");
    OperatorSum all = spins ? spin_terms(c, from) : electron_terms(from);
    all += from.others;
    for (int i = 0; c.coded_electrons && i < m.lattice.sites; ++i)
        all += pair(m.kind, "n_up", i, "n_dn", i, m.u[static_cast<std::size_t>(i)]);
    for (std::size_t i = 0; i < energies.size(); ++i) {
        OperatorSum energy = site_operator(m.kind, spins ? "Sz" : "n", static_cast<int>(i), c.twice_spin);
        energy *= energies[i];
        all += energy;
    }
    m.others = between_codes(all, m.codes);
    m.u.assign(m.u.size(), 0);
    m.epsilon.assign(m.u.size(), 0);
    m.v = 0;
    for (Edge& e : m.lattice.edges) e.amplitude = e.weight = 0;
}

}  // namespace

OperatorSum between_codes(const OperatorSum& sum, const SiteCodes& codes) {
    OperatorSum kept(sum.kind());
    for (const auto& [product, coefficient] : sum.terms()) {
        const OperatorSum alone = OperatorSum::product(sum.kind(), product, coefficient);
        const SplitTerms terms = split(alone, 0, codes);
        if (!terms.up.empty() || terms.constant != Complex(0)) kept += alone;
    }
    return kept;
}

Model model_of(const Model& model, const OperatorSum& sum) {
    Model alone = model;
    alone.lattice.edges.clear();
    alone.u.assign(model.u.size(), 0);
    alone.epsilon.assign(model.epsilon.size(), 0);
    alone.v = alone.constant = alone.site_energy = 0;
    alone.others = sum;
    return alone;
}

Model make_model(const LanczosConfig& c) {
    LatticeModel from = make_lattice_model(c);
    Model m;
    m.codes = codes_of(c);
    m.u = std::move(from.u);
    m.v = from.v;
    m.kind = c.kind();
    m.spin_components = c.components();
    m.others = other_terms(c, from);
    // a uniform site energy shifts the spectrum and must not count as a scale of energies, so it is stored apart
    std::vector<double> energies = c.spins() ? from.field[index_of(Axis::z)] : from.potential;
    const bool uniform = std::ranges::count(energies, energies[0]) == std::ranges::ssize(energies);
    m.site_energy = uniform ? energies[0] : 0;
    m.epsilon = uniform ? std::vector<double>(energies.size(), 0.0) : energies;
    if (c.spins() && !m.codes.coded()) {
        // (S+ S- + h.c.) (Jx + Jy) / 4 moves a spin up, Sz Sz = n n - (n + n) / 2 + 1/4, h Sz = h n - h / 2
        m.v = 1;
        for (std::size_t i = 0; i < from.lattice.edges.size(); ++i) {
            Edge& e = from.lattice.edges[i];
            const auto& [jx, jy, jz] = c.coupling_of(e.shell);
            e.amplitude *= -(jx + jy) / 4;
            e.weight = from.exchange[i][2];
            m.constant += e.weight / 4;
            for (const int site : {e.from, e.to}) m.epsilon[static_cast<std::size_t>(site)] -= e.weight / 2;
        }
        m.neutral_filling = 0.5 * from.lattice.sites;
        for (const double h : energies) m.constant -= uniform ? 0 : h / 2;
    }
    m.lattice = from.lattice;
    if (m.codes.coded()) make_coded(c, from, m);
    return m;
}

}  // namespace strata::lanczos
