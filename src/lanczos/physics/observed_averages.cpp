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

Sums sums_of_vector(const krylov::Quadrature& levels, std::optional<std::size_t> op, double zero, double t) {
    Sums s;
    s.offset = largest_log_weight(levels, zero, t);
    for (std::size_t n = 0; n < levels.nodes.size(); ++n) {
        const double of_o = op ? levels.mixed[*op][n] : 0;
        s.sum[0] += std::exp(log_weight(levels, n, zero, t) - s.offset);
        if (of_o != 0)
            s.sum[1] +=
                std::copysign(std::exp(std::log(std::abs(of_o)) - (levels.nodes[n] - zero) / t - s.offset), of_o);
    }
    return s;
}

/// The lowest of all levels by all steps.
double zero_of(const std::vector<ObservedSector>& sectors) {
    double zero = INFINITY;
    for (const ObservedSector& sector : sectors)
        for (const krylov::Quadrature& levels : *sector.rules.front())
            zero = std::min(zero, *std::ranges::min_element(levels.nodes));
    return zero;
}

double ratio(const Sums& s) { return s.sum[1] / s.sum[0]; }

/// The sums of the vectors of a trace, [sector][vector].
struct TraceSums {
    const std::vector<ObservedSector>& sectors;
    std::vector<std::vector<Sums>> vectors = {};

    /// D_k / R_k, or D_k / (R_k - 1); of one sector alone the factor has no effect.
    double factor(std::size_t k, std::size_t left_out = 0) const {
        return sectors.size() == 1 ? 1 : sectors[k].states / static_cast<double>(vectors[k].size() - left_out);
    }
    std::vector<Sums> of_sectors() const {
        std::vector<Sums> all;
        for (std::size_t k = 0; k < vectors.size(); ++k) all.push_back(sum_of(vectors[k]).times(factor(k)));
        return all;
    }
    Sums all() const { return sum_of(of_sectors()); }
    /// Variance of the ratio by the vectors of each sector, with the factor of Student's t and the square of the bias.
    double jackknife_variance() const {
        const std::vector<Sums> others = sums_without_one(of_sectors());
        const double value = ratio(all());
        double sum = 0;
        for (std::size_t k = 0; k < vectors.size(); ++k) {
            const auto count = static_cast<double>(vectors[k].size());
            if (vectors[k].size() < fewest_samples) return NAN;
            std::vector<double> without;
            double mean = 0, variance = 0;
            for (const Sums& s : sums_without_one(vectors[k])) {
                without.push_back(ratio(s.times(factor(k, 1)) + others[k]));
                mean += without.back() / count;
            }
            for (const double a : without) variance += (a - mean) * (a - mean) * (count - 1) / count;
            const double bias = (count - 1) * (mean - value);
            sum += variance * (count - 1) / (count - 3) + bias * bias;
        }
        return sum;
    }
};

}  // namespace

krylov::Overlaps OverlapTable::of(std::size_t recurrence, std::size_t steps) const {
    krylov::Overlaps all;
    for (std::size_t op = 0; op < operators_; ++op)
        all.emplace_back(products_.data() + (recurrence * operators_ + op) * max_steps_, steps);
    return all;
}

double OverlapTable::largest(std::size_t first, std::size_t count) const {
    const std::size_t of_one = operators_ * max_steps_;
    double largest = 0;
    for (std::size_t n = first * of_one; n < (first + count) * of_one; ++n)
        largest = std::max(largest, std::abs(products_[n]));
    return largest;
}

void OverlapTable::replace(std::size_t first, const OverlapTable& other) {
    for (std::size_t r = 0; r < other.recurrences(); ++r)
        for (std::size_t op = 0; op < other.operators_; ++op)
            std::copy_n(other.products_.begin() + static_cast<std::ptrdiff_t>((r * other.operators_ + op) * max_steps_),
                        max_steps_, &at(first + r, op, 0));
}

void OverlapTable::add_state(std::vector<DistributedArray>& arrays, const std::string& name) {
    if (!products_.empty()) arrays.push_back(Record(name).field("overlaps", products_).array());
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

std::vector<double> half_weighted_errors(const krylov::RecurrenceTable& table, std::size_t first, std::size_t count,
                                         const std::vector<double>& temperatures) {
    std::vector<krylov::TridiagonalPairs> pairs;
    double lowest = INFINITY;
    const auto last_beta = [&](std::size_t r) {
        return table.steps(first + r) < table.max_steps() ? 0 : table.beta(first + r).back();
    };
    for (std::size_t r = 0; r < count; ++r) {
        pairs.push_back(krylov::all_pairs(table.alpha(first + r), table.beta(first + r)));
        const std::size_t n = pairs[r].values.size();
        lowest = std::min(lowest, pairs[r].values[0] - last_beta(r) * std::abs(pairs[r].vectors[n - 1]));
    }
    std::vector<double> errors;
    for (std::size_t r = 0; r < count; ++r)
        for (const double t : temperatures) errors.push_back(half_weighted_error(pairs[r], last_beta(r), lowest, t));
    return errors;
}

void StateMeans::replace(std::size_t first, const StateMeans& other) {
    for (std::size_t at = 0; at < other.means_.size(); ++at) {
        const std::size_t op = at % other.operators_, row = at / other.operators_;  // [vector][temperature]
        const std::size_t to = (first * temperatures_.size() + row) * operators_ + op;
        means_[to] = other.means_[at];
        spreads_[to] = other.spreads_[at];
    }
}

void StateMeans::add_state(std::vector<DistributedArray>& arrays, const std::string& name) {
    if (!means_.empty()) arrays.push_back(Record(name).field("means", means_).field("spreads", spreads_).array());
}

ObservedAverage half_weighted_average(const std::vector<ObservedSector>& sectors, double t, double rounding) {
    const double zero = zero_of(sectors);
    TraceSums trace{sectors};
    double norm = 0;
    for (const ObservedSector& sector : sectors) {
        trace.vectors.emplace_back();
        const std::size_t at = sector.means->temperature(t);
        for (std::size_t r = 0; r < sector.rules.front()->size(); ++r) {
            Sums s = sums_of_vector((*sector.rules.front())[r], {}, zero, t);
            if (sector.op) {
                const double mean = sector.means->mean(sector.first_vector + r, at, *sector.op);
                norm = std::max(norm, std::hypot(mean, sector.means->spread(sector.first_vector + r, at, *sector.op)));
                s.sum[1] = mean * s.sum[0];
            }
            trace.vectors.back().push_back(s);
        }
    }
    const Sums all = trace.all();
    ObservedAverage average{ratio(all), std::hypot(std::sqrt(trace.jackknife_variance()), rounding * norm), 0};
    for (std::size_t k = 0; k < sectors.size(); ++k) {
        const StateMeans& means = *sectors[k].means;
        const std::size_t at = means.temperature(t);
        for (std::size_t r = 0; r < trace.vectors[k].size(); ++r) {
            const Sums s = trace.vectors[k][r].times(trace.factor(k));
            const std::size_t vector = sectors[k].first_vector + r;
            const double share = s.sum[0] / all.sum[0] * std::exp(s.offset - all.offset),
                         mean = sectors[k].op ? means.mean(vector, at, *sectors[k].op) : 0,
                         spread = sectors[k].op ? means.spread(vector, at, *sectors[k].op) : 0,
                         error = means.error(vector, at), width = std::hypot(spread, mean - average.value);
            average.step_error += error < 1 ? 2 * share * error * (1 + error) * width : NAN;
        }
    }
    return average;
}

ObservedAverage observed_average(const std::vector<ObservedSector>& sectors, double t, double rounding) {
    const double zero = zero_of(sectors);
    const std::size_t rules = sectors[0].rules.size();
    ObservedAverage average;
    double least = INFINITY, most = -INFINITY;
    for (std::size_t rule = 0; rule < rules; ++rule) {
        TraceSums trace{sectors};
        for (const ObservedSector& sector : sectors) {
            trace.vectors.emplace_back();
            for (const krylov::Quadrature& levels : *sector.rules[rule])
                trace.vectors.back().push_back(sums_of_vector(levels, sector.op, zero, t));
        }
        const double value = ratio(trace.all());
        least = std::min(least, value);
        most = std::max(most, value);
        if (rule != 0) continue;
        average.value = value;
        average.error = std::sqrt(trace.jackknife_variance() + rounding * rounding);
    }
    average.step_error = rules > 2 ? most - least : NAN;
    return average;
}

}  // namespace strata::lanczos
