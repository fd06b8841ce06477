// SPDX-License-Identifier: BSD-3-Clause
// Terms are listed by pairs of patches i <= j in ascending order, as the multiplication requires. The operators of a
// term lead from j to i; matrices that lead from i to j are transposed when they are read.
#include "dmrg/state/superblock.hpp"

#include <algorithm>

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

Superblock::Superblock(const Model& model, int centre, const EnlargedBlock& left, const EnlargedBlock& right,
                       DriveNumbers numbers)
    : centre_(centre), left_(left), right_(right) {
    if (!left.driven.empty()) {
        driven_left_ = driven_hamiltonian(left, numbers);
        driven_right_ = driven_hamiltonian(right, numbers);
    }
    std::vector<superblock::Patch> patches;
    const Sectors &l = left.basis.sectors, &r = right.basis.sectors;
    for (std::size_t i = 0; i < l.size(); ++i)
        if (const auto j = r.find(l.charges[i])) {
            left_sector_.push_back(i);
            right_sector_.push_back(*j);
            patches.push_back({l.charges[i].up, l.charges[i].down, {r.states[*j], l.states[i]}});
        }
    target_.layout = superblock::PatchLayout(std::move(patches));
    for (const CrossingGroup& crossing : model.terms.crossing(centre, numbers)) groups_.push_back(group_of(crossing));
    if (!copies_terms_of_centre())
        for (const std::size_t t : model.terms.of_centre(centre))
            groups_.push_back(group_of(model, model.terms.all()[t], numbers));
    for (std::size_t patch = 0; patch < left_sector_.size(); ++patch) add_terms(model, patch, numbers);
}

Superblock::Group Superblock::group_of(const CrossingGroup& crossing) const {
    Group group{crossing.change, crossing.conjugate, crossing.order, {}};
    for (const std::size_t id : crossing.products) {
        Product p;
        for (const Crossing& c : crossing.terms) {
            if ((crossing.by_left ? c.left : c.right) != id) continue;
            const EnlargedOperator *x = &left_.operators.at(c.left), *y = &right_.operators.at(c.right);
            if (!crossing.by_left || p.left.empty()) p.left.emplace_back(x, crossing.by_left ? 1.0 : c.amplitude);
            if (crossing.by_left || p.right.empty()) p.right.emplace_back(y, crossing.by_left ? c.amplitude : 1.0);
        }
        group.products.push_back(std::move(p));
    }
    return group;
}

Superblock::Group Superblock::group_of(const Model& model, const Term& t, DriveNumbers numbers) const {
    const std::size_t l = t.factors[0].left, r = t.factors[1].right;
    return {model.terms.partial(Side::left, l).change,
            t.conjugate,
            t.order,
            {{{{&left_.operators.at(l), 1.0}}, {{&right_.operators.at(r), t.amplitude_in(numbers)}}}}};
}

template <class F>
void Superblock::for_directions(Charge change, bool conjugate, std::size_t i, std::size_t j, F f) const {
    const Charge &q_i = left_.basis.sectors.charges[left_sector_[i]],
                 &q_j = left_.basis.sectors.charges[left_sector_[j]];
    if (q_j + change == q_i) f(false);
    if (conjugate && q_i + change == q_j) f(true);
}

void Superblock::add_terms(const Model& model, std::size_t patch, DriveNumbers numbers) {
    const bool is_driven = !driven_left_.empty();
    const Matrix &h_left = (is_driven ? driven_left_ : left_.hamiltonian.from_sector)[left_sector_[patch]],
                 &h_right = (is_driven ? driven_right_ : right_.hamiltonian.from_sector)[right_sector_[patch]];
    target_.terms.push_back({patch, patch, 1, Factor::dense, Factor::identity});
    operators_.push_back({&h_left, nullptr, {}, {}, {}});
    target_.terms.push_back({patch, patch, 1, Factor::identity, Factor::dense});
    operators_.push_back({nullptr, &h_right, {}, {}, {}});
    struct Entry {  // groups come before terms of the centre sites
        std::size_t other, order;
        bool of_centre;
        std::size_t number;
        auto operator<=>(const Entry&) const = default;
    };
    std::vector<Entry> entries;
    const auto add = [&](Charge change, bool conjugate, std::size_t order, bool of_centre, std::size_t number) {
        for (std::size_t other = patch; other < left_sector_.size(); ++other) {
            bool leads = false;
            for_directions(change, conjugate, patch, other, [&](bool) { leads = true; });
            if (leads) entries.push_back({other, order, of_centre, number});
        }
    };
    const auto change_of = [&](const Term& t) { return model.terms.partial(Side::left, t.factors[0].left).change; };
    for (std::size_t g = 0; g < groups_.size(); ++g)
        add(groups_[g].change, groups_[g].conjugate, groups_[g].order, false, g);
    for (const std::size_t t : copies_terms_of_centre() ? model.terms.of_centre(centre_) : std::vector<std::size_t>()) {
        const Term& term = model.terms.all()[t];
        add(change_of(term), term.conjugate, term.order, true, t);
    }
    std::ranges::sort(entries);
    for (const Entry& e : entries) {
        if (!e.of_centre) {
            add_group(groups_[e.number], patch, e.other);
            continue;
        }
        const Term& term = model.terms.all()[e.number];
        add_copies(term, term.amplitude_in(numbers), change_of(term), patch, e.other);
    }
}

/// Lists a term of the two centre sites, whose operators map segments of product states to segments, as copies.
void Superblock::add_copies(const Term& t, double amplitude, Charge change, std::size_t i, std::size_t j) {
    const auto range = [](const Rows& rows) { return Range{rows.first, rows.first + rows.count}; };
    superblock::Term term{i, j, 1, Factor::identity, Factor::identity, {}};
    for_directions(change, t.conjugate, i, j, [&](bool transposed) {
        const std::size_t from = transposed ? i : j;
        for (const Piece& l : left_.operators.at(t.factors[0].left).from_sector[left_sector_[from]])
            for (const Piece& r : right_.operators.at(t.factors[1].right).from_sector[right_sector_[from]]) {
                const double factor = amplitude * l.amplitude * r.amplitude;
                if (transposed)
                    term.copies.push_back({{range(r.from), range(l.from)}, r.to.first, l.to.first, factor});
                else
                    term.copies.push_back({{range(r.to), range(l.to)}, r.from.first, l.from.first, factor});
            }
    });
    if (term.copies.empty()) return;
    target_.terms.push_back(std::move(term));
    operators_.emplace_back();
}

/// Adds the term C_ij between patches i <= j, whose A and B lead from j to i.
void Superblock::add_group(const Group& group, std::size_t i, std::size_t j) {
    Operators operators;
    for_directions(group.change, group.conjugate, i, j, [&](bool transposed) {
        const std::size_t from = transposed ? i : j, to = transposed ? j : i;
        const superblock::PatchShape &shape_from = target_.layout[from], &shape_to = target_.layout[to];
        for (const Product& p : group.products) {
            const std::size_t l = left_sector_[from], r = right_sector_[from];
            if (!leads_somewhere(p.left, l) || !leads_somewhere(p.right, r)) continue;
            operators.left.push_back(dense_sum(p.left, l, shape_to.l, shape_from.l));
            operators.right.push_back(dense_sum(p.right, r, shape_to.r, shape_from.r));
            operators.transposed.push_back(transposed);
        }
    });
    if (operators.left.empty()) return;
    target_.terms.push_back({i, j, operators.left.size()});
    operators_.push_back(std::move(operators));
}

void Superblock::left(std::size_t term, std::uint64_t k, const superblock::Rectangle& part, double* elements) const {
    const Operators& o = operators_[term];
    const Matrix& m = o.left_hamiltonian != nullptr ? *o.left_hamiltonian : o.left[k];
    copy_part(m, !o.transposed.empty() && o.transposed[k], part, elements);
}

void Superblock::right(std::size_t term, std::uint64_t k, const superblock::Rectangle& part, double* elements) const {
    const Operators& o = operators_[term];
    const Matrix& m = o.right_hamiltonian != nullptr ? *o.right_hamiltonian : o.right[k];
    copy_part(m, !o.transposed.empty() && o.transposed[k], part, elements);
}

}  // namespace strata::dmrg
