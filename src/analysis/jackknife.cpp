// SPDX-License-Identifier: BSD-3-Clause
// Errors of functions of means, from blocks left out one at a time: B. Efron, The Jackknife (SIAM, 1982).
#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/estimate.hpp"

namespace strata::analysis {

Estimate jackknife(std::span<const std::vector<double>> series,
                   const std::function<double(std::span<const double> means)>& f, std::size_t block) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::size_t count = series.empty() ? 0 : series[0].size();
    if (count == 0) return {nan, nan, nan};
    const std::size_t blocks = block == 0 ? 0 : count / block;

    std::vector<double> total(series.size(), 0), means(series.size());
    for (std::size_t s = 0; s < series.size(); ++s)
        for (double value : series[s]) total[s] += value;
    for (std::size_t s = 0; s < series.size(); ++s) means[s] = total[s] / static_cast<double>(count);
    Estimate estimate{f(means), nan, nan};
    if (blocks < 2) return estimate;

    std::vector<double> without(blocks);
    for (std::size_t b = 0; b < blocks; ++b) {
        for (std::size_t s = 0; s < series.size(); ++s) {
            double sum = 0;
            for (std::size_t i = b * block; i < (b + 1) * block; ++i) sum += series[s][i];
            means[s] = (total[s] - sum) / static_cast<double>(count - block);
        }
        without[b] = f(means);
    }
    double mean = 0, squares = 0;
    for (double value : without) mean += value / static_cast<double>(blocks);
    for (double value : without) squares += (value - mean) * (value - mean);
    estimate.error = std::sqrt(squares * static_cast<double>(blocks - 1) / static_cast<double>(blocks));
    return estimate;
}

std::size_t jackknife_block(std::size_t count, double tau) {
    constexpr std::size_t max_blocks = 200, least_blocks = 20;
    const std::size_t decorrelated = tau > 0 ? static_cast<std::size_t>(std::ceil(20 * tau)) : 1;
    const std::size_t least = std::max<std::size_t>(1, count / max_blocks);
    const std::size_t most = std::max<std::size_t>(1, count / least_blocks);
    return std::clamp(decorrelated, least, most);
}

}  // namespace strata::analysis
