// SPDX-License-Identifier: BSD-3-Clause
// A sum times an operator of one mode is the only multiplication: the operator moves to the left past the modes behind
// its own, with a sign for each odd one that an odd one passes, and is multiplied there by the table of one mode.
#include "models/operators.hpp"

#include <algorithm>
#include <cmath>

namespace strata {
namespace {

/// a z + b raise + c lower + d, the product of two operators of one mode.
struct LocalProduct {
    double z = 0, raise = 0, lower = 0, one = 0;
};

LocalProduct multiply(Local left, Local right, double h) {
    using enum Local;
    if (left == z && right == z) return {.z = 1 - 2 * h, .one = h * (1 - h)};
    if (left == z) return right == raise ? LocalProduct{.raise = 1 - h} : LocalProduct{.lower = -h};
    if (right == z) return left == raise ? LocalProduct{.raise = -h} : LocalProduct{.lower = 1 - h};
    if (left == right) return {};
    return left == raise ? LocalProduct{.z = 1, .one = h} : LocalProduct{.z = -1, .one = 1 - h};
}

/// A sum of operators of one mode.
struct LocalSum {
    double one = 0;
    std::vector<std::pair<Local, double>> others = {};
};

LocalSum multiply_levels(Local left, Local right) {
    if (!is_unit(left) && !is_unit(right)) return {0, {{above_level(std::max(level_of(left), level_of(right))), 1}}};
    if (!is_unit(left)) return target_level(right) > level_of(left) ? LocalSum{0, {{right, 1}}} : LocalSum{};
    if (!is_unit(right)) return source_level(left) > level_of(right) ? LocalSum{0, {{left, 1}}} : LocalSum{};
    if (source_level(left) != target_level(right)) return {};
    const int levels = levels_of(left), to = target_level(left), from = source_level(right);
    if (to != from) return {0, {{level_unit(levels, to, from), 1}}};
    LocalSum projector = {to == 0 ? 1.0 : 0.0};
    if (to > 0) projector.others.emplace_back(above_level(to - 1), 1);
    if (to + 1 < levels) projector.others.emplace_back(above_level(to), -1);
    return projector;
}

LocalSum product_of(Local left, Local right, double h) {
    if (is_of_levels(left)) return multiply_levels(left, right);
    const LocalProduct p = multiply(left, right, h);
    return {p.one, {{Local::z, p.z}, {Local::raise, p.raise}, {Local::lower, p.lower}}};
}

Local conjugate_of(Local local) {
    if (is_unit(local)) return level_unit(levels_of(local), source_level(local), target_level(local));
    if (is_of_levels(local)) return local;
    if (local == Local::z) return local;
    return local == Local::raise ? Local::lower : Local::raise;
}

}  // namespace

const char* name_of(SiteKind kind) {
    switch (kind) {
        case SiteKind::electrons: return "electrons";
        case SiteKind::fermions: return "fermions without spin";
        case SiteKind::bosons: return "hard-core bosons";
        default: return "spins";
    }
}

ChargeChange change_of(const OperatorProduct& product) {
    ChargeChange change = {0, 0};
    for (const ModeOperator& o : product)
        if (!is_diagonal(o.local))
            change[static_cast<std::size_t>(o.mode)] += is_unit(o.local) ? target_level(o.local) - source_level(o.local)
                                                        : o.local == Local::raise ? 1
                                                                                  : -1;
    return change;
}

std::string text_of(const OperatorProduct& product, SiteKind kind) {
    if (product.empty()) return "a constant";
    std::string text;
    for (const ModeOperator& o : product) {
        if (is_of_levels(o.local)) {
            text += (text.empty() ? "" : " ") +
                    (is_unit(o.local) ? "|" + std::to_string(target_level(o.local)) + "><" +
                                            std::to_string(source_level(o.local)) + "|"
                                      : "A" + std::to_string(level_of(o.local))) +
                    " " + std::to_string(o.site);
            continue;
        }
        const std::string spin = kind != SiteKind::electrons ? "" : o.mode == Mode::up ? "_up" : "_dn";
        const char* const names[3][3] = {{"n", "cdag", "c"}, {"Sz", "S+", "S-"}, {"n", "bdag", "b"}};
        const int row = kind == SiteKind::spins ? 1 : kind == SiteKind::bosons ? 2 : 0;
        text += (text.empty() ? "" : " ") + std::string(names[row][static_cast<std::size_t>(o.local)]) + spin + " " +
                std::to_string(o.site);
    }
    return text;
}

OperatorSum OperatorSum::product(SiteKind kind, const std::vector<ModeOperator>& factors, Complex coefficient) {
    OperatorSum sum(kind);
    sum.add({}, coefficient);
    for (const ModeOperator& factor : factors) sum = sum.times(factor);
    return sum;
}

Complex OperatorSum::operator[](const OperatorProduct& product) const {
    const auto found = terms_.find(product);
    return found == terms_.end() ? Complex(0) : found->second;
}

void OperatorSum::add(const OperatorProduct& product, Complex coefficient) {
    if (coefficient == Complex(0)) return;
    const auto [term, is_new] = terms_.try_emplace(product, coefficient);
    if (is_new) return;
    term->second += coefficient;
    if (term->second == Complex(0)) terms_.erase(term);
}

OperatorSum& OperatorSum::operator+=(const OperatorSum& other) {
    if (empty()) kind_ = other.kind_;
    for (const auto& [product, coefficient] : other.terms_) add(product, coefficient);
    return *this;
}

OperatorSum& OperatorSum::operator*=(Complex factor) {
    for (auto& [product, coefficient] : terms_) coefficient *= factor;
    std::erase_if(terms_, [](const auto& term) { return term.second == Complex(0); });
    return *this;
}

OperatorSum OperatorSum::times(const ModeOperator& right) const {
    OperatorSum result(kind_);
    for (const auto& [product, coefficient] : terms_) {
        // factors behind the mode of `right`, which it passes
        const auto behind = std::ranges::find_if(product, [&](const ModeOperator& o) {
            return std::pair(o.mode, o.site) > std::pair(right.mode, right.site);
        });
        const auto passed = std::count_if(behind, product.end(), [&](const ModeOperator& o) { return is_odd(o); });
        const Complex c = is_odd(right) && passed % 2 == 1 ? -coefficient : coefficient;
        const auto at = behind - product.begin();
        if (at == 0 || !product[static_cast<std::size_t>(at) - 1].same_mode(right)) {
            OperatorProduct longer = product;
            longer.insert(longer.begin() + at, right);
            result.add(longer, c);
            continue;
        }
        ModeOperator own = product[static_cast<std::size_t>(at) - 1];
        const LocalSum p = product_of(own.local, right.local, h());
        OperatorProduct rest = product;
        rest.erase(rest.begin() + at - 1);
        result.add(rest, c * p.one);
        for (const auto& [local, factor] : p.others) {
            own.local = local;
            OperatorProduct same = rest;
            same.insert(same.begin() + at - 1, own);
            result.add(same, c * factor);
        }
    }
    return result;
}

OperatorSum OperatorSum::operator*(const OperatorSum& right) const {
    OperatorSum result(kind_);
    for (const auto& [product, coefficient] : right.terms_) {
        OperatorSum part = *this;
        for (const ModeOperator& factor : product) part = part.times(factor);
        part *= coefficient;
        result += part;
    }
    return result;
}

OperatorSum OperatorSum::conjugate() const {
    OperatorSum result(kind_);
    for (const auto& [product, coefficient] : terms_) {
        std::vector<ModeOperator> reversed(product.rbegin(), product.rend());
        for (ModeOperator& o : reversed) o.local = conjugate_of(o.local);
        result += OperatorSum::product(kind_, reversed, std::conj(coefficient));
    }
    return result;
}

double OperatorSum::largest() const {
    double largest = 0;
    for (const auto& [product, coefficient] : terms_) largest = std::max(largest, std::abs(coefficient));
    return largest;
}

void OperatorSum::remove_rounding(double relative) {
    const double limit = relative * largest();
    const auto kept = [&](double part) { return std::abs(part) > limit ? part : 0; };
    for (auto& [product, coefficient] : terms_) coefficient = {kept(coefficient.real()), kept(coefficient.imag())};
    std::erase_if(terms_, [](const auto& term) { return term.second == Complex(0); });
}

bool OperatorSum::is_hermitian(double relative) const {
    OperatorSum difference = conjugate();
    difference *= -1;
    difference += *this;
    return difference.largest() <= relative * largest();
}

bool OperatorSum::is_real() const {
    return std::ranges::all_of(terms_, [](const auto& term) { return term.second.imag() == 0; });
}

std::set<ChargeChange> OperatorSum::changes() const {
    std::set<ChargeChange> all;
    for (const auto& [product, coefficient] : terms_) all.insert(change_of(product));
    return all;
}

OperatorSum OperatorSum::permuted(const std::vector<int>& image) const {
    OperatorSum result(kind_);
    for (const auto& [product, coefficient] : terms_) {
        std::vector<ModeOperator> moved = product;
        for (ModeOperator& o : moved) o.site = image[static_cast<std::size_t>(o.site)];
        result += OperatorSum::product(kind_, moved, coefficient);
    }
    return result;
}

OperatorSum OperatorSum::inverted() const {
    OperatorSum result(kind_);
    for (const auto& [product, coefficient] : terms_) {
        std::vector<ModeOperator> turned = product;
        double sign = 1;
        for (ModeOperator& o : turned)
            if (o.local == Local::z)
                sign = -sign;
            else
                o.local = o.local == Local::raise ? Local::lower : Local::raise;
        result += OperatorSum::product(kind_, turned, sign * coefficient);
    }
    return result;
}

OperatorSum OperatorSum::exchanged(const std::vector<int>& signs) const {
    OperatorSum result(kind_);
    for (const auto& [product, coefficient] : terms_) {
        OperatorSum part = OperatorSum::product(kind_, {}, coefficient);
        for (ModeOperator o : product) {
            if (o.local == Local::z) {
                OperatorSum occupied = part.times(o);
                occupied *= -1;
                part += occupied;
                continue;
            }
            o.local = conjugate_of(o.local);
            part = part.times(o);
            part *= signs[static_cast<std::size_t>(o.site)];
        }
        result += part;
    }
    return result;
}

bool are_equal(const OperatorSum& a, const OperatorSum& b) {
    const double limit = OperatorSum::rounding * std::max(a.largest(), b.largest());
    const auto covers = [&](const OperatorSum& x, const OperatorSum& y) {
        return std::ranges::all_of(x.terms(),
                                   [&](const auto& term) { return std::abs(term.second - y[term.first]) <= limit; });
    };
    return covers(a, b) && covers(b, a);
}

OperatorSum commutator(const OperatorSum& a, const OperatorSum& b) {
    OperatorSum result = b * a;
    result *= -1;
    result += a * b;
    return result;
}

}  // namespace strata
