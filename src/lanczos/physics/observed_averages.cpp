// SPDX-License-Identifier: BSD-3-Clause
// The statistical error is that of the jackknife for ratios (thermal_averages.hpp) alone: the variance of <r| O f(H) |r>
// depends on the norm of O f(H) |r>, which the recurrence does not give.
#include "lanczos/physics/observed_averages.hpp"

#include <algorithm>
#include <cmath>

#include "lanczos/physics/scaled_sums.hpp"
#include "strata/standard_error.hpp"

namespace strata::lanczos {
namespace {

/// Sums of exp(-E/T) with the weights of <r|r> and of <r|O|r>.
using Sums = ScaledSums<2>;

Sums sums_of_vector(const krylov::Quadrature& levels, std::size_t op, double zero, double t) {
    Sums s;
    s.offset = largest_log_weight(levels, zero, t);
    for (std::size_t n = 0; n < levels.nodes.size(); ++n) {
        const double of_o = levels.mixed[op][n];
        s.sum[0] += std::exp(log_weight(levels, n, zero, t) - s.offset);
        if (of_o != 0)
            s.sum[1] +=
                std::copysign(std::exp(std::log(std::abs(of_o)) - (levels.nodes[n] - zero) / t - s.offset), of_o);
    }
    return s;
}

double ratio(const Sums& s) { return s.sum[1] / s.sum[0]; }

/// Variance of the ratio of the sums over all vectors, with the factor of Student's t and the square of the bias.
double jackknife_variance(const std::vector<Sums>& vectors) {
    const auto count = static_cast<double>(vectors.size());
    if (vectors.size() < fewest_samples) return NAN;
    std::vector<double> without;
    double mean = 0, variance = 0;
    for (const Sums& s : sums_without_one(vectors)) {
        without.push_back(ratio(s));
        mean += without.back() / count;
    }
    for (const double a : without) variance += (a - mean) * (a - mean) * (count - 1) / count;
    const double bias = (count - 1) * (mean - ratio(sum_of(vectors)));
    return variance * (count - 1) / (count - 3) + bias * bias;
}

}  // namespace

krylov::Overlaps OverlapTable::of(std::size_t recurrence, std::size_t steps) const {
    krylov::Overlaps all;
    for (std::size_t op = 0; op < operators_; ++op)
        all.emplace_back(products_.data() + (recurrence * operators_ + op) * max_steps_, steps);
    return all;
}

double OverlapTable::largest() const {
    double largest = 0;
    for (const double product : products_) largest = std::max(largest, std::abs(product));
    return largest;
}

void OverlapTable::add_state(std::vector<DistributedArray>& arrays) {
    if (!products_.empty()) arrays.push_back(Record("overlaps").field("overlaps", products_).array());
}

ObservedAverage observed_average(const std::vector<const std::vector<krylov::Quadrature>*>& rules, std::size_t op,
                                 double t, double rounding) {
    double zero = INFINITY;
    for (const krylov::Quadrature& levels : *rules.front())
        zero = std::min(zero, *std::ranges::min_element(levels.nodes));
    ObservedAverage average;
    double least = INFINITY, most = -INFINITY;
    for (const std::vector<krylov::Quadrature>* rule : rules) {
        std::vector<Sums> vectors;
        for (const krylov::Quadrature& levels : *rule) vectors.push_back(sums_of_vector(levels, op, zero, t));
        const double value = ratio(sum_of(vectors));
        least = std::min(least, value);
        most = std::max(most, value);
        if (rule != rules.front()) continue;
        average.value = value;
        average.error = std::sqrt(jackknife_variance(vectors) + rounding * rounding);
    }
    average.step_error = rules.size() > 2 ? most - least : NAN;
    return average;
}

}  // namespace strata::lanczos
