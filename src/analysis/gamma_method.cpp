// SPDX-License-Identifier: BSD-3-Clause
// The Gamma method with automatic windowing: U. Wolff, Comput. Phys. Commun. 156, 143 (2004).
#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/estimate.hpp"

namespace strata::analysis {
namespace {

constexpr double window_factor = 1.5;  // S of the reference: assumed ratio of decay time to tau_int

double mean_of(std::span<const double> series) {
    double sum = 0;
    for (double value : series) sum += value;
    return sum / static_cast<double>(series.size());
}

/// Autocorrelation at distance t of values that already lack their mean.
double autocorrelation(const std::vector<double>& fluctuation, std::size_t t) {
    double sum = 0;
    for (std::size_t i = 0; i + t < fluctuation.size(); ++i) sum += fluctuation[i] * fluctuation[i + t];
    return sum / static_cast<double>(fluctuation.size() - t);
}

}  // namespace

Estimate gamma_method(std::span<const double> series) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    if (series.empty()) return {nan, nan, nan};
    Estimate estimate{mean_of(series), nan, nan};
    const std::size_t count = series.size();
    if (count < 4) return estimate;
    std::vector<double> fluctuation(series.begin(), series.end());
    for (double& value : fluctuation) value -= estimate.value;

    const double n = static_cast<double>(count);
    const double variance = autocorrelation(fluctuation, 0);
    if (variance <= 0) return {estimate.value, 0, 0.5};
    double tau = 0.5;
    std::size_t window = 0;
    for (bool open = true; open && window + 1 < count / 2;) {
        ++window;
        tau += autocorrelation(fluctuation, window) / variance;
        const double decay = tau > 0.5 ? window_factor / std::log((2 * tau + 1) / (2 * tau - 1)) : 1e-12;
        const auto w = static_cast<double>(window);
        open = std::exp(-w / decay) >= decay / std::sqrt(w * n);
    }
    // the mean was taken from the same data: its variance is missing from each term (eq. 49)
    tau = std::max(tau * (1 + (2 * static_cast<double>(window) + 1) / n), 0.5 / n);
    estimate.tau = tau;
    estimate.error = std::sqrt(2 * tau * variance / n);
    return estimate;
}

}  // namespace strata::analysis
