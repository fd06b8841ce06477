// SPDX-License-Identifier: BSD-3-Clause
// The transient of a Markov chain: a number of autocorrelation times of the whole series, after which the memory of the
// start has decayed to exp(-20), or what the marginal standard error rule finds. The rule also finds rare excursions of a
// stationary series near its start; leaving these out makes means and errors wrong (0.4 sigma for 500 sweeps of 3 x 3 sites
// below T_c), so that a start counts only if the values before it differ significantly from those after it.
#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/estimate.hpp"
#include "analysis/gamma_method.hpp"

namespace strata::analysis {
namespace {

constexpr double memory = 20;        ///< autocorrelation times in which the memory of the start decays
constexpr double least_rest = 50;    ///< autocorrelation times from which they can be estimated
constexpr double tolerated = 4;      ///< sigma between the means of two parts of a stationary series
constexpr std::size_t together = 5;  ///< values whose means the marginal standard error rule takes

/// least_error_start() if the mean before it differs by more than 4 sigma from that after it, else 0. Sigma follows from
/// the fluctuations of the whole series, which include what is judged.
std::size_t significant_start(std::span<const double> series) {
    const std::size_t start = least_error_start(series);
    if (start == 0) return 0;
    const Fluctuations f = fluctuations(series);
    const auto before = static_cast<double>(start), after = static_cast<double>(series.size() - start);
    const double error = std::sqrt(2 * f.tau * f.variance * (1 / before + 1 / after));
    return std::abs(mean_of(series.first(start)) - mean_of(series.subspan(start))) > tolerated * error ? start : 0;
}

}  // namespace

bool drifts(std::span<const double> series) {
    const std::size_t third = series.size() / 3;
    if (third <= too_few_for_mean) return false;
    const Estimate a = gamma_method(series.first(third)), b = gamma_method(series.last(third));
    const double error = std::hypot(std::isfinite(a.error) ? a.error : 0, std::isfinite(b.error) ? b.error : 0);
    return std::abs(a.value - b.value) > tolerated * error;
}

std::size_t least_error_start(std::span<const double> series) {
    const std::size_t count = series.size() / together;
    double mean = 0, squares = 0;  // mean and sum of squared deviations of the means from `first` on
    double least = 0;
    std::size_t start = 0;
    for (std::size_t first = count; first-- > 0;) {
        const double value = mean_of(series.subspan(first * together, together)),
                     rest = static_cast<double>(count - first), distance = value - mean;
        mean += distance / rest;
        squares += distance * (value - mean);
        if (first > count / 2) continue;
        const double error = squares / (rest * rest);
        if (first == count / 2 || error <= least) {
            least = error;
            start = first * together;
        }
    }
    return start;
}

Transient find_transient(std::size_t columns, const std::function<std::vector<double>(std::size_t)>& column) {
    std::size_t rows = 0, start = 0;
    const auto longest_memory = [&](std::size_t first) {
        double tau = 0;
        for (std::size_t c = 0; c < columns; ++c) {
            const std::vector<double> series = column(c);
            const double slowest = gamma_method(std::span(series).subspan(first)).tau;
            tau = std::fmax(tau, slowest);  // not the NaN of a constant series
        }
        return tau;
    };
    for (std::size_t c = 0; c < columns; ++c) {
        const std::vector<double> series = column(c);
        rows = series.size();
        start = std::max(start, significant_start(series));
    }
    const auto steps = [](double tau) { return static_cast<std::size_t>(std::ceil(memory * tau)); };
    start = std::min(std::max(start, steps(longest_memory(0))), rows / 2);
    const double tau = longest_memory(start);  // of the rest, without what the transient adds
    start = std::max(start, steps(tau));
    bool ended =
        start <= rows / 2 && static_cast<double>(rows - start) >= std::max<double>(least_rest * tau, 3 * together);
    start = std::min(start, rows / 2);
    for (std::size_t c = 0; c < columns && ended; ++c) {
        const std::vector<double> series = column(c);
        ended = !drifts(std::span(series).subspan(start));
    }
    return {start, ended};
}

}  // namespace strata::analysis
