// SPDX-License-Identifier: BSD-3-Clause
// Candidates for exchangeable sites are coupled to each other or have a common neighbour.
#include "dmrg/job/conserved.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

namespace strata::dmrg {
namespace {

/// Amplitudes count as equal if they differ by at most this fraction of the largest one.
constexpr double equal_part = 1e-12;

std::string list(const std::vector<int>& sites) {
    constexpr std::size_t most = 6;
    std::string text;
    for (std::size_t i = 0; i < std::min(sites.size(), most); ++i)
        text += (i > 0 ? ", " : "") + std::to_string(sites[i]);
    return text + (sites.size() > most ? ", ..." : "");
}

bool moves_charge(const Model& model, const TermFactor& factor) {
    if (factor.site == model.sites) return false;  // the imaginary unit
    const SiteOperator::Element& any = model.terms.matrix(factor.op).elements.front();
    return model.charges[static_cast<std::size_t>(any.to)] != model.charges[static_cast<std::size_t>(any.from)];
}

/// Couplings of one site: amplitudes by (operator pair, other site).
using Neighbours = std::map<std::pair<std::size_t, int>, double>;
std::vector<Neighbours> neighbours(const Model& model) {
    std::vector<Neighbours> all(static_cast<std::size_t>(model.sites));
    for (const Coupling& c : model.couplings) {
        all[static_cast<std::size_t>(c.i)][{c.channel, c.j}] += c.amplitude;
        all[static_cast<std::size_t>(c.j)][{c.channel, c.i}] += c.amplitude;
    }
    return all;
}

/// True if the couplings of a and b to all other sites are equal, those of fermionic operators up to the factor `sign`.
bool are_equal(const Model& model, const std::vector<Neighbours>& all, int a, int b, int sign, double smallest) {
    const auto covers = [&](int x, int y) {
        const Neighbours &of_x = all[static_cast<std::size_t>(x)], &of_y = all[static_cast<std::size_t>(y)];
        return std::ranges::all_of(of_x, [&](const auto& entry) {
            const auto& [key, amplitude] = entry;
            if (key.second == y) return true;
            const auto other = of_y.find(key);
            const double factor = model.channels[key.first].fermionic ? sign : 1;
            return std::abs(amplitude - factor * (other == of_y.end() ? 0 : other->second)) <= smallest;
        });
    };
    return covers(a, b) && covers(b, a);
}

}  // namespace

std::vector<std::vector<int>> charge_groups(const Model& model) {
    std::vector<int> group(static_cast<std::size_t>(model.sites));
    std::iota(group.begin(), group.end(), 0);
    const auto root = [&](int site) {
        while (group[static_cast<std::size_t>(site)] != site) site = group[static_cast<std::size_t>(site)];
        return site;
    };
    for (const Term& t : model.terms.all()) {
        int before = -1;
        for (const TermFactor& f : t.factors) {
            if (!moves_charge(model, f)) continue;
            const int b = root(f.site), a = before < 0 ? b : root(before);
            group[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
            before = b;
        }
    }
    std::map<int, std::vector<int>> by_root;
    for (int site = 0; site < model.sites; ++site) by_root[root(site)].push_back(site);
    std::vector<std::vector<int>> groups;
    for (auto& [first, sites] : by_root) groups.push_back(std::move(sites));
    return groups;
}

std::string separate_charges(const Model& model) {
    const Charge most = model.largest_charge();
    const auto is_open = [&](int n, int of_site) { return n > 0 && n < of_site * model.sites; };
    if (!is_open(model.target.up, most.up) && !is_open(model.target.down, most.down)) return {};
    const std::vector<std::vector<int>> groups = charge_groups(model);
    if (groups.size() < 2) return {};
    const bool particles = model.kind != SiteKind::spins && model.conserved != Conserved::spin;
    return std::string(particles ? "No hopping" : "No exchange of x and y components") + " connects the " +
           std::to_string(groups.size()) + " groups of sites (" + list(groups[0]) + "), (" + list(groups[1]) + ")" +
           (groups.size() > 2 ? ", ..." : "") + ", so that H conserves the " +
           (particles ? name_of(model.kind) : "S^z") + " of each of them";
}

std::vector<std::pair<int, int>> exchangeable_sites(const Model& model) {
    const std::vector<Neighbours> all = neighbours(model);
    double largest = 0;
    for (const Coupling& c : model.couplings) largest = std::max(largest, std::abs(c.amplitude));
    std::vector<std::pair<int, int>> pairs;
    for (int a = 0; a < model.sites; ++a) {
        std::set<int> near;
        for (const auto& [to_k, amplitude] : all[static_cast<std::size_t>(a)]) {
            near.insert(to_k.second);
            for (const auto& [to_b, other] : all[static_cast<std::size_t>(to_k.second)]) near.insert(to_b.second);
        }
        for (const int b : near) {
            if (b <= a || model.energies[static_cast<std::size_t>(a)] != model.energies[static_cast<std::size_t>(b)])
                continue;
            const bool equal = are_equal(model, all, a, b, 1, equal_part * largest) ||
                               (is_fermionic(model.kind) && are_equal(model, all, a, b, -1, equal_part * largest));
            std::vector<int> exchanged(static_cast<std::size_t>(model.sites));
            std::iota(exchanged.begin(), exchanged.end(), 0);
            std::swap(exchanged[static_cast<std::size_t>(a)], exchanged[static_cast<std::size_t>(b)]);
            if (equal && strata::are_equal(model.others, model.others.permuted(exchanged))) pairs.emplace_back(a, b);
        }
    }
    return pairs;
}

}  // namespace strata::dmrg
