// SPDX-License-Identifier: BSD-3-Clause
// Terms are listed by pairs of patches i <= j in ascending order, as the multiplication requires. The operators of a
// term lead from j to i; matrices that lead from i to j are transposed when they are read.
#include "dmrg/state/superblock.hpp"

#include <algorithm>
#include <set>

namespace strata::dmrg {
namespace {

using superblock::Factor;

void copy_part(const Matrix& m, bool transposed, const superblock::Rectangle& part, double* to) {
    for (std::uint64_t j = part.columns.first; j < part.columns.last; ++j)
        for (std::uint64_t i = part.rows.first; i < part.rows.last; ++i) *to++ = transposed ? m(j, i) : m(i, j);
}

/// A weighted sum of operators, from one sector to another, as a dense matrix.
Matrix dense_sum(const std::vector<std::pair<const EnlargedOperator*, double>>& sum, std::size_t sector,
                 std::uint64_t rows, std::uint64_t columns) {
    Matrix m(rows, columns);
    for (const auto& [op, factor] : sum) add_dense(*op, sector, factor, m);
    return m;
}

bool leads_somewhere(const std::vector<std::pair<const EnlargedOperator*, double>>& sum, std::size_t sector) {
    return std::ranges::any_of(sum, [&](const auto& part) { return !part.first->from_sector[sector].empty(); });
}

}  // namespace

Superblock::Superblock(const Model& model, int centre, const EnlargedBlock& left, const EnlargedBlock& right)
    : centre_(centre), left_(left), right_(right) {
    std::vector<superblock::Patch> patches;
    const Sectors &l = left.basis.sectors, &r = right.basis.sectors;
    for (std::size_t i = 0; i < l.size(); ++i)
        if (const auto j = r.find(l.charges[i])) {
            left_sector_.push_back(i);
            right_sector_.push_back(*j);
            patches.push_back({l.charges[i].up, l.charges[i].down, {r.states[*j], l.states[i]}});
        }
    target_.layout = superblock::PatchLayout(std::move(patches));
    for (std::size_t c = 0; c < model.channels.size(); ++c) products_.push_back(products_of(model, c));
    for (std::size_t patch = 0; patch < left_sector_.size(); ++patch) add_terms(model, patch);
}

std::vector<Superblock::Product> Superblock::products_of(const Model& model, std::size_t channel) const {
    std::set<int> of_left, of_right;
    std::vector<Coupling> crossing;
    for (const Coupling& c : model.couplings)
        if (c.channel == channel && !is_of_centre(c) && left_.operators.contains({channel, c.i}) &&
            right_.operators.contains({channel, c.j})) {
            crossing.push_back(c);
            of_left.insert(c.i);
            of_right.insert(c.j);
        }
    const bool by_left = of_left.size() <= of_right.size();
    std::vector<Product> products;
    for (const int site : by_left ? of_left : of_right) {
        Product p;
        for (const Coupling& c : crossing) {
            if ((by_left ? c.i : c.j) != site) continue;
            const EnlargedOperator *x = &left_.operators.at({channel, c.i}), *y = &right_.operators.at({channel, c.j});
            if (!by_left || p.left.empty()) p.left.emplace_back(x, by_left ? 1.0 : c.amplitude);
            if (by_left || p.right.empty()) p.right.emplace_back(y, by_left ? c.amplitude : 1.0);
        }
        products.push_back(std::move(p));
    }
    return products;
}

void Superblock::add_terms(const Model& model, std::size_t patch) {
    const Matrix &h_left = left_.hamiltonian.from_sector[left_sector_[patch]],
                 &h_right = right_.hamiltonian.from_sector[right_sector_[patch]];
    target_.terms.push_back({patch, patch, 1, Factor::dense, Factor::identity});
    operators_.push_back({&h_left, nullptr, {}, {}, false});
    target_.terms.push_back({patch, patch, 1, Factor::identity, Factor::dense});
    operators_.push_back({nullptr, &h_right, {}, {}, false});
    std::vector<std::pair<std::size_t, std::size_t>> channels;  // partner patch, index of the operator pair
    for (std::size_t c = 0; c < model.channels.size(); ++c) {
        const Charge change = model.channels[c].change, up = std::max(change, Charge{} - change);
        const Sectors& l = left_.basis.sectors;
        for (std::size_t other = patch; other < left_sector_.size(); ++other)
            if (l.charges[left_sector_[other]] == l.charges[left_sector_[patch]] + up) channels.emplace_back(other, c);
    }
    std::ranges::sort(channels);
    for (const auto& [other, c] : channels) {
        const Charge change = model.channels[c].change;
        if (!products_[c].empty()) add_channel(products_[c], change, patch, other);
        for (const Coupling& coupling : model.couplings)
            if (coupling.channel == c && is_of_centre(coupling)) add_copies(coupling, change, patch, other);
    }
}

/// Lists the coupling of the two centre sites, whose operators map segments of product states to segments, as copies.
void Superblock::add_copies(const Coupling& c, Charge change, std::size_t i, std::size_t j) {
    const bool raises = change > Charge{};
    const std::size_t from = raises ? i : j;
    const auto range = [](const Rows& rows) { return Range{rows.first, rows.first + rows.count}; };
    superblock::Term term{i, j, 1, Factor::identity, Factor::identity, {}};
    for (const Piece& l : left_.operators.at({c.channel, c.i}).from_sector[left_sector_[from]])
        for (const Piece& r : right_.operators.at({c.channel, c.j}).from_sector[right_sector_[from]]) {
            const double factor = c.amplitude * l.amplitude * r.amplitude;
            if (raises)
                term.copies.push_back({{range(r.from), range(l.from)}, r.to.first, l.to.first, factor});
            else
                term.copies.push_back({{range(r.to), range(l.to)}, r.from.first, l.from.first, factor});
        }
    if (term.copies.empty()) return;
    target_.terms.push_back(std::move(term));
    operators_.emplace_back();
}

/// Adds the term C_ij between patches i <= j, whose A and B lead from j to i. The matrices of the operator pair lead
/// from i to j if it raises the charge.
void Superblock::add_channel(const std::vector<Product>& products, Charge change, std::size_t i, std::size_t j) {
    const bool raises = change > Charge{};
    const std::size_t from = raises ? i : j, to = raises ? j : i;
    Operators operators;
    operators.transposed = raises;
    for (const Product& p : products) {
        const std::size_t l = left_sector_[from], r = right_sector_[from];
        if (!leads_somewhere(p.left, l) || !leads_somewhere(p.right, r)) continue;
        const superblock::PatchShape &shape_from = target_.layout[from], &shape_to = target_.layout[to];
        operators.left.push_back(dense_sum(p.left, l, shape_to.l, shape_from.l));
        operators.right.push_back(dense_sum(p.right, r, shape_to.r, shape_from.r));
    }
    if (operators.left.empty()) return;
    target_.terms.push_back({i, j, operators.left.size()});
    operators_.push_back(std::move(operators));
}

void Superblock::left(std::size_t term, std::uint64_t k, const superblock::Rectangle& part, double* elements) const {
    const Operators& o = operators_[term];
    const Matrix& m = o.left_hamiltonian != nullptr ? *o.left_hamiltonian : o.left[k];
    copy_part(m, o.transposed, part, elements);
}

void Superblock::right(std::size_t term, std::uint64_t k, const superblock::Rectangle& part, double* elements) const {
    const Operators& o = operators_[term];
    const Matrix& m = o.right_hamiltonian != nullptr ? *o.right_hamiltonian : o.right[k];
    copy_part(m, o.transposed, part, elements);
}

}  // namespace strata::dmrg
