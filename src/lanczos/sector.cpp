// SPDX-License-Identifier: BSD-3-Clause
// The tables: hops within the strings of each product, and hops that lead from one product to another.
#include "lanczos/sector.hpp"

namespace strata::lanczos {
namespace {

constexpr std::uint64_t one = 1;

bool odd(std::uint64_t string) { return __builtin_popcountll(string) % 2 == 1; }

}  // namespace

Sector::Sector(const SectorCounts& counts) : SectorCounts(counts) {
    for (const ProductCounts& p : product_counts())
        products_.push_back({SpeciesTable(up_model(), amplitudes(), p.up.particles()),
                             SpeciesTable(dn_model(), amplitudes(), p.dn.particles())});
    for (const CrossingCounts& c : crossing_counts()) add_crossing(c);
}

/// c+_i c_j passes the particles of the lower half above j and those of the upper half below i.
void Sector::add_crossing(const CrossingCounts& counts) {
    const bool gains = counts.to > counts.from;  // the upper half does
    const bool signs = model().statistics == Statistics::fermions;
    Crossing& crossing = crossings_.emplace_back(Crossing{counts, {}});
    const auto hops = model().hops();
    const SpeciesView to_dn = products_[counts.to].dn.view();
    const Combinations& from_dn = products_[counts.from].dn.basis();
    for (std::size_t s = 0; s < counts.sites.size(); ++s) {
        HopRows& rows = crossing.hops.emplace_back(amplitudes(), to_dn.dim, counts.entries[s]);
        for (std::uint64_t d = 0; d < to_dn.dim; ++d) {
            const std::uint64_t string = to_dn.sites[d];
            for (const auto& [hop, amplitude] : hops) {
                if (upper_site(hop, gains) != counts.sites[s]) continue;
                const int j = lower_site(hop, gains);
                if ((string >> j & 1) == (gains ? 1u : 0u)) continue;
                const bool minus = signs && odd(string >> (j + 1));
                rows.add(from_dn.number(string ^ one << j), minus ? -amplitude : amplitude);
            }
            rows.end_row();
        }
    }
}

Sector::Source Sector::source(const Crossing& crossing, std::uint64_t row, std::size_t s) const {
    const std::uint64_t string = products_[crossing.to].up.view().sites[row];
    const int i = crossing.sites[s];
    const bool gains = crossing.to > crossing.from;
    if ((string >> i & 1) != (gains ? 1u : 0u)) return {no_row, false};
    return {products_[crossing.from].up.basis().number(string ^ one << i),
            model().statistics == Statistics::fermions && odd(string & ((one << i) - 1))};
}

HamiltonianView Sector::hamiltonian(std::size_t product, const BlockLayout& layout) const {
    HamiltonianView h;
    h.layout = layout;
    h.up = products_[product].up.view();
    h.dn = products_[product].dn.view();
    h.shift = shift();
    h.coupling = coupling();
    return h;
}

std::uint64_t Sector::occupied(std::size_t product, std::uint64_t up, std::uint64_t dn) const {
    const std::uint64_t string = products_[product].up.view().sites[up];
    return model().species == 2 ? string : string << dn_sites() | products_[product].dn.view().sites[dn];
}

std::uint64_t Sector::occupied_down(std::size_t product, std::uint64_t dn) const {
    return model().species == 2 ? products_[product].dn.view().sites[dn] : 0;
}

}  // namespace strata::lanczos
