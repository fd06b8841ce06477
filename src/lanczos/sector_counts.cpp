// SPDX-License-Identifier: BSD-3-Clause
// Sizes by counting. A directed hop between two of n sites has one entry for each of the C(n - 2, k - 1) bit strings of
// k particles with one of the sites occupied and the other empty; a hop between the halves of the lattice has, in each
// half, one for each bit string with its site occupied, or empty.
#include "lanczos/sector_counts.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "strata/error.hpp"

namespace strata::lanczos {
namespace {

/// Throws unless the bit strings of `particles` on `sites` sites can all be named by an entry of a table of hops.
void check_states(int sites, int particles, std::uint64_t max_states, const std::string& where) {
    const std::uint64_t states = choose(sites, particles);
    if (states <= max_states) return;
    throw Error(ExitCode::does_not_fit, std::to_string(particles) + " particles on " + where + " have " +
                                            std::to_string(states) + " states; " + std::to_string(max_states) +
                                            " are the most that hops are listed for. Take fewer sites or particles.");
}

}  // namespace

SectorCounts::SectorCounts(Model model, int up, int down)
    : model_(std::move(model)), amplitudes_(model_), shift_(mean_diagonal(model_, up, down)) {
    const int sites = model_.lattice.sites, left = sites / 2;
    const std::uint64_t max_states = amplitudes_.max_rows();
    const std::vector<double> pairs = pair_energies(model_);
    if (model_.spin_components == 2) {
        up_model_ = down_model_ = model_;
        check_states(sites, up, max_states, std::to_string(sites) + " sites");
        check_states(sites, down, max_states, std::to_string(sites) + " sites");
        count_subspace(up, down);
        coupling_ = pairs;
        return;
    }
    down_model_ = model_.part(0, left);
    up_model_ = model_.part(left, sites);
    const int least = std::max(0, up - left), largest = std::min(up, sites - left);
    const std::string all = " of the " + std::to_string(sites) + " sites, which are taken by halves,";
    for (int k = least; k <= largest; ++k) {
        check_states(sites - left, k, max_states, std::to_string(sites - left) + all);
        check_states(left, up - k, max_states, std::to_string(left) + all);
    }
    for (int k = least; k <= largest; ++k) count_subspace(k, up - k);
    for (std::size_t to = 0; to < subspace_counts_.size(); ++to) {
        if (to > 0) count_subspace_hops(to - 1, to);
        if (to + 1 < subspace_counts_.size()) count_subspace_hops(to + 1, to);
    }
    if (pairs.empty()) return;
    const auto n = static_cast<std::size_t>(sites), low = static_cast<std::size_t>(left);
    for (std::size_t i = low; i < n; ++i)
        coupling_.insert(coupling_.end(), pairs.begin() + static_cast<std::ptrdiff_t>(i * n),
                         pairs.begin() + static_cast<std::ptrdiff_t>(i * n + low));
}

void SectorCounts::count_subspace(int up, int down) {
    subspace_counts_.push_back({Combinations(up_sites(), up), Combinations(down_sites(), down),
                                hopping_entries(up_model_, up), hopping_entries(down_model_, down)});
}

int SectorCounts::right_site(std::pair<int, int> hop, bool gains) const {
    const int right = gains ? hop.first : hop.second;
    return right >= down_sites() && left_site(hop, gains) < down_sites() ? right - down_sites() : -1;
}

void SectorCounts::count_subspace_hops(std::size_t from, std::size_t to) {
    const bool gains = to > from;  // whether the right half gains a particle
    const Combinations& down = subspace_counts_[to].down;
    const std::uint64_t rows_of_hop = choose(down.sites() - 1, gains ? down.particles() : down.particles() - 1);
    std::map<int, std::uint64_t> entries;  // [site]
    for (const auto& [hop, amplitude] : model_.hops())
        if (const int site = right_site(hop, gains); site >= 0) entries[site] += rows_of_hop;
    if (entries.empty()) return;
    SubspaceHopCounts& between = subspace_hop_counts_.emplace_back();
    between.from = from;
    between.to = to;
    for (const auto& [site, count] : entries) {
        between.sites.push_back(site);
        between.entries.push_back(count);
    }
}

BlockLayout SectorCounts::layout(std::size_t subspace, Arithmetic arithmetic, int ranks, int rank) const {
    BlockLayout l;
    l.dim_up = subspace_counts_[subspace].up.count();
    l.dim_down = subspace_counts_[subspace].down.count();
    l.arithmetic = arithmetic;
    l.blocks = equal_part(l.all_blocks(), static_cast<std::uint64_t>(ranks), static_cast<std::uint64_t>(rank));
    return l;
}

CouplingView SectorCounts::coupling() const {
    constexpr int max_bits = 9;
    if (coupling_.empty() || down_sites() == 0) return {};
    CouplingView view;
    view.up_sites = up_sites();
    view.down_sites = down_sites();
    view.energy = coupling_.data();
    view.chunks = (down_sites() + max_bits - 1) / max_bits;
    view.chunk_bits = (down_sites() + view.chunks - 1) / view.chunks;
    return view;
}

double SectorCounts::dimension() const {
    double sum = 0;
    for (const SubspaceCounts& p : subspace_counts_)
        sum += static_cast<double>(p.up.count()) * static_cast<double>(p.down.count());
    return sum;
}

double SectorCounts::nonzeros() const {
    double sum = 0;
    for (const SubspaceCounts& p : subspace_counts_)
        sum += static_cast<double>(p.up_entries) * static_cast<double>(p.down.count()) +
               static_cast<double>(p.down_entries) * static_cast<double>(p.up.count());
    for (const SubspaceHopCounts& c : subspace_hop_counts_) {
        const Combinations& up = subspace_counts_[c.to].up;
        const std::uint64_t with_source = choose(up.sites() - 1, c.to > c.from ? up.particles() - 1 : up.particles());
        for (std::uint64_t entries : c.entries) sum += static_cast<double>(with_source) * static_cast<double>(entries);
    }
    return sum;
}

std::uint64_t SectorCounts::table_bytes() const {
    std::uint64_t bytes = 0;
    for (const SubspaceCounts& p : subspace_counts_)
        bytes +=
            ComponentTable::bytes(p.up.count(), p.up_entries) + ComponentTable::bytes(p.down.count(), p.down_entries);
    for (const SubspaceHopCounts& c : subspace_hop_counts_)
        for (std::uint64_t entries : c.entries)
            bytes += HoppingRows::bytes(subspace_counts_[c.to].down.count(), entries);
    return bytes;
}

double SectorCounts::lower_bound() const {
    double bound = model_.constant;
    for (const auto& [sites, amplitude] : model_.hops()) bound -= model_.spin_components * std::abs(amplitude) / 2;
    for (std::size_t i = 0; i < model_.epsilon.size(); ++i)
        bound += std::min(0.0, model_.spin_components * model_.epsilon[i]) +
                 (model_.spin_components == 2 ? std::min(0.0, model_.u[i]) : 0);
    for (const Edge& e : model_.lattice.edges)
        bound += model_.spin_components * model_.spin_components * std::min(0.0, model_.v * e.weight);
    return bound - 1e-9 * (1 + std::abs(bound));
}

double SectorCounts::upper_bound() const {
    double bound = model_.constant;
    for (const auto& [sites, amplitude] : model_.hops()) bound += model_.spin_components * std::abs(amplitude) / 2;
    for (std::size_t i = 0; i < model_.epsilon.size(); ++i)
        bound += std::max(0.0, model_.spin_components * model_.epsilon[i]) +
                 (model_.spin_components == 2 ? std::max(0.0, model_.u[i]) : 0);
    for (const Edge& e : model_.lattice.edges)
        bound += model_.spin_components * model_.spin_components * std::max(0.0, model_.v * e.weight);
    return bound + 1e-9 * (1 + std::abs(bound));
}

}  // namespace strata::lanczos
