// SPDX-License-Identifier: BSD-3-Clause
// Errors of means of few independent samples: random states, random vectors, replicas, blocks. All of them are those for
// which the mean square of deviation / error is 1 over many runs. The usual standard error is too small for that, because
// it is itself uncertain: its deviation / error is Student's t, whose variance for n samples is (n - 1) / (n - 3) (M.
// Abramowitz, I. Stegun, Handbook of Mathematical Functions, 26.7).
#pragma once

#include <cstddef>
#include <limits>

namespace strata {

/// Number of samples below which there is no error: Student's t of 2 or 3 samples has no variance.
constexpr std::size_t fewest_samples = 4;

/// Variance of Student's t of the mean of n samples; NaN for too few.
constexpr double student_variance(std::size_t n) {
    if (n < fewest_samples) return std::numeric_limits<double>::quiet_NaN();
    return static_cast<double>(n - 1) / static_cast<double>(n - 3);
}

/// Squared error of the mean of n independent samples with this sum of squared deviations from it; NaN for too few.
constexpr double variance_of_mean(double squared_deviations, std::size_t n) {
    const auto count = static_cast<double>(n);
    return squared_deviations / (count * (count - 1)) * student_variance(n);
}

}  // namespace strata
