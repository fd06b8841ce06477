// SPDX-License-Identifier: BSD-3-Clause
// Spectra of correlations in time against exact sums of poles: intensities, images of the sum over times, what later times
// hold, and the first moment that shows poles beyond the energies that a step resolves.
#include <gtest/gtest.h>

#include <cmath>

#include "dmrg/job/energy_range.hpp"
#include "dmrg/physics/time_spectrum.hpp"

namespace strata::dmrg {
namespace {

struct Pole {
    double weight, energy;
};
/// Weights of both signs, as off the diagonal.
const std::vector<Pole> poles = {{0.7, 0}, {1.3, 0.4}, {-0.5, 2.1}, {0.2, 6.5}};

std::vector<std::complex<double>> correlation(const std::vector<Pole>& of, double step, double time) {
    std::vector<std::complex<double>> c;
    for (std::size_t row = 0; static_cast<double>(row) * step <= time + 1e-9; ++row) {
        std::complex<double> sum = 0;
        for (const Pole& p : of) sum += p.weight * std::polar(1.0, -p.energy * static_cast<double>(row) * step);
        c.push_back(sum);
    }
    return c;
}

double gaussians(const std::vector<Pole>& of, double sigma, double omega) {
    double sum = 0;
    for (const Pole& p : of)
        sum += p.weight * std::exp(-0.5 * std::pow((omega - p.energy) / sigma, 2)) / (sigma * std::sqrt(2 * M_PI));
    return sum;
}

double moment_by_times(const std::vector<std::complex<double>>& c, double step, double sigma) {
    double moment = 0;
    for (std::size_t row = 0; row < c.size(); ++row) moment += first_moment_term(row, c[row], step, sigma);
    return moment;
}

TEST(TimeSpectrum, MakesAGaussianOfEveryPole) {
    const std::vector<double> omega = {-1, 0, 0.1, 0.4, 1.7, 2.1, 6.5, 8};
    for (const double sigma : {0.1, 0.3, 0.8})
        for (const double step : {0.05, 0.2}) {
            const std::vector<double> s = spectrum_of(correlation(poles, step, 8 / sigma), step, sigma, omega);
            for (std::size_t i = 0; i < omega.size(); ++i)
                EXPECT_NEAR(s[i], gaussians(poles, sigma, omega[i]), 1e-9) << omega[i] << " " << sigma << " " << step;
        }
}

TEST(TimeSpectrum, HasImagesAtThePeriodOfTheStep) {
    constexpr double step = 0.5, sigma = 0.2, period = 2 * M_PI / step;
    const std::vector<double> omega = {0.4 + period, 2.1 - period, 6.5 + 2 * period};
    const std::vector<double> s = spectrum_of(correlation(poles, step, 40), step, sigma, omega);
    EXPECT_NEAR(s[0], gaussians(poles, sigma, 0.4), 1e-9);
    EXPECT_NEAR(s[1], gaussians(poles, sigma, 2.1), 1e-9);
    EXPECT_NEAR(s[2], gaussians(poles, sigma, 6.5), 1e-9);
    const EnergyRange range = resolved_energies(step);
    EXPECT_NEAR(range.highest() - range.lowest, period, 1e-12);
    EXPECT_LT(range.lowest, 0);
}

TEST(TimeSpectrum, LaterTimesStayBelowTheirBound) {
    constexpr double step = 0.1, sigma = 0.3;
    double largest = 0;
    for (const Pole& p : poles) largest += std::abs(p.weight);
    for (const double time : {2.0, 5.0, 10.0}) {
        const double bound = largest * window_tail(sigma, time) / M_PI;
        double most = 0;
        for (double omega = -2; omega < 8; omega += 0.05) {
            const double s = spectrum_of(correlation(poles, step, time), step, sigma, std::vector<double>{omega})[0];
            most = std::max(most, std::abs(s - gaussians(poles, sigma, omega)));
        }
        EXPECT_LT(most, bound);
        EXPECT_GT(most, 1e-3 * bound);
    }
    EXPECT_NEAR(window_tail(sigma, 0), std::sqrt(M_PI / 2) / sigma, 1e-12);
    double sum = 0;
    for (double t = 4; t < 40; t += 1e-3) sum += 1e-3 * gaussian_window(sigma, t + 5e-4);
    EXPECT_NEAR(window_tail(sigma, 4), sum, 1e-8);
}

TEST(TimeSpectrum, FirstMomentMissesThePeriodOfEveryImage) {
    constexpr double step = 0.5, sigma = 0.2, period = 2 * M_PI / step;
    double moment = 0;
    for (const Pole& p : poles) moment += p.weight * p.energy;
    EXPECT_NEAR(moment_by_times(correlation(poles, step, 45), step, sigma), moment, 1e-8);
    std::vector<Pole> far = poles;
    far.push_back({0.03, 11});  // beyond 3/4 of the period
    far.push_back({0.01, 24});  // beyond that and another one
    const double missed = 0.03 * 11 + 0.01 * 24 - 0.03 * (11 - period) - 0.01 * (24 - 2 * period);
    EXPECT_NEAR(moment_by_times(correlation(far, step, 45), step, sigma), moment + 0.03 * 11 + 0.01 * 24 - missed,
                1e-8);
}

TEST(TimeSpectrum, IntegratesOverEnergiesInAnyOrder) {
    EXPECT_DOUBLE_EQ(grid_integral(std::vector<double>{2, 0, 1}, std::vector<double>{4, 0, 1}), 0.5 + 2.5);
    EXPECT_EQ(grid_integral(std::vector<double>{2}, std::vector<double>{4}), 0);
}

}  // namespace
}  // namespace strata::dmrg
