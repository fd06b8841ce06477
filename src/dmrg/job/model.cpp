// SPDX-License-Identifier: BSD-3-Clause
// The states of a Hubbard site have the order 0, up, down, both, with |both> = c+_up c+_down |0>; the states of a spin
// are numbered by m + S.
#include "dmrg/job/model.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace strata::dmrg {
namespace {

std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> c;
    for (std::size_t s = 0; s < a.size(); ++s) c.push_back(a[s] * b[s]);
    return c;
}

/// A pair of equal diagonal operators.
Channel density_channel(const std::string& name, const std::vector<double>& values) {
    return {name, diagonal(values), diagonal(values), false, false};
}

void add_coupling(Model& model, const Bond& b, std::size_t channel, double amplitude) {
    if (amplitude != 0) model.couplings.push_back({std::min(b.i, b.j), std::max(b.i, b.j), channel, amplitude});
}

/// <m + 1| S^+ |m>, m = -S + state.
double raising_element(int twice_spin, int state) {
    const double s = twice_spin / 2.0, m = state - s;
    return std::sqrt(s * (s + 1) - m * (m + 1));
}

}  // namespace

Charge Model::flipped(Charge q, int of_sites) const {
    const int levels = static_cast<int>(states()) - 1;  // 2 S of spins
    switch (conserved) {
        case Conserved::numbers:
            return kind == SiteKind::electrons ? Charge{q.down, q.up} : Charge{levels * of_sites - q.up};
        case Conserved::spin: return {2 * of_sites - q.up};
        case Conserved::parity:
            return {0, 0, kind == SiteKind::electrons ? q.parity : q.parity ^ (levels * of_sites % 2)};
        default: return q;
    }
}

SiteOperator factor_between(const Model& model, bool fermionic) {
    std::vector<double> values;
    for (const int parity : model.parities) values.push_back(fermionic && parity == 1 ? -1 : 1);
    return diagonal(values);
}

std::vector<Bond> bonds_of(const ModelConfig& config, const LatticeModel& model, const OperatorSum& others) {
    std::map<std::pair<int, int>, Bond> bonds;
    for (std::size_t e = 0; e < model.lattice.edges.size(); ++e) {
        const Edge& edge = model.lattice.edges[e];
        const auto [i, j] = std::minmax(edge.from, edge.to);
        Bond& bond = bonds.try_emplace({i, j}, Bond{i, j, 0, 0}).first->second;
        bond.hopping += config.spins() ? (model.exchange[e][0] + model.exchange[e][1]) / 2 : edge.amplitude.real();
        bond.weight += config.spins() ? model.exchange[e][2] : model.v * edge.weight;
        if (!config.projected() || edge.shell == Shell::term) continue;
        bond.exchange += model.exchange[e][2];
        bond.weight -= model.exchange[e][2] / 4;
    }
    for (const auto& [product, coefficient] : others.terms())
        if (const std::vector<int> sites = sites_of(product); sites.size() == 2)
            bonds.try_emplace({sites[0], sites[1]}, Bond{sites[0], sites[1]});
    std::vector<Bond> all;
    for (const auto& [pair, bond] : bonds) all.push_back(bond);
    return all;
}

OperatorSum imaginary_hops(const ModelConfig& config, const LatticeModel& model) {
    OperatorSum sum(config.kind());
    for (const Edge& edge : model.lattice.edges) {
        const double imaginary = edge.amplitude.imag();
        if (std::abs(imaginary) <= OperatorSum::rounding * std::abs(edge.amplitude)) continue;
        const Vector3 j = config.coupling_of(edge.shell);
        const Complex coefficient = {0, imaginary * (config.spins() ? (j[0] + j[1]) / 4 : -1)};
        for (const Mode mode : {Mode::down, Mode::up}) {
            if (mode == Mode::up && config.components() == 1) continue;
            const OperatorSum hop = OperatorSum::product(
                config.kind(), {{mode, edge.to, Local::raise}, {mode, edge.from, Local::lower}}, coefficient);
            sum += hop;
            sum += hop.conjugate();
        }
    }
    return sum;
}

namespace {

/// A model of electrons without terms, on sites with the first `states` states: 4, or 3 without the doubly occupied one.
Model electrons(std::size_t sites, std::size_t states) {
    const auto values = [&](std::vector<double> all) {
        all.resize(states);
        return all;
    };
    const auto matrix = [&](SiteOperator op) {
        std::erase_if(op.elements, [&](const SiteOperator::Element& e) {
            return static_cast<std::size_t>(std::max(e.to, e.from)) >= states;
        });
        return op;
    };
    const auto pair = [&](const char* name, const SiteOperator& x, const SiteOperator& y, bool fermionic) {
        return Channel{name, matrix(x), matrix(y), fermionic, true};
    };
    Model m;
    m.sites = static_cast<int>(sites);
    m.kind = SiteKind::electrons;
    m.charges = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
    m.parities = {0, 1, 1, 0};
    m.names = {"empty", "up", "down", "both"};
    m.flips = {0, 2, 1, 3};
    m.flip_signs = {1, 1, 1, -1};  // |both> = c+_up c+_down |0> changes the order of its electrons
    m.charges.resize(states), m.parities.resize(states), m.names.resize(states);
    m.flips.resize(states), m.flip_signs.resize(states);
    const std::vector<double> n_up = values({0, 1, 0, 1}), n_down = values({0, 0, 1, 1}), n = values({0, 1, 1, 2}),
                              n_both = values({0, 0, 0, 1}), sz = values({0, 0.5, -0.5, 0});
    // X = a+ P and Y = a; a_down gets a sign from an electron with spin up on its site
    m.channels = {pair("hopping-up", {{{1, 0, 1}, {3, 2, -1}}}, {{{0, 1, 1}, {2, 3, 1}}}, true),
                  pair("hopping-down", {{{2, 0, 1}, {3, 1, 1}}}, {{{0, 2, 1}, {1, 3, -1}}}, true),
                  density_channel("density", n)};
    m.local = {{"density-up", "particles with spin up at each site", n_up},
               {"density-down", "particles with spin down at each site", n_down}};
    m.pairs = {{"spin-correlations", "<S^z_i S^z_j>", density_channel("sz", sz), product(sz, sz)},
               {"spin-flip-correlations", "<S^+_i S^-_j>", pair("spin-flip", {{{1, 2, 1}}}, {{{2, 1, 1}}}, false),
                values({0, 1, 0, 0})},
               {"density-correlations", "<n_i n_j>", density_channel("density", n), product(n, n)}};
    if (states == 4) {
        m.local.push_back({"double-occupancy", "both spins at each site", n_both});
        m.pairs.push_back({"pair-correlations", "<c+_i,up c+_i,down c_j,down c_j,up>",
                           pair("pair", {{{3, 0, 1}}}, {{{0, 3, 1}}}, false), n_both});
    }
    return m;
}

/// Hops and weights of electrons.
void add_hops(const std::vector<Bond>& bonds, Model& m) {
    for (const Bond& b : bonds) {
        add_coupling(m, b, 0, -b.hopping);
        add_coupling(m, b, 1, -b.hopping);
        add_coupling(m, b, 2, b.weight);
    }
}

}  // namespace

Model hubbard(const std::vector<Bond>& bonds, const std::vector<double>& u, const std::vector<double>& potential,
              const Filling& filling, const OperatorSum& others) {
    Model m = electrons(u.size(), 4);
    add_hops(bonds, m);
    for (std::size_t i = 0; i < u.size(); ++i) {
        const double e = potential[i];
        m.energies.push_back({0, e, e, u[i] + 2 * e});
    }
    complete(filling, others, m);
    return m;
}

Model t_j(const std::vector<Bond>& bonds, const std::vector<double>& potential, const Filling& filling,
          const OperatorSum& others) {
    Model m = electrons(potential.size(), 3);
    add_hops(bonds, m);
    m.channels.push_back(m.pairs[0].channel);  // S^z
    m.channels.push_back(m.pairs[1].channel);  // S^+ S^-
    for (const Bond& b : bonds) {
        add_coupling(m, b, 3, b.exchange);
        add_coupling(m, b, 4, b.exchange / 2);
    }
    for (const double e : potential) m.energies.push_back({0, e, e});
    complete(filling, others, m);
    return m;
}

Model particles(SiteKind kind, const std::vector<Bond>& bonds, const std::vector<double>& potential,
                const Filling& filling, const OperatorSum& others) {
    const bool fermions = kind == SiteKind::fermions;
    const std::vector<double> n = {0, 1};
    Model m;
    m.sites = static_cast<int>(potential.size());
    m.kind = kind;
    m.charges = {{0, 0}, {1, 0}};
    m.parities = {0, fermions ? 1 : 0};
    m.names = {"empty", "occupied"};
    const Channel hopping = {"hopping", {{{1, 0, 1}}}, {{{0, 1, 1}}}, fermions, true};
    m.channels = {hopping, density_channel("density", n)};
    for (const Bond& b : bonds) {
        add_coupling(m, b, 0, -b.hopping);
        add_coupling(m, b, 1, b.weight);
    }
    for (const double e : potential) m.energies.push_back({0, e});
    m.local = {{"density", "particles at each site", n}};
    m.pairs = {{"density-correlations", "<n_i n_j>", density_channel("density", n), n},
               {"density-matrix", fermions ? "<c+_i c_j>" : "<b+_i b_j>", hopping, n}};
    complete(filling, others, m);
    return m;
}

Model heisenberg(int twice_spin, const std::vector<Bond>& bonds, const std::vector<double>& field, double anisotropy,
                 const Filling& filling, const OperatorSum& others) {
    Model m;
    m.sites = static_cast<int>(field.size());
    const double spin = twice_spin / 2.0;
    std::vector<double> sz, sz2, plus_minus;
    Channel exchange = {"exchange", {}, {}, false, true};
    for (int s = 0; s <= twice_spin; ++s) {
        m.charges.push_back({s, 0});
        m.parities.push_back(0);
        m.names.push_back("m = " + std::to_string(s - spin));
        sz.push_back(s - spin);
        plus_minus.push_back(s == 0 ? 0 : std::pow(raising_element(twice_spin, s - 1), 2));
        if (s == twice_spin) continue;
        exchange.x.elements.push_back({s + 1, s, raising_element(twice_spin, s)});
        exchange.y.elements.push_back({s, s + 1, raising_element(twice_spin, s)});
    }
    m.channels = {exchange, density_channel("sz", sz)};
    for (const Bond& b : bonds) {
        add_coupling(m, b, 0, b.hopping / 2);
        add_coupling(m, b, 1, b.weight);
    }
    sz2 = product(sz, sz);
    for (const double h : field) {
        m.energies.emplace_back();
        for (std::size_t s = 0; s < sz.size(); ++s) m.energies.back().push_back(h * sz[s] + anisotropy * sz2[s]);
    }
    const bool in_field = std::ranges::any_of(field, [](double h) { return h != 0; });
    for (std::size_t s = 0; s < sz.size() && !in_field; ++s) {
        m.flips.push_back(sz.size() - 1 - s);
        m.flip_signs.push_back(1);
    }
    m.local = {{"sz", "<S^z> at each site", sz}};
    m.pairs = {{"spin-correlations", "<S^z_i S^z_j>", density_channel("sz", sz), sz2},
               {"spin-flip-correlations", "<S^+_i S^-_j>", exchange, plus_minus}};
    complete(filling, others, m);
    return m;
}

namespace {

constexpr std::uint64_t many_states = 1'000'000;

/// Number of ways in which `sites` numbers from 0 to `most` add up to `sum`, but at most many_states.
std::uint64_t ways_to_add_up(int sites, int most, int sum) {
    sum = std::min(sum, most * sites - sum);
    if (sum < 0) return 0;
    std::uint64_t binary = 1;  // a lower bound: numbers 0 and 1 only
    for (int i = 0; i < std::min(sum, sites / 2) && binary < many_states; ++i)
        binary = binary * static_cast<std::uint64_t>(sites - i) / (static_cast<std::uint64_t>(i) + 1);
    if (binary >= many_states) return many_states;
    if (most == 1) return binary;
    std::vector<std::uint64_t> ways(static_cast<std::size_t>(sum) + 1);
    ways[0] = 1;
    for (int site = 0; site < sites; ++site)
        for (std::size_t n = ways.size(); n-- > 0;)
            for (std::size_t m = 1; m <= std::min<std::size_t>(n, static_cast<std::size_t>(most)); ++m)
                ways[n] = std::min(ways[n] + ways[n - m], many_states);
    return ways.back();
}

}  // namespace

namespace {

/// Ways to put `up` and `down` electrons on sites that hold one each.
std::uint64_t ways_on_single_sites(int sites, int up, int down) {
    if (up < 0 || down < 0 || up + down > sites) return 0;
    return std::min(ways_to_add_up(sites, 1, up) * ways_to_add_up(sites - up, 1, down), many_states);
}

std::uint64_t projected_states(Conserved conserved, int sites, Charge q) {
    if (conserved == Conserved::numbers) return ways_on_single_sites(sites, q.up, q.down);
    std::uint64_t sum = 0;
    for (int up = 0; up <= sites && sum < many_states; ++up) {
        if (conserved == Conserved::particles) sum += ways_on_single_sites(sites, up, q.up - up);
        if (conserved == Conserved::spin) sum += ways_on_single_sites(sites, up, up - (q.up - sites));
    }
    return std::min(sum, many_states);
}

}  // namespace

std::uint64_t product_states(const Model& model, int sites, Charge q) {
    const Charge most = model.largest_charge();
    const auto levels = static_cast<std::uint64_t>(model.states());
    if (model.conserved != Conserved::parity && model.conserved != Conserved::nothing) {
        if (model.kind == SiteKind::electrons && levels == 3) return projected_states(model.conserved, sites, q);
        if (model.conserved != Conserved::numbers) return ways_to_add_up(2 * sites, 1, q.up);  // each site twice 0 or 1
        return std::min(ways_to_add_up(sites, most.up, q.up) * ways_to_add_up(sites, most.down, q.down), many_states);
    }
    std::uint64_t all = 1;
    for (int i = 0; i < sites && all < 2 * many_states; ++i) all *= levels;
    if (all >= 2 * many_states || model.conserved == Conserved::nothing) return std::min(all, many_states);
    std::int64_t difference = 1;  // even less odd states
    const auto odd = std::ranges::count_if(model.charges, [](const Charge& c) { return c.parity == 1; });
    for (int i = 0; i < sites; ++i) difference *= static_cast<std::int64_t>(levels) - 2 * odd;
    const auto even = (all + static_cast<std::uint64_t>(difference)) / 2;
    return std::min(q.parity == 0 ? even : all - even, many_states);
}

Charge Model::largest_charge() const {
    Charge most;
    for (const Charge& q : charges)
        most = {std::max(most.up, q.up), std::max(most.down, q.down), std::max(most.parity, q.parity)};
    return most;
}

ChargeRange reachable_charges(const Model& model, int bond) {
    const Charge most = model.largest_charge(), all = model.target;
    const int rest = model.sites - bond;
    ChargeRange range{{std::max(0, all.up - rest * most.up), std::max(0, all.down - rest * most.down)},
                      {std::min(all.up, bond * most.up), std::min(all.down, bond * most.down)}};
    if (model.kind == SiteKind::electrons && model.states() == 3 && model.conserved == Conserved::numbers) {
        range.most = bond;
        range.fewest = all.up + all.down - rest;
    }
    if (model.conserved == Conserved::parity) {
        range.lowest.parity = bond == model.sites ? all.parity : 0;
        range.highest.parity = bond == 0 ? 0 : bond == model.sites ? all.parity : 1;
    }
    return range;
}

}  // namespace strata::dmrg
