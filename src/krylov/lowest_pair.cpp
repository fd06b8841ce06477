// SPDX-License-Identifier: BSD-3-Clause
// The lowest eigenpair of a tridiagonal matrix T, which every step of a recurrence asks for, in some microseconds. The
// pivots q_i of T - x and their derivatives by x give S_k = sum_j 1 / (E_j - x)^k, hence Laguerre's step, which goes from
// below towards the lowest eigenvalue and never beyond it (J. H. Wilkinson, The Algebraic Eigenvalue Problem, chapter 7):
//
//     q_i = d_i - x - e_{i-1}^2 / q_{i-1},    det(T - x) = q_0 q_1 ...,    S_1 = -sum q_i' / q_i,    S_2 = S_1'
//     step = n / (S_1 + sqrt((n - 1) (n S_2 - S_1^2)))
//
// The vector comes from pivots from both ends, joined where they leave the smallest residual (B. N. Parlett, I. S. Dhillon,
// Linear Algebra Appl. 267, 247 (1997)), so that small components are accurate as well: of the last one the residual is made.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "krylov/tridiagonal.hpp"
#include "strata/error.hpp"

namespace strata::krylov {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

struct Tridiagonal {
    std::span<const double> diagonal, off;
    double norm;  ///< largest sum of the magnitudes of a row, not 0

    std::size_t size() const { return diagonal.size(); }
    double off_of(std::size_t i) const { return i + 1 < size() ? off[i] : 0; }
    /// A pivot that may be divided by.
    double pivot(double q) const { return std::abs(q) < epsilon * epsilon * norm ? -epsilon * epsilon * norm : q; }
};

/// Sums over all eigenvalues E of 1 / (E - x) and 1 / (E - x)^2, if x is below all of them.
struct InverseSums {
    bool below = true;
    double first = 0, second = 0;
};

InverseSums inverse_sums(const Tridiagonal& t, double x) {
    InverseSums s;
    double coupling = 0, slope = 0, curvature = 0;  // e^2 / q, q' / q and q'' / q of the row before
    for (std::size_t i = 0; i < t.size(); ++i) {
        const double q = t.pivot(t.diagonal[i] - x - coupling), inverse = 1 / q;
        if (!(q > 0)) return {false, 0, 0};
        curvature = coupling * (curvature - 2 * slope * slope) * inverse;
        slope = (coupling * slope - 1) * inverse;
        s.first -= slope;
        s.second += slope * slope - curvature;
        coupling = t.off_of(i) * t.off_of(i) * inverse;
    }
    return s;
}

double lowest_value(const Tridiagonal& t, double below, double above) {
    constexpr int few = 40, most = 200;  // a multiple eigenvalue is bisected
    const double rounding = epsilon * t.norm, n = static_cast<double>(t.size());
    double x = below;
    for (int i = 0; i < most && above - below > rounding; ++i) {
        const InverseSums s = inverse_sums(t, x);
        if (!s.below) {
            above = x;
            x = below + (above - below) / 2;
            continue;
        }
        below = x;
        const double step = n / (s.first + std::sqrt(std::max(0.0, (n - 1) * (n * s.second - s.first * s.first))));
        if (step <= rounding) break;
        x = i < few && x + step < above ? x + step : below + (above - below) / 2;
    }
    return below;
}

/// The vector of the eigenvalue that is next to x, which is improved by its quotient.
RitzPair pair_at(const Tridiagonal& t, double x) {
    const std::size_t n = t.size();
    std::vector<double> down(n), up(n);
    for (std::size_t i = 0; i < n; ++i)
        down[i] = t.pivot(t.diagonal[i] - x - (i == 0 ? 0 : t.off[i - 1] * t.off[i - 1] / down[i - 1]));
    for (std::size_t i = n; i-- > 0;)
        up[i] = t.pivot(t.diagonal[i] - x - (i + 1 == n ? 0 : t.off[i] * t.off[i] / up[i + 1]));
    const auto rest = [&](std::size_t i) { return down[i] + (up[i] - (t.diagonal[i] - x)); };
    std::size_t joint = 0;
    for (std::size_t i = 1; i < n; ++i)
        if (std::abs(rest(i)) < std::abs(rest(joint))) joint = i;
    std::vector<double> z(n);
    z[joint] = 1;
    double square = 1;
    for (std::size_t i = joint; i-- > 0;) square += (z[i] = -t.off[i] * z[i + 1] / down[i]) * z[i];
    for (std::size_t i = joint + 1; i < n; ++i) square += (z[i] = -t.off[i - 1] * z[i - 1] / up[i]) * z[i];
    const auto first = std::ranges::find_if(z, [](double c) { return c != 0; });
    const double factor = (*first < 0 ? -1 : 1) / std::sqrt(square);
    for (double& c : z) c *= factor;
    return {x + rest(joint) / square, std::move(z)};
}

}  // namespace

RitzPair lowest_pair(std::span<const double> diagonal, std::span<const double> off) {
    const std::size_t n = diagonal.size();
    Tridiagonal t{diagonal, off, 1e-300};
    double below = INFINITY, above = INFINITY, sum = 0;
    for (std::size_t i = 0; i < n; ++i) {  // S. Gerschgorin, Izv. Akad. Nauk SSSR 1931, 749
        const double radius = (i == 0 ? 0 : std::abs(off[i - 1])) + std::abs(t.off_of(i));
        below = std::min(below, diagonal[i] - radius);
        above = std::min(above, diagonal[i]);
        t.norm = std::max(t.norm, std::abs(diagonal[i]) + radius);
        sum += std::abs(diagonal[i]) + radius;
    }
    if (!std::isfinite(sum))
        throw Error(ExitCode::numerical, "A Lanczos recurrence has elements that are no finite numbers.");
    if (n == 1) return {diagonal[0], {1}};
    return pair_at(t, lowest_value(t, below - 2 * epsilon * t.norm, above + 2 * epsilon * t.norm));
}

}  // namespace strata::krylov
