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

/// The path of a new file with this text.
std::string table(const std::string& text) {
    static int count = 0;
    const std::string path =
        testing::TempDir() + std::to_string(getpid()) + "-table" + std::to_string(++count) + ".txt";
    std::ofstream(path) << text;
    return path;
}

TEST(TrotterDrive, ReadsATableOfSixFactors) {
    const Drive drive(
        job("table = " + table("# t hx hy hz jx jy jz\n0 1 2 3 4 5 6\n2 1 2 3 4 7 8\n") + "\nhx = steps 0 2\n"));
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

/// The six factors averaged from `from` to `to` of the parts of the step that begins at `begin`, weighted with their
/// lengths.
std::vector<double> means(const Drive& drive, double begin, double from = 0, double to = 1) {
    std::vector<double> sum(6);
    for (const StepPart& part : drive.parts(begin)) {
        const auto mean = [&](Axis axis) { return drive.mean(axis, part, from, to); };
        const double found[] = {mean(Axis::x).field[3] / 0.5,  mean(Axis::y).field[3] / 0.25,
                                mean(Axis::z).field[3] / 2,    mean(Axis::x).coupling[0],
                                mean(Axis::y).coupling[0] / 3, mean(Axis::z).coupling[0] / -2};
        for (std::size_t i = 0; i < 6; ++i) sum[i] += found[i] * part.length / 0.5;
    }
    return sum;
}

/// The mean of f by Simpson's rule.
template <class Function>
double simpson(Function f, double a, double b) {
    constexpr int n = 2000;
    double sum = f(a) + f(b);
    for (int i = 1; i < n; ++i) sum += (i % 2 == 1 ? 4 : 2) * f(a + (b - a) * i / n);
    return sum / (3 * n);
}

TEST(TrotterDrive, AveragesOverAStep) {
    const auto near = [](std::vector<double> expected) {
        return testing::Pointwise(testing::DoubleNear(1e-13), expected);
    };
    // half a period in a step, the most that is taken
    const double w = 2 * pi;
    const Drive drive(job("fields = cos 0.3 2 6.283185307179586 0.1\ncouplings = linear 1 2; 3 6\njz = cos 1 1 3 0\n"));
    const auto cosine = [&](double a, double b) {
        return 0.3 + 2 * (std::sin(w * b + 0.1 * pi) - std::sin(w * a + 0.1 * pi)) / (w * (b - a));
    };
    const auto z = [](double t) { return 2 * t * (1 + std::cos(3 * t)); };
    EXPECT_THAT(means(drive, 1.5),
                near({cosine(1.5, 2), cosine(1.5, 2), cosine(1.5, 2), 3.5, 3.5, simpson(z, 1.5, 2)}));
    const double f = cosine(1.6, 1.85);
    EXPECT_THAT(means(drive, 1.5, 0.2, 0.7), near({f, f, f, 3.45, 3.45, simpson(z, 1.6, 1.85)}));
    EXPECT_THAT(means(drive, 1.5, 0.7, 0.2), near({f, f, f, 3.45, 3.45, simpson(z, 1.6, 1.85)}));  // backwards
    EXPECT_THAT(means(Drive(job("fields = steps 1 3\nreversals = 1.5\n")), 0.5), are({1, 1, 1, 1, 1, 1}));
    EXPECT_THAT(means(Drive(job("fields = steps 1 3\nreversals = 1.5\n")), 1), are({3, 3, 3, 1, 1, 1}));
    EXPECT_THAT(means(Drive(job("fields = steps 1 3\nreversals = 1.5\n")), 1.5), are({-3, -3, -3, -1, -1, -1}));
}

/// Pulses that are shorter than a step, and that begin and end anywhere.
TEST(TrotterDrive, LosesNoPulseInsideAStep) {
    const auto near = [](std::vector<double> expected) {
        return testing::Pointwise(testing::DoubleNear(1e-13), expected);
    };
    const std::string points = "linear 0 0; 1.1 0; 1.2 5; 1.3 0; 1.77 0; 1.78 -3; 2.01 7; 5 7\n";
    for (const std::string& lines :
         {"hx = " + points, "table = " +
                                table("0 0 1 1 1 1 1\n1.1 0 1 1 1 1 1\n1.2 5 1 1 1 1 1\n1.3 0 1 1 1 1 1\n"
                                      "1.77 0 1 1 1 1 1\n1.78 -3 1 1 1 1 1\n2.01 7 1 1 1 1 1\n") +
                                "\n"}) {
        const Drive drive(job(lines));
        EXPECT_THAT(means(drive, 0.5), near({0, 1, 1, 1, 1, 1}));
        EXPECT_THAT(means(drive, 1), near({1, 1, 1, 1, 1, 1}));
        const double middle = -3 + 10 * 0.22 / 0.23;  // at time 2
        EXPECT_THAT(means(drive, 1.5), near({2 * (-0.5 * 0.01 * 3 + 0.22 * (middle - 3) / 2), 1, 1, 1, 1, 1}));
        EXPECT_THAT(means(drive, 2), near({2 * (0.01 * (middle + 7) / 2 + 0.49 * 7), 1, 1, 1, 1, 1}));
    }
}

TEST(TrotterDrive, DividesStepsAtKinks) {
    const auto ends = [](const Drive& drive, double begin, int divisions = 1) {
        std::vector<double> found;
        for (const StepPart& part : drive.parts(begin, divisions)) {
            EXPECT_DOUBLE_EQ(part.inside, begin + 0.25);
            EXPECT_DOUBLE_EQ(part.begin, found.empty() ? begin : found.back());
            found.push_back(part.begin + part.length);
        }
        return found;
    };
    using testing::DoubleEq;
    const Drive drive(job("hx = linear 0 0; 1 1; 1.1 5; 1.2 5; 1.3 5; 1.4 3; 1.5 1; 9 1\njy = linear 1.2 0; 1.25 1\n"));
    EXPECT_EQ(drive.kinks_inside(),
              4U);  // 1.2 and 1.25 of jy, and 1.1 and 1.3: the others lie on a line or between steps
    EXPECT_THAT(ends(drive, 0.5), ElementsAre(DoubleEq(1)));
    EXPECT_THAT(ends(drive, 1),
                ElementsAre(DoubleEq(1.1), DoubleEq(1.2), DoubleEq(1.25), DoubleEq(1.3), DoubleEq(1.5)));
    EXPECT_THAT(ends(drive, 4.5, 2), ElementsAre(DoubleEq(4.75), DoubleEq(5)));
    EXPECT_THAT(ends(Drive(job("hx = linear 0.1 0; 1 1\n")), 0, 2),
                ElementsAre(DoubleEq(0.05), DoubleEq(0.1), DoubleEq(0.3), DoubleEq(0.5)));
    // no kinks: cosines, jumps, factors of terms that are zero, times outside of the run
    const std::string none =
        "[lattice]\ntype = ring\nextents = 4\n[model]\njx = 1\n[run]\nstep = 0.5\nsteps = 10\n[drive]\n";
    EXPECT_EQ(Drive(trotter_job(none + "hx = linear 0.1 0; 1.2 1\njy = linear 0.1 0; 0.3 1\n")).kinks_inside(), 0U);
    EXPECT_EQ(Drive(job("hx = linear -0.1 0; 0 3; 5.1 1; 6.2 8\njx = cos 1 1 1 0\nhy = steps 1 2\n")).kinks_inside(),
              0U);
    EXPECT_EQ(Drive(job("hx = linear 0 0; 1.00000001 0; 1.00000002 1e8; 1.00000003 0\n")).kinks_inside(), 3U);
}

TEST(TrotterDrive, KnowsTheLargestTurnOfAStep) {
    EXPECT_DOUBLE_EQ(Drive(job("")).largest_turn(), 0.5 * 2);
    EXPECT_DOUBLE_EQ(Drive(job("jy = linear 0 1; 1 -6\n")).largest_turn(), 0.5 * 3 * 6 / 2);
    EXPECT_DOUBLE_EQ(Drive(job("hz = cos -1 3 1 0\n")).largest_turn(), 0.5 * 2 * 4);
    EXPECT_EQ(Drive(trotter_job("[lattice]\ntype = ring\nextents = 4\n[model]\njx = 1\nfield-x = 9\n")).largest_turn(),
              0);
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
