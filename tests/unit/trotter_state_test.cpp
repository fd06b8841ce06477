// SPDX-License-Identifier: BSD-3-Clause
// Amplitudes of initial states against Kronecker products written here, and the moments of random ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <numbers>

#include "support/trotter_jobs.hpp"
#include "trotter/physics/initial_state.hpp"

namespace strata::trotter {
namespace {

using State = std::vector<Complex>;

std::string ring(int spins) {
    return "[lattice]\ntype = ring\nextents = " + std::to_string(spins) + "\n[model]\ntype = heisenberg\n[state]\n";
}

/// All amplitudes of the initial state of a job with the section [state], computed at once.
State filled(int spins, const std::string& state, std::uint64_t sample = 0) {
    State amplitudes(std::size_t{1} << spins, Complex(7, 7));
    InitialState(trotter_job(ring(spins) + state), spins, sample).fill(0, amplitudes);
    return amplitudes;
}

/// The product state; bit j of a basis state is spin j.
State product(const std::vector<Spinor>& spinors) {
    State state;
    for (std::size_t basis = 0; basis < std::size_t{1} << spinors.size(); ++basis) {
        state.emplace_back(1);
        for (std::size_t j = 0; j < spinors.size(); ++j) state.back() *= spinors[j][basis >> j & 1];
    }
    return state;
}

double norm(const State& state) {
    double sum = 0;
    for (const Complex& amplitude : state) sum += std::norm(amplitude);
    return sum;
}

double distance(const State& a, const State& b) {
    double largest = a.size() == b.size() ? 0 : 1e9;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest;
}

const Spinor u = {1, 0}, d = {0, 1};
const double h = std::sqrt(0.5);

TEST(TrotterState, OfNamedProducts) {
    EXPECT_EQ(filled(4, "initial = up\n"), product({u, u, u, u}));
    EXPECT_EQ(filled(5, "initial = neel\n"), product({d, u, d, u, d}));
    EXPECT_EQ(filled(5, "initial = flipped\nspin = 3\n"), product({d, d, d, u, d}));
    EXPECT_EQ(filled(5, "initial = domain-wall\n"), product({u, u, d, d, d}));
    EXPECT_EQ(filled(2, "initial = domain-wall\n"), product({u, d}));
}

TEST(TrotterState, OfPatterns) {
    EXPECT_EQ(filled(6, "initial = pattern\npattern = udd\n"), product({u, d, d, u, d, d}));
    EXPECT_EQ(filled(4, "initial = pattern\npattern = 0110\n"), product({u, d, d, u}));
    const State mixed = filled(6, "initial = pattern\npattern = u+-rld\n");
    EXPECT_LT(distance(mixed, product({u, {h, h}, {h, -h}, {h, Complex(0, h)}, {h, Complex(0, -h)}, d})), 1e-15);
}

/// Each spin is the eigenstate +1/2 of S along its direction.
TEST(TrotterState, OfDirections) {
    const double pi = std::numbers::pi;
    const State state = filled(3, "initial = product\ntheta = 0.3,0.5,1\nphi = 0.25\n");
    std::vector<Spinor> spinors;
    for (const double theta : {0.3 * pi, 0.5 * pi, pi}) {
        const Complex phase = std::polar(1.0, pi / 4);
        spinors.push_back({std::cos(theta / 2), phase * std::sin(theta / 2)});
        const auto& [a, b] = spinors.back();
        const double sin = std::sin(theta), cos = std::cos(theta);
        EXPECT_LT(std::abs(cos * a + sin * std::conj(phase) * b - a), 1e-15);
        EXPECT_LT(std::abs(sin * phase * a - cos * b - b), 1e-15);
    }
    EXPECT_LT(distance(state, product(spinors)), 1e-15);
}

TEST(TrotterState, IsTheSameInPieces) {
    const std::string path = testing::TempDir() + std::to_string(getpid()) + "-pieces.txt";
    std::ofstream(path) << "uudddu 0.6\nduuudu 0 0.8\n";
    for (const std::string& type :
         std::vector<std::string>{"neel", "pattern\npattern = ur+", "product\ntheta = 0.4\nphi = 0.1", "random",
                                  "polarised-random\nspin = 2", "file\nfile = " + path}) {
        const InitialState state(trotter_job(ring(6) + "initial = " + type + "\n"), 6, 3);
        State whole(64), pieces(64);
        state.fill(0, whole);
        for (const auto& [first, count] : {std::pair(0, 1), {1, 6}, {7, 9}, {16, 32}, {48, 16}})
            state.fill(static_cast<std::uint64_t>(first),
                       std::span(pieces).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)));
        EXPECT_EQ(whole, pieces) << type;
        EXPECT_EQ(state.normalised(), type != "random");
        EXPECT_NEAR(norm(whole), 1, state.normalised() ? 1e-13 : 0.5) << type;
    }
}

/// Real and imaginary parts are independent and Gaussian of variance 2^-N / 2: their fourth moment is three times the
/// square of the second.
TEST(TrotterState, DrawsGaussianAmplitudes) {
    const int spins = 14;
    const State state = filled(spins, "initial = random\n");
    double second = 0, fourth = 0, mixed = 0, mean = 0;
    for (const Complex& a : state) {
        const double x = a.real() * std::exp2(spins / 2.0), y = a.imag() * std::exp2(spins / 2.0);
        second += (x * x + y * y) / 2 / static_cast<double>(state.size());
        fourth += (x * x * x * x + y * y * y * y) / 2 / static_cast<double>(state.size());
        mixed += x * y / static_cast<double>(state.size());
        mean += (x + y) / 2 / static_cast<double>(state.size());
    }
    EXPECT_NEAR(second, 0.5, 0.015);
    EXPECT_NEAR(fourth, 0.75, 0.08);
    EXPECT_NEAR(mixed, 0, 0.02);
    EXPECT_NEAR(mean, 0, 0.02);
    EXPECT_NE(filled(4, "initial = random\n", 1), filled(4, "initial = random\n", 2));
    EXPECT_NE(filled(4, "initial = random\n[run]\nseed = 9\n"), filled(4, "initial = random\n"));
}

/// Equation (A.1): random phases of equal weight where the spin is up, zero elsewhere.
TEST(TrotterState, PolarisesOneSpinOfARandomState) {
    const State state = filled(10, "initial = polarised-random\nspin = 7\n");
    Complex mean = 0, square = 0;
    for (std::size_t basis = 0; basis < state.size(); ++basis) {
        EXPECT_NEAR(std::norm(state[basis]), (basis >> 7 & 1) == 0 ? 1.0 / 512 : 0, 1e-15);
        mean += state[basis] * std::sqrt(512.0) / 512.0;
        square += state[basis] * state[basis];
    }
    EXPECT_LT(std::abs(mean), 0.13);  // three standard errors
    EXPECT_LT(std::abs(square), 0.13);
    EXPECT_NE(filled(6, "initial = polarised-random\n", 1), filled(6, "initial = polarised-random\n", 2));
}

/// The first letter of a line of the file is spin 0.
TEST(TrotterState, IsReadFromAFile) {
    const std::string path = testing::TempDir() + std::to_string(getpid()) + "-amplitudes.txt";
    std::ofstream(path) << "# two amplitudes\nudd 0.6\n1uu 0 -0.8 # the other\n";
    State expected(8);
    expected[0b110] = 0.6;
    expected[0b001] = Complex(0, -0.8);
    EXPECT_EQ(filled(3, "initial = file\nfile = " + path + "\n"), expected);
    std::ofstream(path) << "ud 0.7071068\ndu -0.7071068\n";  // 1 + 2e-8
    const State singlet = filled(2, "initial = file\nfile = " + path + "\n");
    EXPECT_NEAR(singlet[0b10].real(), std::sqrt(0.5), 1e-16);
    EXPECT_NEAR(singlet[0b01].real(), -std::sqrt(0.5), 1e-16);
}

}  // namespace
}  // namespace strata::trotter
