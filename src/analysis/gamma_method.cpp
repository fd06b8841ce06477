// SPDX-License-Identifier: BSD-3-Clause
// The Gamma method with automatic windowing: U. Wolff, Comput. Phys. Commun. 156, 143 (2004). Errors of short series
// are enlarged, because their variance, skewness and autocorrelations are uncertain.
#include "analysis/gamma_method.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/autocovariance.hpp"
#include "analysis/estimate.hpp"

namespace strata::analysis {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double window_factor = 1.5;  // S of the reference: assumed ratio of decay time to tau_int
constexpr double uncorrelated = 0.5;

}  // namespace

double mean_of(std::span<const double> series) {
    double sum = 0;
    for (double value : series) sum += value - series[0];
    return series[0] + sum / static_cast<double>(series.size());
}

Fluctuations fluctuations(std::span<const double> series) {
    std::vector<double> deviation(series.begin(), series.end());
    const double mean = mean_of(series), n = static_cast<double>(series.size());
    double thirds = 0;
    for (double& value : deviation) {
        value -= mean;
        thirds += value * value * value;
    }
    Autocovariance covariance(deviation);
    Fluctuations f{n, covariance(0), 0, nan, 0, mean};
    if (!(f.variance > 0)) return f;
    f.skewness = thirds / n / std::pow(f.variance, 1.5);
    double tau = uncorrelated;
    std::size_t window = 0;
    for (bool open = true; open && window + 1 < series.size() / 2;) {
        ++window;
        tau += covariance(window) / f.variance;
        const double decay = tau > 0.5 ? window_factor / std::log((2 * tau + 1) / (2 * tau - 1)) : 1e-12;
        const auto w = static_cast<double>(window);
        open = std::exp(-w / decay) >= decay / std::sqrt(w * n);
    }
    f.window = static_cast<double>(window);
    // the mean was estimated from the same data, so that its variance is missing from each term (eq. 49). Chains in
    // detailed balance have tau >= 1/2; a smaller tau of a short series is noise
    f.tau = std::max(tau * (1 + (2 * f.window + 1) / n), uncorrelated);
    return f;
}

/// To first order the mean square of deviation / error exceeds 1 by (2 + 2 skewness^2) / N for N independent values
/// (P. Hall, The Bootstrap and Edgeworth Expansion (1992), section 2.6), and by the relative variance of tau (eq. 42 of
/// the reference). Higher orders are not known; n / (n - too_few) stands for them, by the pulls in tests/README.md.
double error_of_mean(const Fluctuations& f, double slowest, std::size_t too_few) {
    const double few = static_cast<double>(too_few);
    if (!(f.count > few) || !(f.variance > 0)) return nan;
    const double independent = f.count / (2 * std::max(slowest, f.tau));
    // with few independent values the tau of a function is uncertain; the largest tau of its means is used instead
    constexpr double resolved = 15;
    const double share = std::min(1.0, std::pow(resolved / independent, 3));
    const double tau = f.tau + (std::max(slowest, f.tau) - f.tau) * share;
    const double of_moments = (2 + 2 * f.skewness * f.skewness) / independent;
    const double of_tau = 4 * std::max(f.window + 0.5 - f.tau, 0.5) / f.count;
    return std::sqrt(2 * tau * f.variance / f.count * (1 + of_moments + of_tau) * f.count / (f.count - few));
}

bool departs_rarely(std::span<const double> series, std::size_t fewest) {
    return !series.empty() && departs_rarely(series, mean_of(series), fewest);
}

bool departs_rarely(std::span<const double> series, double mean, std::size_t fewest) {
    constexpr std::size_t of_few = 16;
    std::size_t crossings = 0;
    for (std::size_t i = 1; i < series.size(); ++i) crossings += (series[i] > mean) != (series[i - 1] > mean);
    return crossings / 2 < std::min(fewest, series.size() / of_few);
}

Estimate mean_with_error(const Fluctuations& f) {
    return {f.mean, error_of_mean(f, f.tau, too_few_for_mean), f.count < 4 ? nan : f.tau};
}

Estimate gamma_method(std::span<const double> series) {
    if (series.empty()) return {nan, nan, nan};
    return mean_with_error(fluctuations(series));
}

}  // namespace strata::analysis
