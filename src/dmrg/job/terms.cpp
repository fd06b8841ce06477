// SPDX-License-Identifier: BSD-3-Clause
// Partial products are numbered at their first use, and found again by their factor nearest to the bond and the number of
// the rest.
#include "dmrg/job/terms.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace strata::dmrg {

SiteOperator diagonal(const std::vector<double>& values) {
    SiteOperator d;
    for (int s = 0; s < static_cast<int>(values.size()); ++s)
        d.elements.push_back({s, s, values[static_cast<std::size_t>(s)]});
    return d;
}

bool is_diagonal(const SiteOperator& op) {
    return std::ranges::all_of(op.elements, [](const SiteOperator::Element& e) { return e.to == e.from; });
}

namespace {

bool is_of_centre(const Term& t, int centre) {
    return t.factors.size() == 2 && t.first_site() == centre && t.last_site() == centre + 1;
}

}  // namespace

Terms::Terms(int sites, std::vector<Charge> charges) : sites_(sites), charges_(std::move(charges)) {
    for (auto* of_sides : {&partials_of_, &ending_})
        for (auto& of_sites : *of_sides) of_sites.resize(static_cast<std::size_t>(sites) + 1);
    imaginary_parts_.resize(static_cast<std::size_t>(sites));
}

std::size_t Terms::operator_index(const SiteOperator& op) {
    const auto [found, is_new] = operator_number_.try_emplace(op, operators_.size());
    if (is_new) operators_.push_back(op);
    return found->second;
}

std::size_t Terms::partial(Side side, std::size_t rest, const Factor& factor, bool odd) {
    const Name name = {rest, factor.site, operator_index(factor.op), odd};
    auto& partials = partials_[index(side)];
    const auto [found, is_new] = partial_number_[index(side)].try_emplace(name, partials.size());
    if (!is_new) return found->second;
    const SiteOperator::Element& any = factor.op.elements.front();
    const Charge own = factor.site == sites_
                           ? Charge{}
                           : charges_[static_cast<std::size_t>(any.to)] - charges_[static_cast<std::size_t>(any.from)];
    const Charge of_rest = rest == PartialProduct::none ? Charge{} : partials[rest].change;
    partials.push_back(
        {rest, factor.site, name.op, side == Side::left ? of_rest + own : of_rest - own, odd, factor.site});
    partials_of_[index(side)][static_cast<std::size_t>(factor.site)].push_back(found->second);
    return found->second;
}

std::size_t Terms::join_imaginary_sum(std::size_t driven, std::size_t rest, const Factor& factor, double amplitude) {
    auto& partials = partials_[index(Side::left)];
    const auto [found, is_new] = imaginary_sums_.try_emplace(driven, partials.size());
    const std::size_t sum = found->second;
    if (is_new) partials.push_back({PartialProduct::none, factor.site, PartialProduct::none, {}, false, sites_});
    partials[sum].site = std::min(partials[sum].site, factor.site);
    imaginary_parts_[static_cast<std::size_t>(factor.site)].push_back(
        {sum, rest, operator_index(factor.op), amplitude});
    return sum;
}

void Terms::add(const std::vector<Factor>& factors, double amplitude, bool conjugate, std::size_t order,
                std::size_t driven) {
    const std::size_t n = factors.size();
    Term term{{}, amplitude, conjugate, order, driven};
    for (const Factor& f : factors) term.factors.push_back({f.site, operator_index(f.op)});
    std::size_t rest = PartialProduct::none;
    for (std::size_t k = 0; k + 1 < n; ++k) {
        const bool lacks_unit = factors[k + 1].site == sites_;
        rest = lacks_unit ? join_imaginary_sum(driven, rest, factors[k], amplitude)
                          : partial(Side::left, rest, factors[k], factors[k].odd);
        term.factors[k].left = rest;
        int& furthest = partials_[0][rest].furthest;
        furthest = std::max(furthest, factors[k + 1].site);
    }
    rest = PartialProduct::none;
    for (std::size_t k = n; --k > 0;) {
        rest = term.factors[k].right = partial(Side::right, rest, factors[k], factors[k - 1].odd);
        int& furthest = partials_[1][rest].furthest;
        furthest = std::min(furthest, factors[k - 1].site);
    }
    ending_[0][static_cast<std::size_t>(term.last_site())].push_back(all_.size());
    ending_[1][static_cast<std::size_t>(term.first_site())].push_back(all_.size());
    all_.push_back(std::move(term));
}

void Terms::finish() {
    operator_number_ = {};
    for (auto& numbers : partial_number_) numbers = {};
}

const std::vector<std::size_t>& Terms::partials_of(Side side, int site) const {
    return partials_of_[index(side)][static_cast<std::size_t>(site)];
}

const std::vector<std::size_t>& Terms::ending(Side side, int site) const {
    return ending_[index(side)][static_cast<std::size_t>(site)];
}

bool Terms::is_needed(Side side, std::size_t id, int site) const {
    const int furthest = partial(side, id).furthest;
    return side == Side::left ? furthest > site : furthest < site;
}

double Terms::largest(DriveNumbers numbers) const {
    double most = 0;
    for (const Term& t : all_) most = std::max(most, std::abs(t.amplitude_in(numbers)));
    return most;
}

double Terms::smallest(double share, DriveNumbers numbers) const {
    const double most = largest(numbers);
    double smallest = most;
    for (const Term& t : all_)
        if (const double size = std::abs(t.amplitude_in(numbers)); size >= share * most)
            smallest = std::min(smallest, size);
    return smallest;
}

std::vector<CrossingGroup> Terms::crossing(int centre, DriveNumbers numbers) const {
    std::map<std::pair<Charge, bool>, CrossingGroup> groups;
    for (const Term& t : all_) {
        if (t.first_site() > centre || t.last_site() <= centre || is_of_centre(t, centre)) continue;
        const auto right = std::ranges::find_if(t.factors, [&](const TermFactor& f) { return f.site > centre; });
        const std::size_t left_id = (right - 1)->left;
        const Charge change = partials_[0][left_id].change;
        CrossingGroup& group =
            groups.try_emplace({change, t.conjugate}, CrossingGroup{change, t.conjugate, t.order, {}, true, {}})
                .first->second;
        group.order = std::min(group.order, t.order);
        const Crossing whole = {left_id, right->right, t.factor_in(numbers)};
        if (!is_imaginary_sum(left_id))
            group.terms.push_back({left_id, right->right, t.amplitude_in(numbers)});
        else if (std::ranges::find(group.terms, whole) == group.terms.end())
            group.terms.push_back(whole);
    }
    std::vector<CrossingGroup> all;
    for (auto& [name, group] : groups) {
        std::set<std::size_t> left, right;
        for (const Crossing& c : group.terms) left.insert(c.left), right.insert(c.right);
        group.by_left = left.size() <= right.size();
        const std::set<std::size_t>& fewer = group.by_left ? left : right;
        group.products.assign(fewer.begin(), fewer.end());
        all.push_back(std::move(group));
    }
    std::ranges::stable_sort(all, {}, &CrossingGroup::order);
    return all;
}

std::vector<std::size_t> Terms::of_centre(int centre) const {
    std::vector<std::size_t> found;
    for (const std::size_t t : ending(Side::left, centre + 1))
        if (is_of_centre(all_[t], centre)) found.push_back(t);
    return found;
}

}  // namespace strata::dmrg
