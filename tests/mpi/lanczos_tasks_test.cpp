// SPDX-License-Identifier: BSD-3-Clause
// Several states, spectra, temperatures and time evolution on the ranks of this run, against all eigenstates of small
// sectors (support/dense_sector.hpp) and free particles, with the same bits as on one rank.
#include <gtest/gtest.h>

#include <cmath>

#include "lanczos/run/evolution.hpp"
#include "lanczos/run/ground_state.hpp"
#include "lanczos/run/lowest_states.hpp"
#include "lanczos/run/spectrum.hpp"
#include "lanczos/run/thermal.hpp"
#include "lanczos/run/thermal_spectrum.hpp"
#include "support/dense_sector.hpp"
#include "support/lanczos_restarts.hpp"
#include "support/large_cases.hpp"

namespace strata::lanczos {
namespace {

void expect_states(LanczosConfig c, std::vector<double> exact, const char* what) {
    c.states = exact.size();
    c.max_steps = 3000;
    LowestStates system(plan(c), on_cpu());
    const Series series = run(system);
    const std::vector<double> found = values(system, series, "energies");
    ASSERT_EQ(found.size(), exact.size()) << what;
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], exact[i], 1e-9) << what << " " << i;
    EXPECT_LT(values(system, series, "residual")[0], 1e-7) << what;
}

TEST(LowestStates, AreThoseOfTheDenseSector) {
    for (std::uint64_t block : {1, 3})
        for (LanczosConfig c : {config("ring", {6}, 3, 3, 4), single("checkerboard", {2, 2}, 4, 1),
                                spins("ring", {8}, 4), config("ring", {6}, 2, 1, 0)}) {
            c.block = block;
            const DenseSector dense(c);
            std::vector<double> exact;
            for (std::size_t n = 0; n < 7; ++n) exact.push_back(dense.energy(n));
            expect_states(c, exact, "lowest 7");
        }
}

TEST(LowestStates, CountDegenerateOnes) {
    // energies by numpy
    expect_states(single("checkerboard", {3, 3}, 3, 1), std::vector<double>(4, -8.059317791426), "4 times");
    if (large_cases)
        expect_states(single("checkerboard", {4, 3}, 4, 1), std::vector<double>(2, -10.798034934511), "twice");
    LanczosConfig c = single("checkerboard", {3, 3}, 3, 1);
    c.states = 5;
    c.max_steps = 3000;
    LowestStates system(plan(c), on_cpu());
    const Series series = run(system);
    EXPECT_EQ(values(system, series, "degeneracy")[0], 4);
}

/// One hole on four mutually neighbouring sites has three ground states: averages over only two of them are not
/// reported, although the basis spans the sector.
TEST(LowestStates, GiveNoAveragesOverPartOfAMultiplet) {
    LanczosConfig c = config("triangular", {2, 2}, 3, 4, 4);
    const DenseSector dense(c);
    ASSERT_NEAR(dense.energy(2), dense.energy(0), 1e-12);
    ASSERT_GT(dense.energy(3), dense.energy(0) + 0.1);
    for (std::size_t states : {2, 3}) {
        c.states = states;
        LowestStates system(plan(c), on_cpu());
        const Series series = run(system);
        bool averaged = false;
        for (const Quantity& q : system.results(series)) averaged = averaged || q.name == "double-occupancy";
        EXPECT_EQ(averaged, states == 3);
    }
}

TEST(LowestStates, AreAllOfASmallSector) {
    const LanczosConfig c = config("ring", {4}, 1, 1, 2);
    const DenseSector dense(c);
    std::vector<double> exact;
    for (std::size_t n = 0; n < dense.size(); ++n) exact.push_back(dense.energy(n));
    expect_states(c, exact, "all 16");
    expect_states(config("ring", {6}, 0, 0, 2), {0}, "dimension 1");
}

TEST(LowestStates, HaveTheSameBitsOnAnyRanks) {
    LanczosConfig c = single("checkerboard", {4, 2}, 4, 1);
    c.states = 3;
    c.tolerance = 1e-7;
    c.max_steps = 2000;
    c.cut = "0,2";
    c.observables = {"means", "a = 1i cdag 0 c 1"};
    c.elements = {"a"};
    expect_same_bits<LowestStates>(
        c, {"energies", "residuals", "density-correlation", "entanglement-entropy", "a-elements"});
}

/// Compares with the trace over all states within 4 sigma: 3 x 12 comparisons at a fixed seed.
TEST(Thermal, IsTheTraceOverAllStates) {
    for (LanczosConfig c :
         {config("ring", {4}, 2, 2, 4), spins("ring", {8}, 4), single("checkerboard", {2, 2}, 3, 1)}) {
        c.task = Task::thermal;
        c.thermal = {{0.3, 1, 3, 1000}, 200, 40};
        Thermal system(plan(c), on_cpu());
        const Series series = run(system);
        const DenseSector dense(c);
        for (std::size_t row = 0; row < series.rows(); ++row) {
            const std::span<const double> r = series.row(row);
            const double t = r[0], sites = dense.model().lattice.sites;
            double z = 0, e = 0, squares = 0;
            for (std::size_t n = 0; n < dense.size(); ++n) {
                const double above = dense.energy(n) - dense.energy(0), w = std::exp(-above / t);
                z += w;
                e += w * above / 1.0;
                squares += w * above * above;
            }
            const double mean = e / z, heat = (squares / z - mean * mean) / (t * t) / sites,
                         entropy = (std::log(z) + mean / t) / sites;
            EXPECT_NEAR(r[1], dense.energy(0) + mean, 4 * r[2] + 1e-9) << t;
            EXPECT_NEAR(r[3], heat, 4 * r[4] + 1e-9) << t;
            EXPECT_NEAR(r[5], entropy, 4 * r[6] + 1e-9) << t;
            EXPECT_LT(r[2], 0.2) << "an error that says nothing";
        }
    }
}

/// Sectors with fewer levels than steps, temperatures far below all gaps, and samples that disagree: no energy below
/// the lowest level, and every error is a number.
TEST(Thermal, StaysAboveTheGroundState) {
    for (std::uint64_t seed = 1; seed <= (world().size() == 1 ? 8 : 1); ++seed)
        for (LanczosConfig c : {spins("ring", {3}, 1), spins("ring", {6}, 3), config("ring", {3}, 2, 0, 4)}) {
            c.task = Task::thermal;
            c.seed = seed;
            c.thermal = {{1e-3, 0.01, 0.3}, 20, 60};
            Thermal system(plan(c), on_cpu());
            const Series series = run(system);
            const DenseSector dense(c);
            for (std::size_t row = 0; row < series.rows(); ++row) {
                EXPECT_GE(series.row(row)[1], dense.energy(0) - 1e-9);
                EXPECT_LT(series.row(row)[2], 1);
                EXPECT_LT(series.row(row)[6], 0.3) << "entropy";
                for (double number : series.row(row)) EXPECT_TRUE(std::isfinite(number));
            }
        }
}

/// Eight steps do not reach the ground state of the 4 x 4 Heisenberg model, -11.228483208429 (numpy): the error by too
/// few steps must show it.
TEST(Thermal, TellsWhatTooFewStepsLeaveOut) {
    LanczosConfig c = spins("square", {4, 4}, 8);
    c.task = Task::thermal;
    c.thermal = {{1e-3, 0.05}, 20, 8};
    Thermal system(plan(c), on_cpu());
    const Series series = run(system);
    for (std::size_t row = 0; row < series.rows(); ++row) {
        const std::span<const double> r = series.row(row);
        EXPECT_GT(r[1] + 11.228483208429, 4e-3);
        EXPECT_LE(r[1] + 11.228483208429, 4 * r[2] + r[7]);
        EXPECT_GT(r[7], r[1] + 11.228483208429);
    }
}

TEST(Thermal, HasTheSameBitsOnAnyRanks) {
    LanczosConfig c = config("ring", {6}, 3, 3, 4);
    c.task = Task::thermal;
    c.thermal = {{0.5, 2}, 4, 20};
    expect_same_bits<Thermal>(c, {"energy", "entropy"});
}

TEST(Evolution, IsTheExponentialOfTheDenseSector) {
    for (LanczosConfig c : {config("ring", {4}, 2, 2, 3), single("square", {3, 2}, 3, 1.5), spins("ring", {6}, 3)}) {
        c.task = Task::evolution;
        c.arithmetic = RequestedArithmetic::complex;
        c.evolution.initial.up =
            c.components() == 2 ? std::vector<std::int64_t>{0, 1} : std::vector<std::int64_t>{0, 2, 3};
        if (c.components() == 2) c.evolution.initial.down = {0, 3};
        c.evolution.step = 0.7;
        c.evolution.steps = 6;
        c.evolution.krylov = 12;
        Evolution system(plan(c), on_cpu());
        const Series series = run(system);
        const DenseSector dense(c);
        std::uint64_t start = 0;
        for (std::int64_t site : c.evolution.initial.up) start |= std::uint64_t{1} << site;
        if (c.components() == 2)
            for (std::int64_t site : c.evolution.initial.down) start |= std::uint64_t{1} << (site + 4);
        const std::size_t first = dense.index(start);
        for (std::size_t row = 0; row < series.rows(); ++row) {
            const std::span<const double> r = series.row(row);
            EXPECT_DOUBLE_EQ(r[0], 0.7 * static_cast<double>(row));
            std::vector<Complex> psi(dense.size());
            for (std::size_t n = 0; n < dense.size(); ++n)
                for (std::size_t i = 0; i < dense.size(); ++i)
                    psi[i] += std::polar(1.0, -r[0] * dense.energy(n)) * dense.component(n, i) *
                              std::conj(dense.component(n, first));
            EXPECT_NEAR(r[2], 1, 1e-11);
            EXPECT_NEAR(r[3], std::norm(psi[first]), 1e-9);
            const std::size_t occupations = c.components() == 2 ? 5 : 4;
            for (int j = 0; j < dense.model().lattice.sites; ++j) {
                double n = 0;
                for (std::size_t i = 0; i < dense.size(); ++i) n += std::norm(psi[i]) * dense.occupied(i, j, 0);
                EXPECT_NEAR(r[occupations + static_cast<std::size_t>(j)], n, 1e-9) << row << " " << j;
            }
        }
        EXPECT_NEAR(series.row(6)[1], series.row(0)[1], 1e-10) << "energy";
    }
}

/// The ground state of a ring without interaction, after an operator.
LanczosConfig from_a_ground_state() {
    LanczosConfig c = config("ring", {6}, 3, 3, 4);
    c.task = Task::evolution;
    c.arithmetic = RequestedArithmetic::complex;
    c.observables = {"means", "a = 1 n_up 0 n_dn 1"};
    c.cut = "1,2,5";
    c.evolution = {{InitialStateKind::ground_state, {}, {}, config("ring", {6}, 3, 3, 0)}, 0.3, 6, 10, "a"};
    return c;
}

/// Long time steps are divided; the error bound includes the truncation, in single precision also rounding.
TEST(Evolution, CutsLongStepsAndBoundsTheError) {
    for (std::uint64_t krylov : {6, 9, 24})
        for (Precision precision : {Precision::double_, Precision::single}) {
            LanczosConfig c = spins("ring", {6}, 3);
            c.task = Task::evolution;
            c.arithmetic = RequestedArithmetic::complex;
            c.precision = precision;
            c.evolution = {{.up = {0, 2, 3}}, 7.5, 4, krylov};
            Evolution system(plan(c), on_cpu());
            const Series series = run(system);
            const DenseSector dense(c);
            const std::size_t first = dense.index(0b1101);
            const double bound = values(system, series, "error-bound")[0];
            const double rounding = precision == Precision::single ? 1e-4 : 1e-11;
            EXPECT_LT(bound, precision == Precision::single ? 1e-3 : 1e-8);
            for (std::size_t row = 0; row < series.rows(); ++row) {
                Complex overlap = 0;
                for (std::size_t n = 0; n < dense.size(); ++n)
                    overlap += std::polar(std::norm(dense.component(n, first)), -series.row(row)[0] * dense.energy(n));
                EXPECT_NEAR(series.row(row)[3], std::norm(overlap), 2 * bound + rounding) << krylov << " " << row;
            }
        }
}

/// On a chain without interaction all alpha are 0, and the Ritz values of a Krylov space of three vectors are 0 and
/// +-w: its state returns with the period 2 pi / w, where all terms of the simple error bound vanish. The true state
/// does not return.
TEST(Evolution, IsNotDeceivedByAReturnOfTheKrylovSpace) {
    LanczosConfig c = single("chain", {6}, 3, 0);
    c.task = Task::evolution;
    c.arithmetic = RequestedArithmetic::complex;
    c.precision = Precision::single;
    const DenseSector dense(c);
    const std::size_t first = dense.index(0b1101);
    const auto average = [&](auto f) {
        Complex sum = 0;
        for (std::size_t n = 0; n < dense.size(); ++n) sum += std::norm(dense.component(n, first)) * f(dense.energy(n));
        return sum;
    };
    const double second = average([](double e) { return std::pow(e, 2); }).real(),
                 fourth = average([](double e) { return std::pow(e, 4); }).real();
    const double time = 4 * 2 * M_PI / std::sqrt(fourth / second);
    c.evolution = {{.up = {0, 2, 3}}, time, 1, 3};
    Evolution system(plan(c), on_cpu());
    const Series series = run(system);
    const double echo = std::norm(average([&](double e) { return std::polar(1.0, -time * e); }));
    EXPECT_LT(echo, 0.9) << "this test tells nothing";
    EXPECT_NEAR(series.row(1)[3], echo, 1e-3);
}

TEST(Evolution, HasTheSameBitsOnAnyRanks) {
    LanczosConfig c = config("chain", {6}, 3, 2, 2);
    c.task = Task::evolution;
    c.arithmetic = RequestedArithmetic::complex;
    c.evolution = {{.up = {0, 2, 4}, .down = {1, 3}}, 0.3, 4, 10};
    expect_same_bits<Evolution>(c, {"energy", "loschmidt-echo"});
    expect_same_bits<Evolution>(from_a_ground_state(),
                                {"initial-energy", "initial-norm", "energy", "a", "renyi-entropy"});
    LanczosConfig ground = spins("chain", {10}, 5);
    ground.cut = "first 4";
    expect_same_bits<GroundState>(ground, {"entanglement-entropy", "entanglement-spectrum"});
    LanczosConfig symmetric = config("ring", {6}, 2, 3, 4);
    symmetric.symmetry = symmetric.symmetry.with_momentum({1});
    symmetric.cut = "0,1,3";
    expect_same_bits<GroundState>(symmetric, {"entanglement-entropy", "entanglement-spectrum"});
}

TEST(TakenUpAgain, InEveryTaskAndPhase) {
    LanczosConfig c = config("ring", {8}, 4, 4, 3);
    c.density_matrix = true;
    for (std::uint64_t half : {9, 70, 110, 150})  // first, second pass, search, density matrix
        expect_taken_up_again<GroundState>(c, half, {"energy", "residual", "momentum-distribution"});
    c.fidelity = {-0.5, config("ring", {8}, 4, 4, 2.5)};
    for (std::uint64_t half : {120, 170, 230}) expect_taken_up_again<GroundState>(c, half, {"energy", "fidelity"});
    c.fidelity = {};
    c.density_matrix = false;
    c.precision = Precision::single;
    c.tolerance = 1e-5;
    expect_taken_up_again<GroundState>(c, 9, {"energy", "residual"});
    c.certified = true;
    for (std::uint64_t half : {9, 60, 110})
        expect_taken_up_again<GroundState>(c, half, {"energy", "residual", "energy-bound", "energy-error"});
    c.certified = false;
    c = single("checkerboard", {4, 2}, 4, 1);
    c.states = 3;
    c.max_steps = 1000;
    c.observables = {"means", "a = 1 n {i} n {j}"};
    c.observables = {"means", "a = 1 n {i} n {j}\nb = 1 cdag 0 c 1"};
    c.elements = {"b"};
    c.cut = "1,2";
    for (std::uint64_t half : {40, 150, 170})
        expect_taken_up_again<LowestStates>(c, half,
                                            {"energies", "residuals", "a", "b-elements", "entanglement-spectrum"});
    c = config("ring", {6}, 3, 3, 4);
    c.task = Task::spectrum;
    c.spectrum.op = SpectralOperator::removal;
    c.spectrum.omega = {0.5, 1};
    c.spectrum.steps = 30;
    for (std::uint64_t half : {10, 90}) expect_taken_up_again<Spectrum>(c, half, {"energy", "weight"});
    LanczosConfig own = c;
    own.spectrum.op = SpectralOperator::observable;
    own.observables = {"own", "a = 1 cdag_up {i} c_up {i+1}"};
    for (std::uint64_t half : {10, 90}) expect_taken_up_again<Spectrum>(own, half, {"energy", "weight"});
    LanczosConfig current = c, thermal = c;
    current.spectrum.op = SpectralOperator::current;
    for (std::uint64_t half : {10, 90}) expect_taken_up_again<Spectrum>(current, half, {"energy", "drude-weight"});
    thermal.task = Task::thermal_spectrum;
    thermal.spectrum.temperatures = {0.5, 2};
    thermal.thermal = {{}, 4, 12};
    for (const SpectralOperator op : {SpectralOperator::removal, SpectralOperator::density}) {
        thermal.spectrum.op = op;
        for (std::uint64_t half :
             large_cases ? std::vector<std::uint64_t>{5, 12, 20, 400} : std::vector<std::uint64_t>{20})
            expect_taken_up_again<ThermalSpectrum>(thermal, half, {"weight"});
    }
    thermal.spectrum.op = SpectralOperator::current;
    for (std::uint64_t half : {12, 20, 50}) expect_taken_up_again<ThermalSpectrum>(thermal, half, {"stiffness"});
    thermal.spectrum.op = SpectralOperator::observable;
    thermal.observables = {"own", "a = 1 cdag_up {i} c_up {i+1}\nb = 1-2i n_up {i}"};
    thermal.spectrum.second = "b";
    for (std::uint64_t half : {12, 20, 50}) expect_taken_up_again<ThermalSpectrum>(thermal, half, {"weight-imaginary"});
    thermal.spectrum.op = SpectralOperator::current;
    thermal.spectrum.second = "";
    thermal.thermal.method = TraceMethod::low_temperature;
    for (std::uint64_t half : {20, 43, 80}) expect_taken_up_again<ThermalSpectrum>(thermal, half, {"stiffness"});
    thermal.thermal.method = TraceMethod::all_levels;
    expect_same_bits<ExactThermalSpectrum>(thermal, {"stiffness"});
    LanczosConfig degenerate = c;
    degenerate.down = 2;
    degenerate.states = 2;
    for (std::uint64_t half : {50, 90, 120, 200})
        expect_taken_up_again<Spectrum>(degenerate, half, {"energy", "degeneracy", "weight"});
    c.task = Task::thermal;
    c.thermal = {{0.5, 2}, 4, 20};
    expect_taken_up_again<Thermal>(c, 33, {"energy", "entropy"});
    c.observables = {"means", "a = 1 cdag_up {i} c_up {j}"};  // more than are kept together: recurrences are repeated
    for (std::uint64_t half : {33, 40, 71}) expect_taken_up_again<Thermal>(c, half, {"energy", "a"});
    c.observables = {"means", "a = 1 cdag_up {i} c_up {i+1}"};
    c.thermal = {{0.5, 2}, 4, 20, 0, TraceMethod::low_temperature};
    for (double t = 0.1; t < 1.7; t += 0.1) c.thermal.temperatures.push_back(t);  // more than are kept together
    for (std::uint64_t half : {7, 20, 33, 41, 47, 60, 70, 72, 110})
        expect_taken_up_again<LowTemperature>(c, half, {"energy", "a"});
    c = config("chain", {6}, 3, 2, 2);
    c.observables = {"means", "a = 1 n_up 0 n_dn 1"};
    c.task = Task::evolution;
    c.arithmetic = RequestedArithmetic::complex;
    c.evolution = {{.up = {0, 2, 4}, .down = {1, 3}}, 0.3, 6, 10};
    expect_taken_up_again<Evolution>(c, 3, {"energy", "loschmidt-echo", "a"});
    c.drive = {{"a"}, "gauss 2 5 0.3 0.8 0.4"};
    for (std::uint64_t half : {3, 37, 66})
        expect_taken_up_again<Evolution>(c, half, {"energy", "work", "drive-a", "error-bound"});
    c = config("ring", {6}, 3, 2, 4);
    c.symmetry = c.symmetry.with_momentum({2});
    c.task = Task::evolution;
    c.arithmetic = RequestedArithmetic::complex;
    c.evolution = {{.up = {0, 1, 4}, .down = {1, 3}}, 0.3, 6, 10};
    for (std::uint64_t half : {3, 37}) expect_taken_up_again<Evolution>(c, half, {"energy", "loschmidt-echo"});
    c = from_a_ground_state();
    for (std::uint64_t half : {9, 30, 70, 120})  // first, second pass, search, evolution
        expect_taken_up_again<Evolution>(
            c, half, {"initial-energy", "initial-norm", "energy", "loschmidt-echo", "a", "entanglement-entropy"});
}

}  // namespace
}  // namespace strata::lanczos
