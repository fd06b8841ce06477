// SPDX-License-Identifier: BSD-3-Clause
// The fraction is evaluated from its last level up, which is stable: each level adds an imaginary part of the sign of
// z. The polynomials are evaluated by increasing degree, in which direction they grow.
#include "krylov/continued_fraction.hpp"

#include <cmath>

namespace strata::krylov {

std::complex<double> resolvent(std::complex<double> z, std::span<const double> alpha, std::span<const double> beta) {
    std::complex<double> fraction = 0;
    for (std::size_t k = alpha.size(); k-- > 0;) {
        const std::complex<double> below = k + 1 == alpha.size() ? 0 : beta[k] * beta[k] * fraction;
        fraction = 1.0 / (z - alpha[k] - below);
    }
    return fraction;
}

std::vector<std::complex<double>> resolvent_column(std::complex<double> z, std::span<const double> alpha,
                                                   std::span<const double> beta) {
    std::vector<std::complex<double>> x(alpha.size());  // [k] first the fraction that begins with alpha[k]
    for (std::size_t k = alpha.size(); k-- > 0;)
        x[k] = 1.0 / (z - alpha[k] - (k + 1 == alpha.size() ? 0 : beta[k] * beta[k] * x[k + 1]));
    for (std::size_t k = 1; k < alpha.size(); ++k) x[k] *= beta[k - 1] * x[k - 1];
    return x;
}

double truncation_bound(std::complex<double> z, std::span<const double> alpha, std::span<const double> beta) {
    constexpr double enough = 1e100;  // largest sum that is continued, well before a polynomial overflows
    std::complex<double> before = 0, p = 1;
    double sum = 1;
    for (std::size_t k = 0; k < alpha.size() && sum < enough; ++k) {
        if (beta[k] == 0) return 0;  // invariant Krylov space: the fraction is exact
        const std::complex<double> next = ((z - alpha[k]) * p - (k == 0 ? 0 : beta[k - 1]) * before) / beta[k];
        before = p;
        p = next;
        sum += std::norm(p);
    }
    return 1 / (std::abs(z.imag()) * sum);
}

}  // namespace strata::krylov
