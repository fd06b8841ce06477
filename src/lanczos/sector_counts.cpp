// SPDX-License-Identifier: BSD-3-Clause
// Sizes by counting. A directed hop between two of n sites is listed once for each of the C(n - 2, k - 1) strings of k
// particles that have one of the sites occupied and the other empty; a hop between the halves of the lattice, in each
// half for the strings that have its site occupied, or empty.
#include "lanczos/sector_counts.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "strata/error.hpp"

namespace strata::lanczos {
namespace {

/// Throws unless the strings of `particles` on `sites` sites can all be named by an entry of a table of hops.
void check_strings(int sites, int particles, std::uint64_t most, const std::string& where) {
    const std::uint64_t strings = choose(sites, particles);
    if (strings <= most) return;
    throw Error(ExitCode::does_not_fit, std::to_string(particles) + " particles on " + where + " have " +
                                            std::to_string(strings) + " states; " + std::to_string(most) +
                                            " are the most that hops are listed for. Take fewer sites or particles.");
}

}  // namespace

SectorCounts::SectorCounts(Model model, int up, int down)
    : model_(std::move(model)), amplitudes_(model_), shift_(mean_diagonal(model_, up, down)) {
    const int sites = model_.lattice.sites, lower = sites / 2;
    const std::uint64_t most = amplitudes_.max_rows();
    const std::vector<double> pairs = pair_energies(model_);
    if (model_.species == 2) {
        up_model_ = dn_model_ = model_;
        check_strings(sites, up, most, std::to_string(sites) + " sites");
        check_strings(sites, down, most, std::to_string(sites) + " sites");
        count_product(up, down);
        coupling_ = pairs;
        return;
    }
    dn_model_ = model_.part(0, lower);
    up_model_ = model_.part(lower, sites);
    const int least = std::max(0, up - lower), largest = std::min(up, sites - lower);
    const std::string all = " of the " + std::to_string(sites) + " sites, which are taken by halves,";
    for (int k = least; k <= largest; ++k) {
        check_strings(sites - lower, k, most, std::to_string(sites - lower) + all);
        check_strings(lower, up - k, most, std::to_string(lower) + all);
    }
    for (int k = least; k <= largest; ++k) count_product(k, up - k);
    for (std::size_t to = 0; to < product_counts_.size(); ++to) {
        if (to > 0) count_crossing(to - 1, to);
        if (to + 1 < product_counts_.size()) count_crossing(to + 1, to);
    }
    if (pairs.empty()) return;
    const auto n = static_cast<std::size_t>(sites), low = static_cast<std::size_t>(lower);
    for (std::size_t i = low; i < n; ++i)
        coupling_.insert(coupling_.end(), pairs.begin() + static_cast<std::ptrdiff_t>(i * n),
                         pairs.begin() + static_cast<std::ptrdiff_t>(i * n + low));
}

void SectorCounts::count_product(int up, int down) {
    product_counts_.push_back({Combinations(up_sites(), up), Combinations(dn_sites(), down), hop_entries(up_model_, up),
                               hop_entries(dn_model_, down)});
}

int SectorCounts::upper_site(std::pair<int, int> hop, bool gains) const {
    const int upper = gains ? hop.first : hop.second;
    return upper >= dn_sites() && lower_site(hop, gains) < dn_sites() ? upper - dn_sites() : -1;
}

void SectorCounts::count_crossing(std::size_t from, std::size_t to) {
    const bool gains = to > from;  // the upper half does
    const Combinations& dn = product_counts_[to].dn;
    const std::uint64_t rows_of_hop = choose(dn.sites() - 1, gains ? dn.particles() : dn.particles() - 1);
    std::map<int, std::uint64_t> entries;  // [site]
    for (const auto& [hop, amplitude] : model_.hops())
        if (const int site = upper_site(hop, gains); site >= 0) entries[site] += rows_of_hop;
    if (entries.empty()) return;
    CrossingCounts& crossing = crossing_counts_.emplace_back();
    crossing.from = from;
    crossing.to = to;
    for (const auto& [site, count] : entries) {
        crossing.sites.push_back(site);
        crossing.entries.push_back(count);
    }
}

BlockLayout SectorCounts::layout(std::size_t product, Arithmetic arithmetic, int ranks, int rank) const {
    BlockLayout l;
    l.dim_up = product_counts_[product].up.count();
    l.dim_dn = product_counts_[product].dn.count();
    l.arithmetic = arithmetic;
    l.blocks = equal_part(l.all_blocks(), static_cast<std::uint64_t>(ranks), static_cast<std::uint64_t>(rank));
    return l;
}

CouplingView SectorCounts::coupling() const {
    constexpr int max_bits = 9;
    if (coupling_.empty() || dn_sites() == 0) return {};
    CouplingView view;
    view.up_sites = up_sites();
    view.dn_sites = dn_sites();
    view.energy = coupling_.data();
    view.chunks = (dn_sites() + max_bits - 1) / max_bits;
    view.chunk_bits = (dn_sites() + view.chunks - 1) / view.chunks;
    return view;
}

double SectorCounts::dimension() const {
    double sum = 0;
    for (const ProductCounts& p : product_counts_)
        sum += static_cast<double>(p.up.count()) * static_cast<double>(p.dn.count());
    return sum;
}

double SectorCounts::nonzeros() const {
    double sum = 0;
    for (const ProductCounts& p : product_counts_)
        sum += static_cast<double>(p.up_entries) * static_cast<double>(p.dn.count()) +
               static_cast<double>(p.dn_entries) * static_cast<double>(p.up.count());
    for (const CrossingCounts& c : crossing_counts_) {
        const Combinations& up = product_counts_[c.to].up;
        const std::uint64_t with_source = choose(up.sites() - 1, c.to > c.from ? up.particles() - 1 : up.particles());
        for (std::uint64_t entries : c.entries) sum += static_cast<double>(with_source) * static_cast<double>(entries);
    }
    return sum;
}

std::uint64_t SectorCounts::table_bytes() const {
    std::uint64_t bytes = 0;
    for (const ProductCounts& p : product_counts_)
        bytes += SpeciesTable::bytes(p.up.count(), p.up_entries) + SpeciesTable::bytes(p.dn.count(), p.dn_entries);
    for (const CrossingCounts& c : crossing_counts_)
        for (std::uint64_t entries : c.entries) bytes += HopRows::bytes(product_counts_[c.to].dn.count(), entries);
    return bytes;
}

double SectorCounts::lower_bound() const {
    double bound = model_.constant;
    for (const auto& [sites, amplitude] : model_.hops()) bound -= model_.species * std::abs(amplitude) / 2;
    for (std::size_t i = 0; i < model_.epsilon.size(); ++i)
        bound +=
            std::min(0.0, model_.species * model_.epsilon[i]) + (model_.species == 2 ? std::min(0.0, model_.u[i]) : 0);
    for (const Edge& e : model_.lattice.edges)
        bound += model_.species * model_.species * std::min(0.0, model_.v * e.weight);
    return bound - 1e-9 * (1 + std::abs(bound));
}

double SectorCounts::upper_bound() const {
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
