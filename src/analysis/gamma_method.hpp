// SPDX-License-Identifier: BSD-3-Clause
// The steps of the Gamma method that means and functions of means share.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace strata::analysis {

/// What a series says of its fluctuations.
struct Fluctuations {
    double count = 0;
    double variance = 0;
    double skewness = 0;  ///< third moment in units of variance^(3/2)
    double tau = 0;       ///< integrated autocorrelation time; NaN for a constant series
    double window = 0;    ///< largest distance of the autocorrelations in tau
};

/// Exact where all values are equal.
double mean_of(std::span<const double> series);

Fluctuations fluctuations(std::span<const double> series);

/// Error of the mean of such a series whose means depend on others with autocorrelation times up to `slowest`; NaN for
/// `too_few` values or fewer, and for a constant series.
double error_of_mean(const Fluctuations& f, double slowest, std::size_t too_few);

}  // namespace strata::analysis
