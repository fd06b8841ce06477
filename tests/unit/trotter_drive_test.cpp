// SPDX-License-Identifier: BSD-3-Clause
// Time-dependent factors of a drive, and the pulses before and after each step.
#include "trotter/physics/drive.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <numbers>

#include "support/trotter_jobs.hpp"

namespace strata::trotter {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr double pi = std::numbers::pi;

/// Four spins with h = (0.5, 0.25, 2) and J = (1, 3, -2), ten steps of 0.5.
TrotterConfig job(const std::string& drive, const std::string& run = "") {
    return trotter_job(
        "[lattice]\ntype = ring\nextents = 4\n[model]\njx = 1\njy = 3\njz = -2\nfield-x = 0.5\nfield-y = 0.25\n"
        "field = 2\n[run]\nstep = 0.5\nsteps = 10\n" +
        run + "[drive]\n" + drive);
}

/// The six factors (fields x, y, z, couplings x, y, z) of a drive at a time, from the fields of one spin and one pair.
std::vector<double> factors(const Drive& drive, double t, Leg leg = Leg::forward) {
    const SpinHamiltonian h = drive.at(t, leg);
    return {h[Axis::x].field[3] / 0.5, h[Axis::y].field[3] / 0.25, h[Axis::z].field[3] / 2,
            h[Axis::x].coupling[0],    h[Axis::y].coupling[0] / 3, h[Axis::z].coupling[0] / -2};
}

/// Matches six factors to rounding.
auto are(const std::vector<double>& expected) { return testing::Pointwise(testing::DoubleEq(), expected); }

TEST(TrotterDrive, IsConstantWithoutKeys) {
    const TrotterConfig c = job("");
    const Drive drive(c);
    EXPECT_TRUE(drive.constant());
    EXPECT_EQ(drive.at(0), make_hamiltonian(c));
    EXPECT_EQ(drive.at(3.7), make_hamiltonian(c));
    EXPECT_TRUE(Drive(job("pulses = 0 x 1 all\n")).constant());
    EXPECT_FALSE(Drive(job("jz = cos 1 1 1 0\n")).constant());
    EXPECT_FALSE(Drive(job("hx = cos 1 1 1 0\n")).constant());
}

TEST(TrotterDrive, MultipliesFieldsAndCouplings) {
    const Drive drive(job("fields = steps 1 3; 2.5 -1\nhz = cos 1 0.5 2 0.25\njy = linear 1 2; 3 4\n"));
    EXPECT_FALSE(drive.constant());
    const auto z = [](double t) { return 1 + 0.5 * std::cos(2 * t + pi / 4); };
    EXPECT_THAT(factors(drive, 0.9), are({1, 1, z(0.9), 1, 2, 1}));
    EXPECT_THAT(factors(drive, 1), are({3, 3, 3 * z(1), 1, 2, 1}));
    EXPECT_THAT(factors(drive, 1 - 1e-12)[0], 3);  // the rounding of the time does not shift a jump
    EXPECT_THAT(factors(drive, 1.5), are({3, 3, 3 * z(1.5), 1, 2.5, 1}));
    EXPECT_THAT(factors(drive, 2.5), are({-1, -1, -z(2.5), 1, 3.5, 1}));
    EXPECT_THAT(factors(drive, 4), are({-1, -1, -z(4), 1, 4, 1}));
    EXPECT_THAT(factors(Drive(job("couplings = steps 0 2\njx = steps 0 3\n")), 0), are({1, 1, 1, 6, 2, 2}));
}

TEST(TrotterDrive, ReadsATableOfSixFactors) {
    const std::string path = testing::TempDir() + std::to_string(getpid()) + "-table.txt";
    std::ofstream(path) << "# t hx hy hz jx jy jz\n0 1 2 3 4 5 6\n2 1 2 3 4 7 8\n";
    const Drive drive(job("table = " + path + "\nhx = steps 0 2\n"));
    EXPECT_THAT(factors(drive, -1), are({1, 2, 3, 4, 5, 6}));
    EXPECT_THAT(factors(drive, 0.5), are({2, 2, 3, 4, 5.5, 6.5}));
    EXPECT_THAT(factors(drive, 9), are({2, 2, 3, 4, 7, 8}));
}

TEST(TrotterDrive, ReversesTheSignOfEverything) {
    const Drive drive(job("reversals = 1,3\n"));
    EXPECT_FALSE(drive.constant());
    EXPECT_THAT(factors(drive, 0.99), are({1, 1, 1, 1, 1, 1}));
    EXPECT_THAT(factors(drive, 1), are({-1, -1, -1, -1, -1, -1}));
    EXPECT_THAT(factors(drive, 3), are({1, 1, 1, 1, 1, 1}));
}

TEST(TrotterDrive, AddsThePerturbationOnTheWayBack) {
    const Drive drive(job("hx = steps 0 2\n[echo]\nperturbation = 1 Sx 3; -6 Sz 0 Sz 1\n", "echo = yes\n"));
    EXPECT_THAT(factors(drive, 1), are({2, 1, 1, 1, 1, 1}));
    EXPECT_THAT(factors(drive, 1, Leg::back), are({4, 1, 1, 1, 1, 4}));
}

TEST(TrotterDrive, PulsesBeforeTheStepThatBeginsThen) {
    const Drive drive(job("pulses = 1.5 x 0.5 all; 0 y -1 0,3; 1.5 z 0.25 odd\n"));
    EXPECT_THAT(drive.pulses_before(0), ElementsAre(Pulse{Axis::y, -pi, {0, 3}}));
    EXPECT_THAT(drive.pulses_before(3),
                ElementsAre(Pulse{Axis::x, pi / 2, {0, 1, 2, 3}}, Pulse{Axis::z, pi / 4, {1, 3}}));
    for (const std::uint64_t step : {1U, 2U, 4U, 9U}) EXPECT_THAT(drive.pulses_before(step), IsEmpty());
    for (std::uint64_t step = 0; step < 10; ++step) EXPECT_THAT(drive.pulses_after(step), IsEmpty());
}

/// Step 10 + i is the inverse of step 9 - i; pulses before a forward step are undone after its inverse. The next batch
/// of samples starts again.
TEST(TrotterDrive, UndoesPulsesOnTheWayBack) {
    const Drive drive(job("pulses = 1.5 x 0.5 all; 1.5 z 0.25 1; 0 y 1 0\n[echo]\npulse = x 1 2; y 1 even\n",
                          "echo = yes\nsamples = 2\n[state]\ninitial = random\n"));
    EXPECT_THAT(drive.pulses_before(10), ElementsAre(Pulse{Axis::x, pi, {2}}, Pulse{Axis::y, pi, {0, 2}}));
    EXPECT_THAT(drive.pulses_after(16),
                ElementsAre(Pulse{Axis::z, -pi / 4, {1}}, Pulse{Axis::x, -pi / 2, {0, 1, 2, 3}}));
    EXPECT_THAT(drive.pulses_after(19), ElementsAre(Pulse{Axis::y, -pi, {0}}));
    EXPECT_THAT(drive.pulses_before(20), ElementsAre(Pulse{Axis::y, pi, {0}}));
    EXPECT_THAT(drive.pulses_before(30).size(), 2U);
    for (const std::uint64_t step : {3U, 9U, 10U, 15U, 17U, 23U}) EXPECT_THAT(drive.pulses_after(step), IsEmpty());
    for (const std::uint64_t step : {9U, 11U, 13U, 19U}) EXPECT_THAT(drive.pulses_before(step), IsEmpty());
}

}  // namespace
}  // namespace strata::trotter
