// SPDX-License-Identifier: BSD-3-Clause
// Products are sorted by F, V and P.
#include "trotter/physics/spin_products.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace strata::trotter {

SpinProduct::SpinProduct(const OperatorProduct& product) {
    for (const ModeOperator& o : product) {
        const std::uint64_t bit = std::uint64_t{1} << o.site;
        if (o.local == Local::z) {
            sum.parity |= bit;
            factor /= 2;
        } else {
            flip |= bit;
            if (o.local == Local::raise) sum.value |= bit;
        }
    }
}

FlipTerms::FlipTerms(const OperatorSum& sum) {
    std::map<std::tuple<std::uint64_t, SignedSum>, Complex> sorted;
    for (const auto& [product, coefficient] : sum.terms()) {
        if (product.empty()) {
            constant_ = coefficient.real();
            continue;
        }
        SpinProduct p(product);
        p.sum.value ^= p.flip;
        sorted[{p.flip, p.sum}] += coefficient * p.factor;
    }
    for (const auto& [key, coefficient] : sorted) {
        const auto& [flip, of_states] = key;
        if (groups_.empty() || groups_.back().flip != flip) groups_.push_back({flip, {}, coefficients_.size()});
        groups_.back().sums.push_back(of_states);
        coefficients_.push_back(coefficient);
    }
}

double FlipTerms::bound() const {
    double bound = 0;
    for (const FlipGroup& group : groups_) {
        std::map<std::uint64_t, double> of_value;
        for (std::size_t k = 0; k < group.sums.size(); ++k)
            of_value[group.sums[k].value] += std::abs(coefficients_[group.first + k]);
        double largest = 0;
        for (const auto& [value, size] : of_value) largest = std::max(largest, size);
        bound += largest;
    }
    return bound;
}

}  // namespace strata::trotter
