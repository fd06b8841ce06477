// SPDX-License-Identifier: BSD-3-Clause
#include "lanczos/sector.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace strata::lanczos {
namespace {

constexpr std::uint64_t one = 1;

bool odd(std::uint64_t string) { return __builtin_popcountll(string) % 2 == 1; }

}  // namespace

Sector::Sector(Model model, int up, int down)
    : model_(std::move(model)), amplitudes_(model_), shift_(mean_diagonal(model_, up, down)) {
    const int sites = model_.lattice.sites;
    const std::vector<double> pairs = pair_energies(model_);
    if (model_.species == 2) {
        products_.push_back({SpeciesTable(model_, amplitudes_, up), SpeciesTable(model_, amplitudes_, down)});
        coupling_ = pairs;
        up_sites_ = dn_sites_ = sites;
        return;
    }
    lower_sites_ = dn_sites_ = sites / 2;
    up_sites_ = sites - lower_sites_;
    const Model lower = model_.part(0, lower_sites_), upper = model_.part(lower_sites_, sites);
    const int least = std::max(0, up - lower_sites_), most = std::min(up, up_sites_);
    for (int k = least; k <= most; ++k)
        products_.push_back({SpeciesTable(upper, amplitudes_, k), SpeciesTable(lower, amplitudes_, up - k)});
    for (std::size_t to = 0; to < products_.size(); ++to) {
        if (to > 0) add_crossing(to - 1, to);
        if (to + 1 < products_.size()) add_crossing(to + 1, to);
    }
    if (pairs.empty()) return;
    const auto n = static_cast<std::size_t>(sites), low = static_cast<std::size_t>(lower_sites_);
    for (std::size_t i = low; i < n; ++i)
        coupling_.insert(coupling_.end(), pairs.begin() + static_cast<std::ptrdiff_t>(i * n),
                         pairs.begin() + static_cast<std::ptrdiff_t>(i * n + low));
}

/// c+_i c_j passes the particles of the lower half above j and those of the upper half below i.
void Sector::add_crossing(std::size_t from, std::size_t to) {
    const bool gains = to > from;  // the upper half does
    const bool signs = model_.statistics == Statistics::fermions;
    Crossing crossing{from, to, {}, {}};
    std::set<int> part;
    const auto hops = model_.hops();
    const auto upper_end = [&](const auto& sites) { return gains ? sites.first : sites.second; };
    const auto lower_end = [&](const auto& sites) { return gains ? sites.second : sites.first; };
    const auto crosses = [&](const auto& sites) {
        return upper_end(sites) >= lower_sites_ && lower_end(sites) < lower_sites_;
    };
    for (const auto& [sites, amplitude] : hops)
        if (crosses(sites)) part.insert(upper_end(sites) - lower_sites_);
    const SpeciesView to_dn = products_[to].dn.view();
    const Combinations& from_dn = products_[from].dn.basis();
    for (int i : part) {
        crossing.sites.push_back(i);
        HopRows& rows = crossing.hops.emplace_back(amplitudes_);
        for (std::uint64_t d = 0; d < to_dn.dim; ++d) {
            const std::uint64_t string = to_dn.sites[d];
            for (const auto& [sites, amplitude] : hops) {
                if (!crosses(sites) || upper_end(sites) - lower_sites_ != i) continue;
                const int j = lower_end(sites);
                if ((string >> j & 1) == (gains ? 1u : 0u)) continue;
                const bool minus = signs && odd(string >> (j + 1));
                rows.add(from_dn.number(string ^ one << j), minus ? -amplitude : amplitude);
            }
            rows.end_row();
        }
    }
    if (!part.empty()) crossings_.push_back(std::move(crossing));
}

Sector::Source Sector::source(const Crossing& crossing, std::uint64_t row, std::size_t s) const {
    const std::uint64_t string = products_[crossing.to].up.view().sites[row];
    const int i = crossing.sites[s];
    const bool gains = crossing.to > crossing.from;
    if ((string >> i & 1) != (gains ? 1u : 0u)) return {no_row, false};
    return {products_[crossing.from].up.basis().number(string ^ one << i),
            model_.statistics == Statistics::fermions && odd(string & ((one << i) - 1))};
}

BlockLayout Sector::layout(std::size_t product, Arithmetic arithmetic, int ranks, int rank) const {
    BlockLayout l;
    l.dim_up = products_[product].up.basis().count();
    l.dim_dn = products_[product].dn.basis().count();
    l.arithmetic = arithmetic;
    l.blocks = equal_part(l.all_blocks(), static_cast<std::uint64_t>(ranks), static_cast<std::uint64_t>(rank));
    return l;
}

HamiltonianView Sector::hamiltonian(std::size_t product, const BlockLayout& layout) const {
    constexpr int most_bits = 9;
    HamiltonianView h;
    h.layout = layout;
    h.up = products_[product].up.view();
    h.dn = products_[product].dn.view();
    h.shift = shift_;
    if (coupling_.empty() || dn_sites_ == 0) return h;
    h.coupling.up_sites = up_sites_;
    h.coupling.dn_sites = dn_sites_;
    h.coupling.energy = coupling_.data();
    h.coupling.chunks = (dn_sites_ + most_bits - 1) / most_bits;
    h.coupling.chunk_bits = (dn_sites_ + h.coupling.chunks - 1) / h.coupling.chunks;
    return h;
}

std::uint64_t Sector::occupied(std::size_t product, std::uint64_t up, std::uint64_t dn) const {
    const std::uint64_t string = products_[product].up.view().sites[up];
    return model_.species == 2 ? string : string << lower_sites_ | products_[product].dn.view().sites[dn];
}

std::uint64_t Sector::occupied_down(std::size_t product, std::uint64_t dn) const {
    return model_.species == 2 ? products_[product].dn.view().sites[dn] : 0;
}

double Sector::dimension() const {
    double sum = 0;
    for (const Product& p : products_)
        sum += static_cast<double>(p.up.basis().count()) * static_cast<double>(p.dn.basis().count());
    return sum;
}

double Sector::nonzeros() const {
    double sum = 0;
    for (const Product& p : products_)
        sum += static_cast<double>(p.up.entries()) * static_cast<double>(p.dn.basis().count()) +
               static_cast<double>(p.dn.entries()) * static_cast<double>(p.up.basis().count());
    for (const Crossing& c : crossings_) {
        const int particles = products_[c.to].up.basis().particles(), sites = products_[c.to].up.basis().sites();
        const auto rows = static_cast<double>(products_[c.to].up.basis().count());
        const double with_source = c.to > c.from ? rows * particles / sites : rows * (sites - particles) / sites;
        for (const HopRows& hops : c.hops) sum += with_source * static_cast<double>(hops.entries());
    }
    return sum;
}

bool Sector::hermitian() const {
    const auto has_inverses = [](const SpeciesView& s) {
        const std::uint32_t mask = (1u << s.hops.bits) - 1;
        for (std::uint64_t row = 0; row < s.dim; ++row)
            for (std::uint64_t e = s.hops.first[row]; e < s.hops.first[row + 1]; ++e) {
                const std::uint64_t column = s.hops.entries[e] >> s.hops.bits;
                const std::uint32_t a = s.hops.entries[e] & mask;
                const auto inverse = [&](std::uint32_t entry) {
                    const std::uint32_t b = entry & mask;
                    return entry >> s.hops.bits == row && s.hops.re[b] == s.hops.re[a] && s.hops.im[b] == -s.hops.im[a];
                };
                if (std::none_of(s.hops.entries + s.hops.first[column], s.hops.entries + s.hops.first[column + 1],
                                 inverse))
                    return false;
            }
        return true;
    };
    return std::ranges::all_of(
        products_, [&](const Product& p) { return has_inverses(p.up.view()) && has_inverses(p.dn.view()); });
}

std::uint64_t Sector::table_bytes() const {
    std::uint64_t bytes = 0;
    for (const Product& p : products_) bytes += p.up.bytes() + p.dn.bytes();
    for (const Crossing& c : crossings_)
        for (const HopRows& hops : c.hops) bytes += hops.bytes();
    return bytes;
}

double Sector::lower_bound() const {
    double bound = model_.constant;
    for (const auto& [sites, amplitude] : model_.hops()) bound -= model_.species * std::abs(amplitude) / 2;
    for (std::size_t i = 0; i < model_.epsilon.size(); ++i)
        bound +=
            std::min(0.0, model_.species * model_.epsilon[i]) + (model_.species == 2 ? std::min(0.0, model_.u[i]) : 0);
    for (const Edge& e : model_.lattice.edges)
        bound += model_.species * model_.species * std::min(0.0, model_.v * e.weight);
    return bound - 1e-9 * (1 + std::abs(bound));
}

double Sector::upper_bound() const {
    double bound = model_.constant;
    for (const auto& [sites, amplitude] : model_.hops()) bound += model_.species * std::abs(amplitude) / 2;
    for (std::size_t i = 0; i < model_.epsilon.size(); ++i)
        bound +=
            std::max(0.0, model_.species * model_.epsilon[i]) + (model_.species == 2 ? std::max(0.0, model_.u[i]) : 0);
    for (const Edge& e : model_.lattice.edges)
        bound += model_.species * model_.species * std::max(0.0, model_.v * e.weight);
    return bound + 1e-9 * (1 + std::abs(bound));
}

}  // namespace strata::lanczos
