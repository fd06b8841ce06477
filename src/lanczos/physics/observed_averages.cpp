// SPDX-License-Identifier: BSD-3-Clause
// The statistical error is that of the jackknife for ratios (thermal_averages.hpp) alone: the variance of <r| O f(H) |r>
// depends on the norm of O f(H) |r>, which the recurrence does not give.
//
// In half_weighted_error() the last coefficient has one sign, since all coefficients of a recurrence do: the integral is a
// sum over levels of (exp(a tau) - exp(-b tau)) / (a + b), with a = E_0 - lowest and b = E_j - E_0.
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

/// The lowest of all levels.
double zero_of(const std::vector<krylov::Quadrature>& vectors) {
    double zero = INFINITY;
    for (const krylov::Quadrature& levels : vectors) zero = std::min(zero, *std::ranges::min_element(levels.nodes));
    return zero;
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

std::vector<double> half_weighted_state(const krylov::TridiagonalPairs& pairs, double t) {
    const std::size_t n = pairs.values.size();
    std::vector<double> state(n);
    double square = 0;
    for (std::size_t j = 0; j < n; ++j) {
        const double factor = pairs.vectors[j * n] * std::exp(-(pairs.values[j] - pairs.values[0]) / (2 * t));
        for (std::size_t k = 0; k < n; ++k) state[k] += factor * pairs.vectors[j * n + k];
    }
    for (const double c : state) square += c * c;
    for (double& c : state) c /= std::sqrt(square);
    return state;
}

double half_weighted_error(const krylov::TridiagonalPairs& pairs, double last_beta, double lowest, double t) {
    if (last_beta == 0) return 0;
    const std::size_t n = pairs.values.size();
    const double tau = 1 / (2 * t), a = std::max(0.0, pairs.values[0] - lowest);
    double integral = 0, square = 0;
    for (std::size_t j = 0; j < n; ++j) {
        const double b = pairs.values[j] - pairs.values[0], first = pairs.vectors[j * n];
        const double mean = (a + b) * tau < 1e-8 ? tau : -std::expm1(-(a + b) * tau) / (a + b);
        integral += first * pairs.vectors[j * n + n - 1] * mean;
        square += first * first * std::exp(-2 * b * tau);
    }
    return last_beta * std::exp(a * tau) * std::abs(integral) / std::sqrt(square);
}

std::vector<double> half_weighted_errors(const krylov::RecurrenceTable& table, std::size_t vectors,
                                         const std::vector<double>& temperatures) {
    std::vector<krylov::TridiagonalPairs> pairs;
    double lowest = INFINITY;
    const auto last_beta = [&](std::size_t r) { return table.steps(r) < table.max_steps() ? 0 : table.beta(r).back(); };
    for (std::size_t r = 0; r < vectors; ++r) {
        pairs.push_back(krylov::all_pairs(table.alpha(r), table.beta(r)));
        const std::size_t n = pairs[r].values.size();
        lowest = std::min(lowest, pairs[r].values[0] - last_beta(r) * std::abs(pairs[r].vectors[n - 1]));
    }
    std::vector<double> errors;
    for (std::size_t r = 0; r < vectors; ++r)
        for (const double t : temperatures) errors.push_back(half_weighted_error(pairs[r], last_beta(r), lowest, t));
    return errors;
}

ObservedAverage StateMeans::average(const std::vector<krylov::Quadrature>& gauss, std::size_t op, double t,
                                    double rounding) const {
    const auto at = static_cast<std::size_t>(std::ranges::find(temperatures_, t) - temperatures_.begin());
    const double zero = zero_of(gauss);
    std::vector<Sums> vectors;
    double norm = 0;
    for (std::size_t r = 0; r < gauss.size(); ++r) {
        const double mean = means_[place(r, at, op)];
        norm = std::max(norm, std::hypot(mean, spreads_[place(r, at, op)]));
        Sums s;
        s.offset = largest_log_weight(gauss[r], zero, t);
        for (std::size_t n = 0; n < gauss[r].nodes.size(); ++n)
            s.sum[0] += std::exp(log_weight(gauss[r], n, zero, t) - s.offset);
        s.sum[1] = mean * s.sum[0];
        vectors.push_back(s);
    }
    const Sums all = sum_of(vectors);
    ObservedAverage average{ratio(all), std::hypot(std::sqrt(jackknife_variance(vectors)), rounding * norm), 0};
    for (std::size_t r = 0; r < gauss.size(); ++r) {
        const double share = vectors[r].sum[0] / all.sum[0] * std::exp(vectors[r].offset - all.offset),
                     error = errors_[r * temperatures_.size() + at],
                     width = std::hypot(spreads_[place(r, at, op)], means_[place(r, at, op)] - average.value);
        average.step_error += error < 1 ? 2 * share * error * (1 + error) * width : NAN;
    }
    return average;
}

void StateMeans::add_state(std::vector<DistributedArray>& arrays) {
    if (!means_.empty())
        arrays.push_back(Record("state-means").field("means", means_).field("spreads", spreads_).array());
}

ObservedAverage observed_average(const std::vector<const std::vector<krylov::Quadrature>*>& rules, std::size_t op,
                                 double t, double rounding) {
    const double zero = zero_of(*rules.front());
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
