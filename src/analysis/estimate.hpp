// SPDX-License-Identifier: BSD-3-Clause
// Means, and functions of means, with errors from correlated series.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace strata::analysis {

struct Estimate {
    double value = 0;
    double error = 0;  ///< one standard deviation
    double tau = 0;    ///< integrated autocorrelation time in steps of the series, at least 0.5 (uncorrelated)
};

/// Lengths of a series up to which no error is estimated, because errors of so few values could be wrong by any factor.
constexpr std::size_t too_few_for_mean = 10, too_few_for_function = 20;

/// Mean of a series by the Gamma method: the autocorrelation function is summed up to the window where the sum of
/// truncation and statistical error is least (U. Wolff, Comput. Phys. Commun. 156, 143 (2004), eqs. 31-52, S = 1.5).
/// The error of a short series is larger by what its own uncertainty adds to the mean square of deviation / error.
/// Error and tau of a constant series are NaN: it has no information on the distance of its mean from the true one.
Estimate gamma_method(std::span<const double> series);

/// A function of the means of several series of equal length. The bias of order 1 / count is removed by the jackknife
/// over blocks that are longer than the autocorrelation time. The error is that of the Gamma method for the changes of
/// the function when one value after another is left out, and at least the error that follows from the second
/// derivatives and the errors of the means. All are NaN for a single value, and the error also if the function is not
/// finite.
Estimate jackknife(std::span<const std::span<const double>> series,
                   const std::function<double(std::span<const double> means)>& f);

/// Error of a function of the means of several series, from the means of 16 blocks: larger than that of the Gamma method
/// where a slow part of the fluctuations is too small for its window. It has a relative uncertainty of 18 %.
double block_error(std::span<const std::span<const double>> series,
                   const std::function<double(std::span<const double> means)>& f);

/// Departures from the mean that an error needs.
constexpr std::size_t few_departures = 5;

/// Whether a series left its mean to one side and came back fewer than `fewest` times: it saw few events, whose number and
/// length say little about their share. For series of fewer than 80 values the limit is a sixteenth of their number.
bool departs_rarely(std::span<const double> series, std::size_t fewest = few_departures);

/// What each value of the series changes a function of the means of their first `count` values, to first order and times
/// `count`: its error is that of the mean of these changes. Values after the first `count` are judged as if they were added.
std::vector<double> linear_changes(std::span<const std::span<const double>> series, std::size_t count,
                                   const std::function<double(std::span<const double> means)>& f);

/// Number of values at the start of a series, at most half of them, without which the standard error of the mean is least
/// if the values are taken for independent: the marginal standard error rule with means of five values (K. P. White,
/// Simulation 69, 323 (1997)).
std::size_t least_error_start(std::span<const double> series);

/// Whether the means of the first and of the last third of a series differ by more than 4 sigma. A constant third has
/// an error of 0; series whose thirds have too few values for an error are not judged (false).
bool drifts(std::span<const double> series);

/// The part of a run before its steady state.
struct Transient {
    std::size_t rows = 0;  ///< length, at most half of the series
    bool ended = true;     ///< false if the series are too short to tell, or their means still change
};

/// The transient of several series of one run: 20 of the longest autocorrelation time of the whole series and of the rest,
/// or what least_error_start() finds for any of them if the values before it differ from those after it by more than 4
/// sigma. It has ended if at least 50 autocorrelation times remain, which do not drift. `column(c)` returns series c.
Transient find_transient(std::size_t columns, const std::function<std::vector<double>(std::size_t)>& column);

/// Length of the blocks of the jackknife for `count` values with autocorrelation time `tau`: 5 tau, limited so that
/// there are at least 8 and about 200 blocks at most.
std::size_t jackknife_block(std::size_t count, double tau);

}  // namespace strata::analysis
