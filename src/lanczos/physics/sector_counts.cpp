// SPDX-License-Identifier: BSD-3-Clause
// Sizes by counting. A directed hop between two of n sites has one entry for each of the C(n - 2, k - 1) bit strings of
// k particles with one of the sites occupied and the other empty; a hop between the halves of the lattice has, in each
// half, one for each bit string with its site occupied, or empty.
#include "lanczos/physics/sector_counts.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "lanczos/physics/left_hops.hpp"
#include "strata/error.hpp"

namespace strata::lanczos {
namespace {

/// Throws unless an entry of a hopping matrix can name every bit string of `particles` on `sites` sites.
void check_states(int sites, int particles, std::uint64_t max_states, const std::string& where) {
    const std::uint64_t states = choose(sites, particles);
    if (states <= max_states) return;
    throw Error(ExitCode::does_not_fit, std::to_string(particles) + " particles on " + where + " have " +
                                            std::to_string(states) + " states; " + std::to_string(max_states) +
                                            " are the most that hops are listed for. Take fewer sites or particles.");
}

/// Largest (sign = 1) or smallest (sign = -1) sum of the energies of `least` to `most` sites.
double extreme_sum(std::vector<double> energies, int least, int most, double sign) {
    std::ranges::sort(energies, {}, [sign](double e) { return -sign * e; });
    double sum = 0;
    for (int i = 0; i < most && (i < least || sign * energies[static_cast<std::size_t>(i)] > 0); ++i)
        sum += energies[static_cast<std::size_t>(i)];
    return sum;
}

}  // namespace

SectorCounts::SectorCounts(Model model, int up, int down)
    : model_(std::move(model)),
      up_(up),
      down_(model_.spin_components == 2 ? down : 0),
      amplitudes_(model_),
      shift_(mean_diagonal(model_, up, down)),
      constant_(model_.site_energy * (up + down - model_.neutral_filling)) {
    const std::vector<double> pairs = pair_energies(model_);
    if (model_.spin_components == 1) {
        cut_lattice(up, pairs);
        return;
    }
    const int sites = model_.lattice.sites;
    for (int particles : {up, down})
        check_states(sites, particles, amplitudes_.max_rows(), std::to_string(sites) + " sites");
    up_model_ = down_model_ = model_;
    count_subspace(up, down);
    coupling_ = pairs;
}

SectorCounts::SectorCounts(Model model, int up, int down, std::shared_ptr<const SymmetryGroup> group,
                           std::uint64_t line_reals)
    : model_(std::move(model)),
      up_(up),
      down_(model_.spin_components == 2 ? down : 0),
      up_model_(model_),
      down_model_(model_.spin_components == 2 ? model_ : model_.part(0, 0)),
      amplitudes_(model_),
      shift_(mean_diagonal(model_, up, down)),
      constant_(model_.site_energy * (up + down - model_.neutral_filling)) {
    symmetric_.emplace(std::move(group), model_, up, down, line_reals);
    for (std::uint64_t orbits : {symmetric_->rows, symmetric_->orbits})
        if (orbits > amplitudes_.max_rows())
            throw Error(ExitCode::does_not_fit,
                        "A sector of " + std::to_string(orbits) + " orbits of bit strings; " +
                            std::to_string(amplitudes_.max_rows()) +
                            " are the most that hops are listed for. Take fewer sites or particles.");
    subspace_counts_.push_back({Combinations(up_sites(), up), Combinations(down_sites(), down), symmetric_->up_entries,
                                symmetric_->down_entries});
    if (model_.spin_components == 2) coupling_ = pair_energies(model_);
}

/// Counts for one spin component: subspaces with k particles in the right half, hopping between them, and the
/// interaction of the halves.
void SectorCounts::cut_lattice(int particles, const std::vector<double>& pairs) {
    const int sites = model_.lattice.sites, left = sites / 2, right = sites - left;
    const int first = std::max(0, particles - left), last = std::min(particles, right);
    const std::string all = " of the " + std::to_string(sites) + " sites, which are taken by halves,";
    for (int k = first; k <= last; ++k) {
        check_states(right, k, amplitudes_.max_rows(), std::to_string(right) + all);
        check_states(left, particles - k, amplitudes_.max_rows(), std::to_string(left) + all);
    }
    down_model_ = model_.part(0, left);
    up_model_ = model_.part(left, sites);
    for (int k = first; k <= last; ++k) count_subspace(k, particles - k);
    for (std::size_t to = 0; to < subspace_counts_.size(); ++to) {
        if (to > 0) count_subspace_hops(to - 1, to);
        if (to + 1 < subspace_counts_.size()) count_subspace_hops(to + 1, to);
    }
    if (pairs.empty()) return;
    // rows of right sites, columns of left sites
    for (int i = left; i < sites; ++i)
        coupling_.insert(coupling_.end(), pairs.begin() + i * sites, pairs.begin() + i * sites + left);
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
    // down bit strings of `to` in which the hop has just emptied, or filled, its left site
    const std::uint64_t rows_of_hop = choose(down.sites() - 1, gains ? down.particles() : down.particles() - 1);
    std::map<int, std::uint64_t> entries;  // [site]
    std::set<int> left_sites;
    for (const auto& [hop, amplitude] : model_.hops())
        if (const int site = right_site(hop, gains); site >= 0) {
            entries[site] += rows_of_hop;
            left_sites.insert(left_site(hop, gains));
        }
    if (entries.empty()) return;
    SubspaceHopCounts& between = subspace_hop_counts_.emplace_back();
    between.from = from;
    between.to = to;
    between.left_entries = rows_of_hop * left_sites.size();
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
    if (symmetric_) {
        l.dim_up = symmetric_->rows;
        l.dim_down = symmetric_->columns(arithmetic);
        l.panel = symmetric_->column_images * symmetric_->line_reals;
    }
    l.blocks = equal_part(l.all_blocks(), static_cast<std::uint64_t>(ranks), static_cast<std::uint64_t>(rank));
    return l;
}

CouplingView SectorCounts::coupling() const {
    // tables of 2^9 energies for 16 rows stay in the second-level cache
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
    if (symmetric_) return symmetric_->states;
    double sum = 0;
    for (const SubspaceCounts& p : subspace_counts_)
        sum += static_cast<double>(p.up.count()) * static_cast<double>(p.down.count());
    return sum;
}

double SectorCounts::nonzeros() const {
    double sum = 0;
    if (symmetric_) {
        const SubspaceCounts& p = subspace_counts_[0];
        return (static_cast<double>(hopping_entries(up_model_, p.up.particles())) / static_cast<double>(p.up.count()) +
                static_cast<double>(hopping_entries(down_model_, p.down.particles())) /
                    static_cast<double>(p.down.count())) *
               symmetric_->states;
    }
    for (const SubspaceCounts& p : subspace_counts_)
        sum += static_cast<double>(p.up_entries) * static_cast<double>(p.down.count()) +
               static_cast<double>(p.down_entries) * static_cast<double>(p.up.count());
    for (const SubspaceHopCounts& c : subspace_hop_counts_) {
        const Combinations& up = subspace_counts_[c.to].up;
        // up bit strings of `to` that have the right site occupied, or empty
        const std::uint64_t with_source = choose(up.sites() - 1, c.to > c.from ? up.particles() - 1 : up.particles());
        for (std::uint64_t entries : c.entries) sum += static_cast<double>(with_source) * static_cast<double>(entries);
    }
    return sum;
}

std::uint64_t SectorCounts::table_bytes(Arithmetic arithmetic) const {
    if (symmetric_) return symmetric_->table_bytes(arithmetic);
    std::uint64_t bytes = 0;
    for (const SubspaceCounts& p : subspace_counts_)
        bytes +=
            ComponentTable::bytes(p.up.count(), p.up_entries) + ComponentTable::bytes(p.down.count(), p.down_entries);
    for (const SubspaceHopCounts& c : subspace_hop_counts_) {
        const Combinations& down = subspace_counts_[c.to].down;
        bytes +=
            LeftHops::bytes(down.count(), static_cast<std::uint64_t>(down.sites()), c.sites.size(), c.left_entries);
        for (std::uint64_t entries : c.entries) bytes += HoppingRows::bytes(down.count(), entries);
    }
    return bytes;
}

/// Sum of the extremes in the direction `sign` of all terms that act in the sector: |t| for a hop and its inverse of a
/// component that is neither empty nor full, U for the possible numbers of sites with two particles.
double SectorCounts::bound(double sign) const {
    const int sites = model_.lattice.sites, components = model_.spin_components;
    const auto extreme = [&](double energy) { return sign * std::max(0.0, sign * energy); };
    double bound = model_.constant + constant_, components_that_move = 0;
    for (const int particles : {up_, down_}) {
        if (particles > 0) bound += extreme_sum(model_.epsilon, particles, particles, sign);
        if (particles > 0 && particles < sites) ++components_that_move;
    }
    for (const auto& [hop, amplitude] : model_.hops()) bound += sign * components_that_move * std::abs(amplitude) / 2;
    if (components == 2) bound += extreme_sum(model_.u, std::max(0, up_ + down_ - sites), std::min(up_, down_), sign);
    if (up_ + down_ > 1)
        for (const Edge& e : model_.lattice.edges) bound += components * components * extreme(model_.v * e.weight);
    return bound + sign * 1e-9 * (1 + std::abs(bound));
}

}  // namespace strata::lanczos
