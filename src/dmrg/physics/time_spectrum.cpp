// SPDX-License-Identifier: BSD-3-Clause
// With a the lowest energy of the range and Omega = 2 pi / h its length, the integral of omega exp(i n h omega) over it is
// Omega exp(i a n h) / (i n h) for n > 0, and Omega (a + Omega / 2) for n = 0.
#include "dmrg/physics/time_spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "dmrg/job/energy_range.hpp"

namespace strata::dmrg {

double gaussian_window(double sigma, double time) { return std::exp(-0.5 * sigma * sigma * time * time); }

double window_tail(double sigma, double time) {
    return std::sqrt(std::numbers::pi / 2) / sigma * std::erfc(sigma * time / std::numbers::sqrt2);
}

double row_weight(std::size_t row, double step, double sigma) {
    const double width = row == 0 ? 0.5 * step : step;
    return width / std::numbers::pi * gaussian_window(sigma, static_cast<double>(row) * step);
}

std::vector<double> spectrum_of(std::span<const std::complex<double>> c, double step, double sigma,
                                std::span<const double> omega) {
    std::vector<double> s(omega.size());
    for (std::size_t row = 0; row < c.size(); ++row) {
        const double weight = row_weight(row, step, sigma), time = static_cast<double>(row) * step;
        for (std::size_t i = 0; i < omega.size(); ++i)
            s[i] += weight * (c[row].real() * std::cos(omega[i] * time) - c[row].imag() * std::sin(omega[i] * time));
    }
    return s;
}

double first_moment_term(std::size_t row, std::complex<double> c, double step, double sigma) {
    const EnergyRange range = resolved_energies(step);
    if (row == 0) return c.real() * (range.lowest + 0.5 * range.period);
    const double time = static_cast<double>(row) * step;
    return 2 * gaussian_window(sigma, time) / time * (c * std::polar(1.0, range.lowest * time)).imag();
}

double grid_integral(std::span<const double> omega, std::span<const double> intensity) {
    std::vector<std::size_t> order(omega.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return omega[i]; });
    double sum = 0;
    for (std::size_t n = 1; n < order.size(); ++n) {
        const std::size_t i = order[n - 1], j = order[n];
        sum += 0.5 * (omega[j] - omega[i]) * (intensity[i] + intensity[j]);
    }
    return sum;
}

}  // namespace strata::dmrg
