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

const std::vector<double> n_up = {0, 1, 0, 1}, n_down = {0, 0, 1, 1}, n_total = {0, 1, 1, 2}, n_both = {0, 0, 0, 1};

/// X = a+ P and Y = a for spin up, then for spin down. a_down gets a sign from an electron with spin up on its site.
Channel hopping_up() { return {"hopping-up", {{{1, 0, 1}, {3, 2, -1}}}, {{{0, 1, 1}, {2, 3, 1}}}, true, true}; }
Channel hopping_down() { return {"hopping-down", {{{2, 0, 1}, {3, 1, 1}}}, {{{0, 2, 1}, {1, 3, -1}}}, true, true}; }

/// <m + 1| S^+ |m>, m = -S + state.
double raising_element(int twice_spin, int state) {
    const double s = twice_spin / 2.0, m = state - s;
    return std::sqrt(s * (s + 1) - m * (m + 1));
}

}  // namespace

bool Model::is_fermionic() const { return std::ranges::count(parities, 1) != 0; }

Charge Model::flipped(Charge q, int of_sites) const {
    const int levels = static_cast<int>(states()) - 1;  // 2 S of spins
    switch (conserved) {
        case Conserved::numbers: return is_fermionic() ? Charge{q.down, q.up} : Charge{levels * of_sites - q.up};
        case Conserved::spin: return {2 * of_sites - q.up};
        case Conserved::parity: return {0, 0, is_fermionic() ? q.parity : q.parity ^ (levels * of_sites % 2)};
        default: return q;
    }
}

SiteOperator factor_between(const Model& model, bool fermionic) {
    std::vector<double> values;
    for (const int parity : model.parities) values.push_back(fermionic && parity == 1 ? -1 : 1);
    return diagonal(values);
}

std::vector<Bond> bonds_of(const ModelConfig& config, const LatticeModel& model) {
    std::map<std::pair<int, int>, Bond> bonds;
    for (std::size_t e = 0; e < model.lattice.edges.size(); ++e) {
        const Edge& edge = model.lattice.edges[e];
        const auto [i, j] = std::minmax(edge.from, edge.to);
        Bond& bond = bonds.try_emplace({i, j}, Bond{i, j, 0, 0}).first->second;
        bond.hopping += config.spins() ? (model.exchange[e][0] + model.exchange[e][1]) / 2 : edge.amplitude.real();
        bond.weight += config.spins() ? model.exchange[e][2] : model.v * edge.weight;
    }
    std::vector<Bond> all;
    for (const auto& [pair, bond] : bonds) all.push_back(bond);
    return all;
}

Model hubbard(const std::vector<Bond>& bonds, const std::vector<double>& u, const std::vector<double>& potential,
              const Filling& filling, const OperatorSum& others) {
    Model m;
    m.sites = static_cast<int>(u.size());
    m.charges = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
    m.parities = {0, 1, 1, 0};
    m.names = {"empty", "up", "down", "both"};
    m.channels = {hopping_up(), hopping_down(), density_channel("density", n_total)};
    for (const Bond& b : bonds) {
        add_coupling(m, b, 0, -b.hopping);
        add_coupling(m, b, 1, -b.hopping);
        add_coupling(m, b, 2, b.weight);
    }
    for (std::size_t i = 0; i < u.size(); ++i) {
        const double e = potential[i];
        m.energies.push_back({0, e, e, u[i] + 2 * e});
    }
    m.flips = {0, 2, 1, 3};
    m.flip_signs = {1, 1, 1, -1};  // |both> = c+_up c+_down |0> changes the order of its electrons
    m.local = {{"density-up", "particles with spin up at each site", n_up},
               {"density-down", "particles with spin down at each site", n_down},
               {"double-occupancy", "both spins at each site", n_both}};
    const std::vector<double> sz = {0, 0.5, -0.5, 0};
    const Channel spin_flip = {"spin-flip", {{{1, 2, 1}}}, {{{2, 1, 1}}}, false, true};
    const Channel pair = {"pair", {{{3, 0, 1}}}, {{{0, 3, 1}}}, false, true};
    m.pairs = {{"spin-correlations", "<S^z_i S^z_j>", density_channel("sz", sz), product(sz, sz)},
               {"spin-flip-correlations", "<S^+_i S^-_j>", spin_flip, {0, 1, 0, 0}},
               {"density-correlations", "<n_i n_j>", density_channel("density", n_total), product(n_total, n_total)},
               {"pair-correlations", "<c+_i,up c+_i,down c_j,down c_j,up>", pair, n_both}};
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

std::uint64_t product_states(const Model& model, int sites, Charge q) {
    const Charge most = model.largest_charge();
    switch (model.conserved) {
        case Conserved::numbers:
            return std::min(ways_to_add_up(sites, most.up, q.up) * ways_to_add_up(sites, most.down, q.down),
                            many_states);
        case Conserved::particles:
        case Conserved::spin: return ways_to_add_up(2 * sites, 1, q.up);  // each site twice 0 or 1
        default: break;
    }
    // the states of even parity are (all + difference) / 2, and odd levels beside even ones differ by 1 or 0
    const auto levels = static_cast<std::uint64_t>(model.states());
    std::uint64_t all = 1;
    for (int i = 0; i < sites && all < many_states; ++i) all *= levels;
    if (model.conserved == Conserved::parity) {
        const std::uint64_t difference = sites == 0 || levels % 2 == 1 ? 1 : 0;
        all = q.parity == 0 ? (all + difference) / 2 : (all - difference) / 2;
    }
    return std::min(all, many_states);
}

Charge Model::largest_charge() const {
    Charge most;
    for (const Charge& q : charges) most = {std::max(most.up, q.up), std::max(most.down, q.down)};
    return most;
}

ChargeRange reachable_charges(const Model& model, int bond) {
    const Charge most = model.largest_charge(), all = model.target;
    const int rest = model.sites - bond;
    return {{std::max(0, all.up - rest * most.up), std::max(0, all.down - rest * most.down)},
            {std::min(all.up, bond * most.up), std::min(all.down, bond * most.down)}};
}

}  // namespace strata::dmrg
