// SPDX-License-Identifier: BSD-3-Clause
// Means, and functions of means, with errors from correlated series.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace strata::analysis {

struct Estimate {
    double value = 0;
    double error = 0;  ///< one standard deviation
    double tau = 0;    ///< integrated autocorrelation time in steps of the series, at least 0.5 (uncorrelated)
};

/// Values of a series that give no error, because errors of so few would deviate from the true ones by any factor.
constexpr std::size_t too_few_for_mean = 10, too_few_for_function = 20;

/// Mean of a series by the Gamma method: the autocorrelation function is summed up to the window where the sum of
/// truncation and statistical error is least (U. Wolff, Comput. Phys. Commun. 156, 143 (2004), eqs. 31-52, S = 1.5).
/// The error of a short series is larger by what its own uncertainty adds to the mean square of deviation / error.
/// Error and tau of a constant series are NaN: nothing in it shows how far its mean may be from the true one.
Estimate gamma_method(std::span<const double> series);

/// A function of the means of several series of equal length. The value lacks the bias of order 1 / count, by the
/// jackknife over blocks that are longer than the autocorrelation time; the error is that of the Gamma method for the
/// changes of the function when one value after another is left out, and not below what its second derivatives make of
/// the errors of the means. All are NaN for a single value, which is none of a variance, and the error also where the
/// function is not finite.
Estimate jackknife(std::span<const std::span<const double>> series,
                   const std::function<double(std::span<const double> means)>& f);

/// Length of the blocks of the jackknife for `count` values with autocorrelation time `tau`: 5 tau where that leaves 8
/// blocks, and at most 200 blocks.
std::size_t jackknife_block(std::size_t count, double tau);

}  // namespace strata::analysis
