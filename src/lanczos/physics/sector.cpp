// SPDX-License-Identifier: BSD-3-Clause
// Tables within subspaces are made by ComponentTable; those between subspaces here. A particle that hops from left site
// j to right site i passes the particles of the left half above j and those of the right half below i, which gives the
// sign of the entries of B_s and of S_s (kernels/lanczos/component_table.hpp).
#include "lanczos/physics/sector.hpp"

#include <algorithm>

namespace strata::lanczos {
namespace {

/// Whether an odd number of sites is occupied, so that a fermion that passes them changes its sign.
bool odd(std::uint64_t occupation) { return __builtin_popcountll(occupation) % 2 == 1; }

}  // namespace

Sector::Sector(const SectorCounts& counts, Arithmetic arithmetic) : SectorCounts(counts) {
    if (symmetric()) {
        const SubspaceCounts& p = subspace_counts()[0];
        symmetric_tables_ = std::make_unique<const SymmetricTables>(*symmetric(), model(), p.up.particles(),
                                                                    p.down.particles(), arithmetic);
        subspaces_.push_back({symmetric_tables_->up_table(), symmetric_tables_->down_table()});
        return;
    }
    for (const SubspaceCounts& p : subspace_counts())
        subspaces_.push_back({ComponentTable(up_model(), amplitudes(), p.up.particles()),
                              ComponentTable(down_model(), amplitudes(), p.down.particles())});
    for (const SubspaceHopCounts& c : subspace_hop_counts()) add_subspace_hops(c);
}

/// B_s, row by row: all hops between right site s and some left site j.
void Sector::add_subspace_hops(const SubspaceHopCounts& counts) {
    const bool gains = counts.to > counts.from;  // whether the right half gains a particle
    const bool signs = model().statistics == Statistics::fermions;
    SubspaceHops& between = subspace_hops_.emplace_back(SubspaceHops{counts, {}, nullptr});
    const auto hops = model().hops();
    const ComponentView to_down = subspaces_[counts.to].down.view();
    const Combinations& from_down = subspaces_[counts.from].down.basis();
    for (std::size_t s = 0; s < counts.sites.size(); ++s) {
        HoppingRows& rows = between.hops.emplace_back(amplitudes(), to_down.dim, counts.entries[s]);
        for (std::uint64_t d = 0; d < to_down.dim; ++d) {
            const std::uint64_t occupation = to_down.sites[d];
            for (const auto& [hop, amplitude] : hops) {
                if (right_site(hop, gains) != counts.sites[s]) continue;
                const int j = left_site(hop, gains);
                if ((occupation >> j & 1) == (gains ? 1u : 0u)) continue;
                const bool minus = signs && odd_above(occupation, j);
                rows.add(from_down.index_of(occupation ^ std::uint64_t{1} << j), minus ? -amplitude : amplitude);
            }
            rows.end_row();
        }
    }
    add_left_hops(between);
}

void Sector::add_left_hops(SubspaceHops& between) const {
    const bool gains = between.to > between.from;
    const auto sites = static_cast<std::size_t>(down_sites());
    std::vector<Complex> amplitudes(between.sites.size() * sites);
    for (const auto& [hop, amplitude] : model().hops())
        if (const auto s = std::ranges::find(between.sites, right_site(hop, gains)); s != between.sites.end())
            amplitudes[static_cast<std::size_t>(s - between.sites.begin()) * sites +
                       static_cast<std::size_t>(left_site(hop, gains))] = amplitude;
    between.left = std::make_unique<const LeftHops>(subspaces_[between.from].down.basis(), subspaces_[between.to].down,
                                                    model().statistics, amplitudes, between.left_entries);
}

Sector::Source Sector::source(const SubspaceHops& between, std::uint64_t row, std::size_t s) const {
    const std::uint64_t occupation = subspaces_[between.to].up.view().sites[row];
    const int i = between.sites[s];
    const bool gains = between.to > between.from;
    if ((occupation >> i & 1) != (gains ? 1u : 0u)) return {no_row, false};
    return {subspaces_[between.from].up.basis().index_of(occupation ^ std::uint64_t{1} << i),
            model().statistics == Statistics::fermions && odd(occupation & ((std::uint64_t{1} << i) - 1))};
}

HamiltonianView Sector::hamiltonian(std::size_t subspace, const BlockLayout& layout) const {
    HamiltonianView h;
    h.layout = layout;
    h.up = subspaces_[subspace].up.view();
    h.down = subspaces_[subspace].down.view();
    h.shift = shift();
    h.coupling = coupling();
    if (symmetric_tables_ != nullptr) h.symmetry = symmetric_tables_->view();
    return h;
}

std::uint64_t Sector::occupied(std::size_t subspace, std::uint64_t up, std::uint64_t down) const {
    const std::uint64_t occupation = subspaces_[subspace].up.view().sites[up];
    return model().spin_components == 2 ? occupation
                                        : occupation << down_sites() | subspaces_[subspace].down.view().sites[down];
}

std::uint64_t Sector::occupied_down(std::size_t subspace, std::uint64_t down) const {
    return model().spin_components == 2 ? subspaces_[subspace].down.view().sites[down] : 0;
}

std::uint64_t Sector::column_of(std::uint64_t down) const {
    return symmetric_tables_ != nullptr ? symmetric_tables_->column_of(down)
                                        : subspaces_[0].down.basis().index_of(down);
}

double Sector::column_factor(std::uint64_t column) const {
    return symmetric_tables_ != nullptr ? symmetric_tables_->column_factor(column) : 1;
}

}  // namespace strata::lanczos
