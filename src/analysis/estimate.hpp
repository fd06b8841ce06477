// SPDX-License-Identifier: BSD-3-Clause
// Means with errors from correlated series.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace strata::analysis {

struct Estimate {
    double value = 0;
    double error = 0;  ///< one standard deviation
    double tau = 0;    ///< integrated autocorrelation time in steps of the series; 0.5 if uncorrelated
};

/// Mean of a series by the Gamma method: the autocorrelation function is summed up to the window where the sum of
/// truncation and statistical error is least (U. Wolff, Comput. Phys. Commun. 156, 143 (2004), eqs. 31-52, S = 1.5).
/// Error and tau are NaN for fewer than four values; a constant series has error 0 and tau 0.5.
Estimate gamma_method(std::span<const double> series);

/// A function of the means of several series of equal length, with the error by the jackknife over blocks of
/// `block` consecutive values (the last, shorter rest joins no block). tau is NaN. Error is NaN for fewer than 2
/// blocks.
Estimate jackknife(std::span<const std::vector<double>> series,
                   const std::function<double(std::span<const double> means)>& f, std::size_t block);

/// A block length for the jackknife of `count` values with autocorrelation time `tau`: at least 20 tau where that
/// leaves 20 blocks, and at most 200 blocks.
std::size_t jackknife_block(std::size_t count, double tau);

}  // namespace strata::analysis
