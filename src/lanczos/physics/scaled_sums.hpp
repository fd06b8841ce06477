// SPDX-License-Identifier: BSD-3-Clause
// Sums over energy levels with a scale of their own, exp(offset), so that contributions of samples whose lowest level
// lies far above the others do not underflow. A sum without one sample is computed by adding up the others, never by
// subtraction.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "krylov/tridiagonal.hpp"

namespace strata::lanczos {

/// `n` sums over the same levels, as exp(offset) times sum[i].
template <std::size_t n>
struct ScaledSums {
    double offset = -std::numeric_limits<double>::infinity();
    std::array<double, n> sum = {};

    ScaledSums operator+(const ScaledSums& other) const {
        if (offset < other.offset) return other + *this;
        ScaledSums all = *this;
        if (!std::isfinite(other.offset)) return all;
        const double factor = std::exp(other.offset - offset);
        for (std::size_t i = 0; i < n; ++i) all.sum[i] += factor * other.sum[i];
        return all;
    }
    ScaledSums times(double factor) const { return {offset + std::log(factor), sum}; }
};

template <std::size_t n>
ScaledSums<n> sum_of(const std::vector<ScaledSums<n>>& all) {
    ScaledSums<n> sum;
    for (const ScaledSums<n>& m : all) sum = sum + m;
    return sum;
}

/// [i]: the sum of all except number i.
template <std::size_t n>
std::vector<ScaledSums<n>> sums_without_one(const std::vector<ScaledSums<n>>& all) {
    std::vector<ScaledSums<n>> behind(all.size() + 1), sums;  // behind[i]: sum from i on
    for (std::size_t i = all.size(); i-- > 0;) behind[i] = all[i] + behind[i + 1];
    ScaledSums<n> before;
    for (std::size_t i = 0; i < all.size(); before = before + all[i], ++i) sums.push_back(before + behind[i + 1]);
    return sums;
}

/// Logarithm of the weight of a level in a trace at temperature t, with energies from `zero`.
inline double log_weight(const krylov::Quadrature& levels, std::size_t level, double zero, double t) {
    return std::log(levels.weights[level]) - (levels.nodes[level] - zero) / t;
}
/// The largest of them.
inline double largest_log_weight(const krylov::Quadrature& levels, double zero, double t) {
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t n = 0; n < levels.nodes.size(); ++n) largest = std::max(largest, log_weight(levels, n, zero, t));
    return largest;
}

}  // namespace strata::lanczos
