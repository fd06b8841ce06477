// SPDX-License-Identifier: BSD-3-Clause
// Bounds of the spectrum, Bessel functions, coefficients.
#include "trotter/physics/chebyshev_series.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "strata/error.hpp"
#include "trotter/job/text.hpp"
#include "trotter/physics/spin_products.hpp"

namespace strata::trotter {
namespace {

constexpr double max_terms = 1e6;
constexpr double negligible = 1e-20;  // values of a Bessel function below this are dropped

}  // namespace

SpectralBounds spectral_bounds(const SpinHamiltonian& h) {
    SpectralBounds bounds;
    const auto add = [&](double low, double high) {
        bounds.lowest += low;
        bounds.highest += high;
    };
    for (int k = 0; k < h.spins; ++k) {
        std::array<double, 3> field{};
        for (const Axis a : all_axes) field[index_of(a)] = h[a].field[static_cast<std::size_t>(k)];
        const double size = std::hypot(field[0], field[1], field[2]) / 2;
        add(-size, size);
        for (int j = 0; j < k; ++j) {
            std::array<double, 3> c{};
            for (const Axis a : all_axes) c[index_of(a)] = h[a].coupling[pair_index(j, k)] / 4;
            const auto [low, high] =
                std::minmax({c[0] - c[1] + c[2], -c[0] + c[1] + c[2], c[0] + c[1] - c[2], -c[0] - c[1] - c[2]});
            add(low, high);
        }
    }
    if (h.others.empty()) return bounds;
    const FlipTerms others(h.others);
    add(others.constant() - others.bound(), others.constant() + others.bound());
    return bounds;
}

/// J_{k-1} = 2 k / z J_k - J_{k+1} is stable downwards; the sum J_0 + 2 J_2 + 2 J_4 + ... is 1. The recurrence begins
/// at an m for which the bound (e z / 2 m)^m of J_m(z) is tiny, so that values are rescaled on the way down before they
/// overflow. Where z / 2 is negligible only J_0 = 1 remains, and 2 k / z might overflow.
std::vector<double> bessel_functions(double z) {
    if (z / 2 < negligible) return {1};
    double m = std::ceil(z) + 2;
    while (m * std::log(2 * m / (std::exp(1.0) * z)) < 60) m = std::ceil(1.1 * m);
    std::vector<double> j(static_cast<std::size_t>(m) + 2);
    j[j.size() - 2] = 1e-280;
    double norm = 0;
    for (std::size_t k = j.size() - 2; k > 0; --k) {
        j[k - 1] = 2 * static_cast<double>(k) / z * j[k] - j[k + 1];
        if (k % 2 == 0) norm += 2 * j[k];
        if (std::abs(j[k - 1]) < 1e200) continue;
        for (std::size_t i = k - 1; i < j.size(); ++i) j[i] *= 1e-200;
        norm *= 1e-200;
    }
    norm += j[0];
    for (double& value : j) value /= norm;
    while (j.size() > 1 && std::abs(j.back()) < negligible) j.pop_back();
    return j;
}

ChebyshevSeries chebyshev_series(const SpectralBounds& bounds, double t, double tolerance) {
    const double z = bounds.radius() * std::abs(t);
    if (!(z < max_terms))
        throw Error(ExitCode::bad_input,
                    "run.step = " + number_text(std::abs(t)) + " takes about " + number_text(z) +
                        " terms of the Chebyshev series, more than a million; take smaller steps.");
    const std::vector<double> j = bessel_functions(z);
    ChebyshevSeries series;
    std::size_t terms = j.size();
    while (terms > 1 && series.left_out + 2 * std::abs(j[terms - 1]) < tolerance)
        series.left_out += 2 * std::abs(j[--terms]);
    const std::complex<double> phase = std::polar(1.0, -bounds.centre() * t);
    const std::complex<double> turns[] = {{1, 0}, {0, -1}, {-1, 0}, {0, 1}};  // (-i)^k
    for (std::size_t k = 0; k < terms; ++k) {
        const std::complex<double> turn = t < 0 ? std::conj(turns[k % 4]) : turns[k % 4];
        series.coefficients.push_back(phase * turn * (k == 0 ? 1.0 : 2.0) * j[k]);
    }
    return series;
}

}  // namespace strata::trotter
