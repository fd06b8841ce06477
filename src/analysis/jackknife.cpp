// SPDX-License-Identifier: BSD-3-Clause
// Functions of means from values and blocks left out one at a time: B. Efron, The Jackknife (SIAM, 1982). Blocks remove
// the bias; single values are the linear part of the function, whose error has the Gamma method (U. Wolff, Comput. Phys.
// Commun. 156, 143 (2004), section 2.3).
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "analysis/estimate.hpp"
#include "analysis/gamma_method.hpp"

namespace strata::analysis {
namespace {

using Function = std::function<double(std::span<const double>)>;
using Columns = std::span<const std::span<const double>>;

/// f of the first `count` values without each of the blocks in turn; means of all values are subtracted before sums, so
/// that constant series give equal values.
std::vector<double> without_blocks(Columns series, const Function& f, std::size_t count, std::size_t block) {
    std::vector<double> total(series.size(), 0), origin(series.size()), means(series.size());
    for (std::size_t s = 0; s < series.size(); ++s) {
        origin[s] = mean_of(series[s].first(count));
        for (double value : series[s].first(count)) total[s] += value - origin[s];
    }
    std::vector<double> values;
    values.reserve(count / block);
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

double at_means(Columns series, const Function& f, std::size_t count) {
    std::vector<double> means;
    for (std::span<const double> column : series) means.push_back(mean_of(column.first(count)));
    return f(means);
}

/// Bias of f of the means: (B - 1) (mean of f without one of B blocks - f). The rest that fills no block stays out.
double bias(Columns series, const Function& f, std::size_t block) {
    const std::size_t blocks = series[0].size() / block;
    const std::vector<double> without = without_blocks(series, f, blocks * block, block);
    return static_cast<double>(blocks - 1) * (mean_of(without) - at_means(series, f, blocks * block));
}

}  // namespace

Estimate jackknife(Columns series, const Function& f) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::size_t count = series.empty() ? 0 : series[0].size();
    if (count < 2) return {nan, nan, nan};
    double slowest = 0.5;
    for (std::span<const double> column : series) slowest = std::fmax(slowest, fluctuations(column).tau);

    Estimate estimate{at_means(series, f, count), nan, nan};
    const double correction = bias(series, f, jackknife_block(count, slowest));
    if (std::isfinite(correction)) estimate.value -= correction;
    std::vector<double> changes = without_blocks(series, f, count, 1);
    for (double& change : changes) change *= static_cast<double>(count - 1);
    if (!std::ranges::all_of(changes, [](double change) { return std::isfinite(change); })) return estimate;
    const Fluctuations linear = fluctuations(changes);
    estimate.error = error_of_mean(linear, slowest, too_few_for_function);
    estimate.tau = count < 4 ? nan : linear.tau;
    return estimate;
}

std::size_t jackknife_block(std::size_t count, double tau) {
    constexpr std::size_t max_blocks = 200, least_blocks = 8;
    const std::size_t decorrelated = tau > 0 ? static_cast<std::size_t>(std::ceil(5 * tau)) : 1;
    const std::size_t least = std::max<std::size_t>(1, count / max_blocks);
    const std::size_t most = std::max<std::size_t>(1, count / least_blocks);
    return std::clamp(decorrelated, least, most);
}

}  // namespace strata::analysis
