// SPDX-License-Identifier: BSD-3-Clause
// The Chebyshev series against the exponential, its Bessel functions against those of the library, bounds of the
// spectrum against eigenvalues, and sums of two states in every instruction set against loops over amplitudes, with
// equal bits.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "kernels/trotter/pass_kernels.hpp"
#include "krylov/tridiagonal.hpp"
#include "strata/error.hpp"
#include "support/laid_out.hpp"
#include "trotter/physics/chebyshev_series.hpp"

namespace strata::trotter {
namespace {

using Complex = std::complex<double>;

TEST(TrotterChebyshev, HasTheBesselFunctions) {
    for (const double z : {1e-12, 0.01, 1.0, 7.3, 100.0}) {
        const std::vector<double> j = bessel_functions(z);
        for (std::size_t k = 0; k < j.size(); ++k)
            ASSERT_NEAR(j[k], std::cyl_bessel_j(static_cast<double>(k), z), 3e-14) << "J_" << k << "(" << z << ")";
        EXPECT_LT(std::cyl_bessel_j(static_cast<double>(j.size()), z), 1e-19);
    }
    for (const double z : {0.0, 1e-310, 1e-150, 1e-100, 1e-20}) EXPECT_EQ(bessel_functions(z), std::vector<double>{1});
    EXPECT_EQ(bessel_functions(1e-19).size(), 2U);
    const std::vector<double> far = bessel_functions(999);  // reference of scipy: the C++ library is less accurate
    EXPECT_NEAR(far[0], 0.01736929635519413, 1e-14);
    EXPECT_NEAR(far[500], 0.0023757600503346954, 1e-14);
    EXPECT_NEAR(far[1010], 0.010518881495202286, 1e-14);
    double squares = 0;  // J_0^2 + 2 J_1^2 + 2 J_2^2 + ... = 1
    const std::vector<double> j = bessel_functions(1e5);
    for (std::size_t k = 0; k < j.size(); ++k) squares += (k == 0 ? 1 : 2) * j[k] * j[k];
    EXPECT_NEAR(squares, 1, 1e-10);
}

/// Uses T_k(x) = cos(k arccos x).
TEST(TrotterChebyshev, LeavesOutLessThanTheTolerance) {
    const SpectralBounds bounds{-7, 3};
    for (const double t : {0.001, 0.4, -3.0, 60.0})
        for (const double tolerance : {1e-3, 1e-8, 1e-13}) {
            const ChebyshevSeries series = chebyshev_series(bounds, t, tolerance);
            EXPECT_LT(series.left_out, tolerance);
            double largest = 0;
            for (double energy = -7; energy <= 3; energy += 0.0625) {
                const double angle = std::acos((energy + 2) / 5);
                Complex sum = 0;
                for (std::size_t k = 0; k < series.coefficients.size(); ++k)
                    sum += series.coefficients[k] * std::cos(static_cast<double>(k) * angle);
                largest = std::max(largest, std::abs(sum - std::polar(1.0, -energy * t)));
            }
            EXPECT_LT(largest, series.left_out + 5e-13) << "time " << t << ", tolerance " << tolerance;
            if (tolerance > 1e-12) {
                EXPECT_GT(largest, 1e-3 * series.left_out);
            }
        }
    EXPECT_THROW(chebyshev_series(bounds, 1e7, 1e-3), Error);
}

/// Largest and smallest eigenvalue of the dense matrix.
SpectralBounds extremes(const SpinHamiltonian& h) {
    const std::size_t size = std::size_t{1} << h.spins;
    std::vector<Complex> matrix(size * size);
    const auto spin = [](Axis a, std::size_t& x, int j) -> Complex {  // <new x| S_j |x>
        const bool down = (x >> j & 1) != 0;
        if (a == Axis::z) return down ? -0.5 : 0.5;
        x ^= std::size_t{1} << j;
        return a == Axis::x ? Complex(0.5) : Complex(0, down ? -0.5 : 0.5);
    };
    for (const Axis a : all_axes)
        for (std::size_t x = 0; x < size; ++x)
            for (int k = 0; k < h.spins; ++k) {
                std::size_t y = x;
                const Complex one = spin(a, y, k);
                matrix[x * size + y] += h[a].field[static_cast<std::size_t>(k)] * one;
                for (int j = 0; j < k; ++j) {
                    std::size_t w = y;
                    const Complex two = one * spin(a, w, j);
                    matrix[x * size + w] += h[a].coupling[pair_index(j, k)] * two;
                }
            }
    const std::vector<double> values = krylov::hermitian_values(size, matrix);
    return {values.front(), values.back()};
}

TEST(TrotterChebyshev, KnowsBoundsOfTheSpectrum) {
    std::mt19937_64 engine(1);
    std::normal_distribution<double> normal;
    for (int trial = 0; trial < 60; ++trial) {
        SpinHamiltonian h(1 + trial % 6);
        for (const Axis a : all_axes) {
            for (double& field : h[a].field) field = trial % 3 == 0 ? 0 : normal(engine);
            for (double& coupling : h[a].coupling) coupling = normal(engine);
        }
        const SpectralBounds bounds = spectral_bounds(h), exact = extremes(h);
        EXPECT_LE(bounds.lowest, exact.lowest + 1e-12);
        EXPECT_GE(bounds.highest, exact.highest - 1e-12);
        if (h.spins == 1 || (h.spins == 2 && trial % 3 == 0)) {  // no bound can be tighter than an eigenvalue
            EXPECT_NEAR(bounds.lowest, exact.lowest, 1e-12);
            EXPECT_NEAR(bounds.highest, exact.highest, 1e-12);
        }
    }
}

template <class Real>
std::vector<Real> numbers(const Buffer<Real>& buffer) {
    return {buffer.begin(), buffer.end()};
}

template <class Real>
void expect_sums(int spins, int row_bits) {
    const StateLayout layout{spins, row_bits, sizeof(Real) == 8 ? 3 : 4};
    std::mt19937_64 engine(static_cast<unsigned>(spins));
    std::normal_distribution<double> normal;
    Diagonal d(spins);
    for (double& field : d.field) field = normal(engine);
    for (double& coupling : d.coupling) coupling = normal(engine);
    std::vector<Complex> from(std::size_t{1} << spins), to(from.size()), with_energies(from.size()), sum(from.size());
    std::vector<int> bits;
    for (int j = 0; j < spins; ++j) bits.push_back(j);
    const std::vector<double> energy = energies(d, bits);
    const EnergySum by = {0.7, -0.3, -1};
    for (std::size_t x = 0; x < from.size(); ++x) {
        from[x] = {normal(engine), normal(engine)};
        to[x] = {normal(engine), normal(engine)};
        with_energies[x] = (by.a * energy[x] + by.b) * from[x] + by.c * to[x];
        sum[x] = Complex(0.4, -0.8) * from[x];
    }
    const EnergyTables tables(d, row_bits);
    const Buffer<Real> source = laid_out<Real>(layout, from);
    const std::vector<Real> expected = numbers(laid_out<Real>(layout, with_energies)),
                            expected_sum = numbers(laid_out<Real>(layout, sum));
    std::vector<Real> first, first_sum;
    const std::uint64_t half = layout.rows() / 2;
    for (const PassKernels<Real>& kernels : pass_variants<Real>()) {
        Buffer<Real> target = laid_out<Real>(layout, to), unread = laid_out<Real>(layout, to);
        for (const Range rows : {Range{0, half}, Range{half, layout.rows()}})
            kernels.add_energies(layout, tables.view(), rows, by, source.data() + layout.row_offset(rows.first),
                                 target.data() + layout.row_offset(rows.first));
        for (Real& value : unread) value = value == 0 ? Real(0) : std::numeric_limits<Real>::quiet_NaN();
        kernels.combine(layout, layout.rows(), 0.4, -0.8, 0, source.data(), unread.data());
        const double bound = sizeof(Real) == 8 ? 1e-13 : 1e-4;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            ASSERT_NEAR(target[i], expected[i], bound) << kernels.name;
            ASSERT_NEAR(unread[i], expected_sum[i], bound) << kernels.name;
        }
        if (first.empty()) first = numbers(target), first_sum = numbers(unread);
        EXPECT_EQ(numbers(target), first) << kernels.name;
        EXPECT_EQ(numbers(unread), first_sum) << kernels.name;
    }
}

TEST(TrotterChebyshev, AddsStatesInEveryInstructionSet) {
    for (const auto& [spins, row_bits] : {std::pair(6, 5), {9, 5}, {12, 11}, {12, 6}}) {
        expect_sums<double>(spins, row_bits);
        expect_sums<float>(spins, row_bits);
    }
}

}  // namespace
}  // namespace strata::trotter
