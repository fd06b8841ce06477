// SPDX-License-Identifier: BSD-3-Clause
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

Terms::Terms(int sites, std::vector<Charge> charges) : charges_(std::move(charges)) {
    for (auto* of_sides : {&partials_of_, &ending_})
        for (auto& of_sites : *of_sides) of_sites.resize(static_cast<std::size_t>(sites));
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
    const Charge own = charges_[static_cast<std::size_t>(any.to)] - charges_[static_cast<std::size_t>(any.from)];
    const Charge of_rest = rest == PartialProduct::none ? Charge{} : partials[rest].change;
    partials.push_back(
        {rest, factor.site, name.op, side == Side::left ? of_rest + own : of_rest - own, odd, factor.site});
    partials_of_[index(side)][static_cast<std::size_t>(factor.site)].push_back(found->second);
    return found->second;
}

void Terms::add(const std::vector<Factor>& factors, double amplitude, bool conjugate, std::size_t order) {
    const std::size_t n = factors.size();
    Term term{{}, std::vector<std::size_t>(n), std::vector<std::size_t>(n), amplitude, conjugate, order};
    for (std::size_t k = 0; k < n; ++k) {
        term.sites.push_back(factors[k].site);
        term.left[k] =
            partial(Side::left, k == 0 ? PartialProduct::none : term.left[k - 1], factors[k], factors[k].odd);
        if (k == 0) continue;
        int& furthest = partials_[0][term.left[k - 1]].furthest;
        furthest = std::max(furthest, factors[k].site);
    }
    for (std::size_t k = n; k-- > 0;) {
        const bool odd = k > 0 && factors[k - 1].odd;
        term.right[k] = partial(Side::right, k + 1 == n ? PartialProduct::none : term.right[k + 1], factors[k], odd);
        if (k + 1 == n) continue;
        int& furthest = partials_[1][term.right[k + 1]].furthest;
        furthest = std::min(furthest, factors[k].site);
    }
    ending_[0][static_cast<std::size_t>(term.sites.back())].push_back(all_.size());
    ending_[1][static_cast<std::size_t>(term.sites.front())].push_back(all_.size());
    all_.push_back(std::move(term));
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

double Terms::largest() const {
    double most = 0;
    for (const Term& t : all_) most = std::max(most, std::abs(t.amplitude));
    return most;
}

std::vector<CrossingGroup> Terms::crossing(int centre) const {
    std::map<std::pair<Charge, bool>, CrossingGroup> groups;
    for (const Term& t : all_) {
        if (t.sites.front() > centre || t.sites.back() <= centre) continue;
        if (t.sites.size() == 2 && t.sites[0] == centre && t.sites[1] == centre + 1) continue;
        const auto first_right = std::ranges::upper_bound(t.sites, centre) - t.sites.begin();
        const auto k = static_cast<std::size_t>(first_right);
        const Charge change = partials_[0][t.left[k - 1]].change;
        CrossingGroup& group =
            groups.try_emplace({change, t.conjugate}, CrossingGroup{change, t.conjugate, t.order, {}, true, {}})
                .first->second;
        group.order = std::min(group.order, t.order);
        group.terms.push_back({t.left[k - 1], t.right[k], t.amplitude});
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
        if (all_[t].sites.size() == 2 && all_[t].sites[0] == centre) found.push_back(t);
    return found;
}

}  // namespace strata::dmrg
