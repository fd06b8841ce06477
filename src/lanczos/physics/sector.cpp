// SPDX-License-Identifier: BSD-3-Clause
// Tables within subspaces are made by ComponentTable; those of R x C_R here (kernels/lanczos/component_table.hpp).
#include "lanczos/physics/sector.hpp"

#include <bit>
#include <cmath>

namespace strata::lanczos {
Sector::Sector(const SectorCounts& counts, Arithmetic arithmetic) : SectorCounts(counts) {
    if (symmetric()) {
        const SubspaceCounts& p = subspace_counts()[0];
        symmetric_tables_ = std::make_unique<const SymmetricTables>(*symmetric(), up_model(), p.up, p.down.particles(),
                                                                    up_terms(), arithmetic);
        subspaces_.push_back({symmetric_tables_->up_table(), symmetric_tables_->down_table()});
        return;
    }
    for (const SubspaceCounts& p : subspace_counts())
        subspaces_.push_back({ComponentTable(up_model(), amplitudes(), p.up, up_terms()),
                              ComponentTable(down_model(), amplitudes(), p.down, down_terms())});
    for (const SubspaceHopCounts& c : subspace_hop_counts()) add_subspace_hops(c);
}

/// C_R, row by row.
void Sector::add_subspace_hops(const SubspaceHopCounts& counts) {
    SubspaceHops& between = subspace_hops_.emplace_back(SubspaceHops{counts, {}, nullptr});
    const ComponentView to_down = subspaces_[counts.to].down.view();
    const BitStrings& from_down = subspaces_[counts.from].down.basis();
    for (std::size_t r = 0; r < counts.rows.size(); ++r) {
        HoppingRows& matrix = between.hops.emplace_back(amplitudes(), to_down.dim, counts.entries[r]);
        for (std::uint64_t d = 0; d < to_down.dim; ++d) {
            const std::uint64_t occupation = to_down.sites[d];
            for (const auto& [op, amplitude] : counts.rows[r].columns)
                if (op.reaches(occupation))
                    matrix.add(from_down.index_of(occupation ^ op.flip), op.minus(occupation) ? -amplitude : amplitude);
            matrix.end_row();
        }
    }
    if (counts.kind == SubspaceHopCounts::Kind::between_halves) add_left_hops(between);
}

void Sector::add_left_hops(SubspaceHops& between) const {
    const auto sites = static_cast<std::size_t>(down_sites());
    std::vector<Complex> amplitudes(between.rows.size() * sites);
    for (std::size_t r = 0; r < between.rows.size(); ++r)
        for (const auto& [op, amplitude] : between.rows[r].columns)
            amplitudes[r * sites + static_cast<std::size_t>(std::countr_zero(op.flip))] = amplitude;
    between.left = std::make_unique<const LeftHops>(subspaces_[between.from].down.basis(), subspaces_[between.to].down,
                                                    model().statistics(), amplitudes, between.left_entries);
}

Sector::Source Sector::source(const SubspaceHops& between, std::uint64_t row, std::size_t term) const {
    const std::uint64_t occupation = subspaces_[between.to].up.view().sites[row];
    const BitOperator& op = between.rows[term].row;
    if (!op.reaches(occupation)) return {no_row, false};
    return {subspaces_[between.from].up.basis().index_of(occupation ^ op.flip), op.minus(occupation)};
}

HamiltonianView Sector::hamiltonian(std::size_t subspace, const BlockLayout& layout) const {
    HamiltonianView h;
    h.layout = layout;
    h.up = subspaces_[subspace].up.view();
    h.down = subspaces_[subspace].down.view();
    h.shift = shift();
    h.coupling = coupling();
    if (symmetric_tables_ != nullptr) {
        h.symmetry = symmetric_tables_->view();
        h.computed = symmetric_tables_->computed_hops();
    }
    return h;
}

std::uint64_t Sector::up_string(std::size_t subspace, std::uint64_t up) const {
    return symmetric() && symmetric()->one_component ? symmetric_tables_->representative(up)
                                                     : subspaces_[subspace].up.view().sites[up];
}

std::uint64_t Sector::occupied(std::size_t subspace, std::uint64_t up, std::uint64_t down) const {
    const std::uint64_t occupation = up_string(subspace, up);
    return model().spin_components == 2 ? occupation
                                        : occupation << down_sites() | subspaces_[subspace].down.view().sites[down];
}

std::uint64_t Sector::occupied_down(std::size_t subspace, std::uint64_t down) const {
    return model().spin_components == 2 ? subspaces_[subspace].down.view().sites[down] : 0;
}

Sector::Stored Sector::stored(const BasisWords& words) const {
    const bool two = model().spin_components == 2;
    const std::uint64_t up = two ? words[1] : words[0] >> down_sites(),
                        down = two ? words[0] : words[0] & ((std::uint64_t{1} << down_sites()) - 1);
    if (symmetric_tables_ != nullptr) return stored_by_symmetry(up, down);
    std::size_t p = 0;
    while (!subspace_counts()[p].up.contains(up) || !subspace_counts()[p].down.contains(down)) ++p;
    return {p, subspace_counts()[p].up.index_of(up), subspace_counts()[p].down.index_of(down), 1};
}

/// For u' = s T_g r, psi(u', T_h o) = s chi(g) psi(r, T_(g^-1 h) o) (symmetric_sector.hpp).
Sector::Stored Sector::stored_by_symmetry(std::uint64_t up, std::uint64_t down) const {
    const SymmetryGroup& group = *symmetric()->group;
    const Orbits::Place place = row_place(up);
    const double row = (place.minus ? -1 : 1) * std::sqrt(place.stabilisers / static_cast<double>(group.order()));
    const Complex factor = row * group.character(place.element);
    if (symmetric()->one_component) return {0, place.orbit, 0, factor};
    const std::uint64_t column = column_of(down);
    return {0, place.orbit, moved_column(place.element, column),
            factor * moved_sign(place.element, column) / column_factor(column)};
}

std::uint64_t Sector::column_of(std::uint64_t down) const {
    return symmetric_tables_ != nullptr ? symmetric_tables_->column_of(down)
                                        : subspaces_[0].down.basis().index_of(down);
}

double Sector::column_factor(std::uint64_t column) const {
    return symmetric_tables_ != nullptr ? symmetric_tables_->column_factor(column) : 1;
}

}  // namespace strata::lanczos
