// SPDX-License-Identifier: BSD-3-Clause
// Functions of means by leaving out single values and blocks: B. Efron, The Jackknife (SIAM, 1982). Blocks give the
// bias; single values give the linear part of the function, whose error is computed by the Gamma method (U. Wolff,
// Comput. Phys. Commun. 156, 143 (2004), section 2.3). The quadratic part of the function bounds the error from below,
// because the gradient at the measured means may nearly vanish by chance: p (1 - p) has none at p = 1/2 and is not
// exact there.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "analysis/estimate.hpp"
#include "analysis/gamma_method.hpp"
#include "strata/standard_error.hpp"

namespace strata::analysis {
namespace {

using Function = std::function<double(std::span<const double>)>;
using Columns = std::span<const std::span<const double>>;

std::vector<double> means_of(Columns series, std::size_t count) {
    std::vector<double> means;
    for (std::span<const double> column : series) means.push_back(mean_of(column.first(count)));
    return means;
}

/// Appends f of the means of the first `count` values without each of them. Means of many values at a time do not wait for
/// each other's divisions.
void add_without_values(Columns series, const std::vector<double>& origin, const std::vector<double>& total,
                        const Function& f, std::size_t count, std::vector<double>& values) {
    constexpr std::size_t together = 64;
    const std::size_t columns = series.size();
    const double others = static_cast<double>(count - 1);
    std::vector<double> without(together * columns), means(columns);
    for (std::size_t first = 0; first < count; first += together) {
        const std::size_t some = std::min(together, count - first);
        for (std::size_t s = 0; s < columns; ++s) {
            const double* value = series[s].data() + first;
            double* mean = without.data() + s * together;
            for (std::size_t i = 0; i < some; ++i) mean[i] = origin[s] + (total[s] - (value[i] - origin[s])) / others;
        }
        for (std::size_t i = 0; i < some; ++i) {
            for (std::size_t s = 0; s < columns; ++s) means[s] = without[s * together + i];
            values.push_back(f(means));
        }
    }
}

/// [block] f of the means of the first `count` values without the block. The mean of all these values, `origin`, is
/// subtracted before summation, so that constant series give equal values.
std::vector<double> without_blocks(Columns series, const std::vector<double>& origin, const Function& f,
                                   std::size_t count, std::size_t block) {
    std::vector<double> total(series.size(), 0), means(series.size());
    for (std::size_t s = 0; s < series.size(); ++s)
        for (double value : series[s].first(count)) total[s] += value - origin[s];
    std::vector<double> values;
    values.reserve(count / block);
    if (block == 1) {
        add_without_values(series, origin, total, f, count, values);
        return values;
    }
    for (std::size_t first = 0; first + block <= count; first += block) {
        for (std::size_t s = 0; s < series.size(); ++s) {
            double sum = 0;
            for (double value : series[s].subspan(first, block)) sum += value - origin[s];
            means[s] = origin[s] + (total[s] - sum) / static_cast<double>(count - block);
        }
        values.push_back(f(means));
    }
    return values;
}

/// Bias of f of the means: (B - 1) (mean of f without one of B blocks - f). Values after the last whole block are
/// excluded. `all`: the means of whole series.
double bias(Columns series, const std::vector<double>& all, const Function& f, std::size_t block) {
    const std::size_t blocks = series[0].size() / block, count = blocks * block;
    const std::vector<double> means = count == series[0].size() ? all : means_of(series, count);
    const std::vector<double> without = without_blocks(series, means, f, count, block);
    return static_cast<double>(blocks - 1) * (mean_of(without) - f(means));
}

/// Correlation coefficient of two series.
double correlation(std::span<const double> x, std::span<const double> y, const Fluctuations& of_x,
                   const Fluctuations& of_y) {
    const double variances = of_x.variance * of_y.variance;
    if (!(variances > 0)) return 0;
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - of_x.mean) * (y[i] - of_y.mean);
    return sum / static_cast<double>(x.size()) / std::sqrt(variances);
}

/// Second derivative of f at these means along two of them, in units of their errors. The difference is taken over a
/// quarter of the errors: larger steps could leave the domain of a function of positive means, smaller ones would lose
/// digits.
double curvature(const Function& f, const std::vector<double>& means, std::span<const double> errors, std::size_t a,
                 std::size_t b) {
    constexpr double part = 0.25;
    const auto moved = [&](double along_a, double along_b) {
        std::vector<double> at = means;
        at[a] += along_a * part * errors[a];
        at[b] += along_b * part * errors[b];
        return f(at);
    };
    return ((moved(1, 1) - moved(1, -1)) - (moved(-1, 1) - moved(-1, -1))) / (4 * part * part);
}

/// Standard deviation of the quadratic part of f for normal means: sqrt(tr(H C H C) / 2) with the Hessian H and the
/// covariance C of the means, which has the errors of the means and the correlation coefficients of single values.
double quadratic_error(Columns series, const Function& f, std::span<const Fluctuations> columns, double slowest) {
    const std::size_t n = series.size();
    std::vector<double> means, errors, h, c;
    for (std::size_t s = 0; s < n; ++s) {
        means.push_back(columns[s].mean);
        errors.push_back(columns[s].variance > 0 ? error_of_mean(columns[s], slowest, too_few_for_function) : 0);
    }
    for (std::size_t i = 0; i < n * n; ++i) {
        const std::size_t a = i / n, b = i % n;
        h.push_back(curvature(f, means, errors, a, b));
        c.push_back(a > b ? c[b * n + a] : correlation(series[a], series[b], columns[a], columns[b]));
    }
    double trace = 0;
    for (std::size_t i = 0; i < n * n; ++i)
        for (std::size_t j = 0; j < n * n; ++j) trace += h[i] * c[i % n * n + j / n] * h[j] * c[j % n * n + i / n];
    return std::sqrt(trace / 2);
}

}  // namespace

Estimate jackknife(Columns series, const Function& f) {
    std::vector<Fluctuations> columns;
    if (!series.empty() && series[0].size() >= 2)
        for (std::span<const double> column : series) columns.push_back(fluctuations(column));
    return jackknife(series, columns, f);
}

Estimate jackknife(Columns series, std::span<const Fluctuations> columns, const Function& f) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::size_t count = series.empty() ? 0 : series[0].size();
    if (count < 2) return {nan, nan, nan};
    double slowest = 0.5;
    std::vector<double> means;
    for (const Fluctuations& column : columns) {
        slowest = std::fmax(slowest, column.tau);
        means.push_back(column.mean);
    }

    Estimate estimate{f(means), nan, nan};
    const double correction = bias(series, means, f, jackknife_block(count, slowest));
    if (std::isfinite(correction)) estimate.value -= correction;
    std::vector<double> changes = without_blocks(series, means, f, count, 1);
    for (double& change : changes) change *= static_cast<double>(count - 1);
    if (!std::ranges::all_of(changes, [](double change) { return std::isfinite(change); })) return estimate;
    const Fluctuations linear = fluctuations(changes);
    // the linear part includes the quadratic one on average, except where the gradient is small by chance
    const double of_linear = linear.variance > 0 ? error_of_mean(linear, slowest, too_few_for_function) : 0;
    const double error = std::max(of_linear, quadratic_error(series, f, columns, slowest));
    if (error > 0) estimate.error = error;
    estimate.tau = count < 4 ? nan : linear.tau;
    return estimate;
}

std::vector<double> linear_changes(Columns series, std::size_t count, const Function& f) {
    const double step = 1 / static_cast<double>(count);
    const std::vector<double> means = means_of(series, count);
    std::vector<double> moved(series.size()), changes;
    const double at_means = f(means);
    changes.reserve(series[0].size());
    for (std::size_t i = 0; i < series[0].size(); ++i) {
        for (std::size_t s = 0; s < series.size(); ++s) moved[s] = means[s] + step * (series[s][i] - means[s]);
        changes.push_back((f(moved) - at_means) / step);
    }
    return changes;
}

double block_error(Columns series, const Function& f) {
    constexpr std::size_t blocks = 16;
    const std::size_t block = series[0].size() / blocks;
    if (block == 0) return std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> without =
        without_blocks(series, means_of(series, blocks * block), f, blocks * block, block);
    const double mean = mean_of(without);
    double squares = 0;
    for (const double value : without) squares += (value - mean) * (value - mean);
    return std::sqrt(squares * (blocks - 1) / blocks * student_variance(blocks));
}

std::size_t jackknife_block(std::size_t count, double tau) {
    constexpr std::size_t max_blocks = 200, least_blocks = 8;
    const std::size_t decorrelated = tau > 0 ? static_cast<std::size_t>(std::ceil(5 * tau)) : 1;
    const std::size_t least = std::max<std::size_t>(1, count / max_blocks);
    const std::size_t most = std::max<std::size_t>(1, count / least_blocks);
    return std::clamp(decorrelated, least, most);
}

}  // namespace strata::analysis
