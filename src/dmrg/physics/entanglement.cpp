// SPDX-License-Identifier: BSD-3-Clause
// With b = S / 2 = -ln(largest weight) and u = ln(largest weight / weight), the number of weights up to u is
// I_0(2 sqrt(b u)), and the sum of those beyond u is e^-b sum_k b^(k+1)/(k+1)! e^-u sum_(j <= k) u^j/j!.
#include "dmrg/physics/entanglement.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

namespace strata::dmrg {
namespace {

constexpr int max_terms = 1000;

/// Sum of the weights beyond u.
double weights_beyond(double b, double u) {
    double of_b = std::exp(-b), power = std::exp(-u), partial = 0, sum = 0;
    for (int k = 0; k < max_terms; ++k) {
        partial += power;
        of_b *= b / (k + 1);
        sum += of_b * partial;
        power *= u / (k + 1);
    }
    return sum;
}

/// Number of weights up to u.
double number_up_to(double b, double u) {
    double term = 1, sum = 1;
    for (int k = 1; k < max_terms && term > 1e-6 * sum; ++k) sum += term *= b * u / (k * static_cast<double>(k));
    return sum;
}

/// Number of sites that couple across the middle of the chain, on the side that has fewer of them.
std::size_t width_of_middle(const Model& model) {
    std::set<int> left, right;
    for (const Term& t : model.terms.all()) {
        const auto first_right = std::ranges::lower_bound(t.factors, model.sites / 2, {}, &TermFactor::site);
        if (first_right == t.factors.begin() || first_right == t.factors.end()) continue;
        left.insert((first_right - 1)->site);
        right.insert(first_right->site);
    }
    return std::min(left.size(), right.size());
}

}  // namespace

double estimated_entropy(const Model& model) {
    constexpr double electron_constant = 0.6, spin_constant = 0.22;
    const auto width = static_cast<double>(width_of_middle(model));
    if (width == 0) return 0;
    const bool electrons = model.kind == SiteKind::electrons;
    const bool filled = model.conserved == Conserved::numbers || model.conserved == Conserved::particles;
    const double charge = electrons && filled && model.target.up + model.target.down != model.sites ? 2 : 1;
    const double constant = electrons ? electron_constant : spin_constant * static_cast<double>(model.states() - 1);
    const double length = std::max(std::numbers::pi / 2, model.sites / width);
    return constant * width + charge / 6 * std::log(2 * length / std::numbers::pi);
}

double states_of_weight(double entropy, double discarded) {
    const double b = entropy / 2;
    double low = 0, high = 700;
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (weights_beyond(b, middle) > discarded ? low : high) = middle;
    }
    return number_up_to(b, high);
}

}  // namespace strata::dmrg
