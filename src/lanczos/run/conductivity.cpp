// SPDX-License-Identifier: BSD-3-Clause
// The bound of an intensity: with z = omega + i eta, w / x / (z - x) = (w / x + w / (z - x)) / z, of which the last term is
// that of any spectrum (krylov/continued_fraction.hpp).
#include "lanczos/run/conductivity.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include "krylov/continued_fraction.hpp"

namespace strata::lanczos {

/// sum w / x over the nodes above remnants; `lost`: weight of the others.
double Conductivity::inverse_moment(const krylov::Quadrature& rule, double& lost) const {
    double sum = 0;
    lost = 0;
    for (std::size_t n = 0; n < rule.nodes.size(); ++n) {
        if (rule.nodes[n] > least_)
            sum += rule.weights[n] / rule.nodes[n];
        else
            lost += rule.weights[n];
    }
    return sum;
}

void Conductivity::add(std::span<const double> alpha, std::span<const double> beta, double shift, double weight) {
    constexpr double remnant = 1e-9;  // largest weight of remnants of the ground states
    Part part{{alpha.begin(), alpha.end()}, {beta.begin(), beta.end()}, weight};
    for (double& a : part.alpha) a += shift;
    const krylov::Quadrature rule = krylov::gauss_rule(part.alpha, part.beta);
    double lost = 0, of_radau = 0;
    const double inverse = inverse_moment(rule, lost);
    weight_ += lost <= remnant ? weight * inverse : NAN;
    for (std::size_t n = 0; n < rule.nodes.size(); ++n)
        if (rule.nodes[n] > least_) {
            poles_.push_back(rule.nodes[n]);
            strengths_.push_back(weight * rule.weights[n] / rule.nodes[n]);
        }
    const krylov::RitzPair lowest = krylov::lowest_pair(part.alpha, part.beta);
    const double below = lowest.value - part.beta.back() * std::abs(lowest.vector.back());
    if (lowest.value > least_ && below <= least_)
        step_error_ = NAN;
    else
        step_error_ +=
            weight *
            std::abs(inverse_moment(krylov::gauss_radau_rule(part.alpha, part.beta, below), of_radau) - inverse);
    parts_.push_back(std::move(part));
}

double Conductivity::at(double omega) const {
    double sum = 0;
    for (std::size_t n = 0; n < poles_.size(); ++n) {
        const double d = omega - poles_[n];
        sum += strengths_[n] * broadening_ / (d * d + broadening_ * broadening_);
    }
    return sum / std::numbers::pi;
}

double Conductivity::truncation_bound(double omega) const {
    const std::complex<double> z(omega, broadening_);
    double sum = step_error_;
    for (const Part& part : parts_) sum += part.weight * krylov::truncation_bound(z, part.alpha, part.beta);
    return sum / std::abs(z) / std::numbers::pi;
}

}  // namespace strata::lanczos
