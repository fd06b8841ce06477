// SPDX-License-Identifier: BSD-3-Clause
// Steps of the Gamma method for means and for functions of means.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "analysis/estimate.hpp"

namespace strata::analysis {

/// Estimates of the fluctuations of a series.
struct Fluctuations {
    double count = 0;
    double variance = 0;
    double skewness = 0;  ///< third moment in units of variance^(3/2)
    double tau = 0;       ///< integrated autocorrelation time; NaN for a constant series
    double window = 0;    ///< largest distance of the autocorrelations that tau includes
    double mean = 0;
};

/// Mean of a series; exact if all values are equal.
double mean_of(std::span<const double> series);

Fluctuations fluctuations(std::span<const double> series);

/// gamma_method() of a series with these fluctuations.
Estimate mean_with_error(const Fluctuations& f);

/// jackknife() of series whose fluctuations are known.
Estimate jackknife(std::span<const std::span<const double>> series, std::span<const Fluctuations> columns,
                   const std::function<double(std::span<const double> means)>& f);

/// departs_rarely() of a series whose mean is known.
bool departs_rarely(std::span<const double> series, double mean, std::size_t fewest);

/// Error of the mean of a series with these fluctuations. `slowest`: largest autocorrelation time of the series that it
/// depends on. NaN for `too_few` values or fewer, and for a constant series.
double error_of_mean(const Fluctuations& f, double slowest, std::size_t too_few);

}  // namespace strata::analysis
