// SPDX-License-Identifier: BSD-3-Clause
// Dynamical spectra on the ranks of this run against Lehmann sums over all eigenstates of small sectors, of single and
// degenerate ground states, with their sum rules, and the same bits as on one rank.
#include <gtest/gtest.h>

#include <cmath>

#include "lanczos/run/spectrum.hpp"
#include "lanczos/run/thermal_spectrum.hpp"
#include "support/dense_sector.hpp"
#include "support/lanczos_runs.hpp"

namespace strata::lanczos {
namespace {

/// A |g> for ground state number g, with all signs by counting: c_k has the phases e^(-ikr), c+_k their conjugates;
/// sites are numbered row by row.
std::vector<Complex> on_ground_state(const LanczosConfig& c, SpectralOperator op, const DenseSector& from,
                                     const DenseSector& to, const std::vector<std::int64_t>& m, std::size_t g) {
    const int sites = from.model().lattice.sites;
    const auto width = static_cast<int>(c.lattice.extents[0]);
    std::vector<Complex> state(to.size());
    for (std::size_t i = 0; i < from.size(); ++i)
        for (int j = 0; j < sites; ++j) {
            double phase = static_cast<double>(m[0] * (j % width)) / width;
            if (m.size() == 2)
                phase += static_cast<double>(m[1] * (j / width)) / static_cast<double>(c.lattice.extents[1]);
            const double sign = op == SpectralOperator::addition ? 1 : -1;
            const Complex wave = std::polar(1 / std::sqrt(sites), sign * 2 * M_PI * phase);
            const std::uint64_t bit = std::uint64_t{1} << (j + (c.components() - 1) * sites);
            if (op == SpectralOperator::density || op == SpectralOperator::spin) {
                const double up = from.occupied(i, j, 0), down = c.components() == 2 ? from.occupied(i, j, 1) : 0;
                state[i] += wave * from.component(g, i) *
                            (op == SpectralOperator::density ? up + down
                             : c.spins()                     ? up - 0.5
                                                             : (up - down) / 2);
                continue;
            }
            if (((from.modes(i) & bit) != 0) != (op == SpectralOperator::removal)) continue;
            const bool odd = __builtin_popcountll(from.modes(i) & (bit - 1)) % 2 == 1;
            state[to.index(from.modes(i) ^ bit)] += (odd ? -wave : wave) * from.component(g, i);
        }
    return state;
}

/// Compares with the Lehmann sum over all states, averaged over the c.states ground states, within the reported bound.
/// With more steps than levels the bound is rounding.
void expect_spectrum(LanczosConfig c, SpectralOperator op, std::size_t steps = 300) {
    c.task = Task::spectrum;
    c.spectrum.op = op;
    c.spectrum.omega = {-2, -0.3, 0.1, 0.8, 1.7, 3.1, 6};
    c.spectrum.broadening = 0.2;
    c.spectrum.steps = steps;
    c.tolerance = 1e-12;
    Spectrum system(plan(c), on_cpu());
    const Series series = run(system);
    LanczosConfig other = c;
    if (op == SpectralOperator::removal) --other.down;
    if (op == SpectralOperator::addition) ++other.down;
    const DenseSector from(c), to(other);
    const auto momenta = from.model().lattice.momenta();
    const std::vector<double> weight = values(system, series, "weight");
    const double bound = values(system, series, "truncation-bound")[0];
    if (steps == 300) {
        EXPECT_LT(bound, 1e-10);
    }
    double largest = 0;
    for (std::size_t m = 0; m < momenta.size(); ++m) {
        std::vector<double> expected(series.rows());
        double norm = 0;
        for (std::size_t g = 0; g < c.states; ++g) {
            const std::vector<Complex> state = on_ground_state(c, op, from, to, momenta[m], g);
            for (const Complex& z : state) norm += std::norm(z) / static_cast<double>(c.states);
            for (std::size_t n = 0; n < to.size(); ++n) {
                Complex overlap = 0;
                for (std::size_t i = 0; i < to.size(); ++i) overlap += std::conj(to.component(n, i)) * state[i];
                for (std::size_t row = 0; row < series.rows(); ++row) {
                    const double distance = c.spectrum.omega[row] - (to.energy(n) - from.energy(0)), width = 0.2;
                    expected[row] += std::norm(overlap) * width / M_PI / (distance * distance + width * width) /
                                     static_cast<double>(c.states);
                }
            }
        }
        EXPECT_NEAR(weight[m], norm, 1e-9);
        for (std::size_t row = 0; row < series.rows(); ++row) {
            EXPECT_NEAR(series.row(row)[1 + m], expected[row], bound + 1e-8) << m << " at " << c.spectrum.omega[row];
            largest = std::max(largest, std::abs(series.row(row)[1 + m] - expected[row]));
        }
    }
    if (bound > 1e-6) {
        EXPECT_GT(largest, bound / 100);
    }
    const Quantity sum = quantity(system, series, "weight-sum");
    EXPECT_NEAR(sum.value[0], sum.reference.at(0), 1e-9);
}

TEST(Spectrum, IsThatOfAllStates) {
    LanczosConfig c = config("square", {3, 2}, 2, 1, 3);
    c.potential = {0.1, -0.2, 0.3, 0.05, 0.4, -0.15};  // one ground state
    using enum SpectralOperator;
    for (SpectralOperator op : {density, spin, removal, addition}) {
        c.lattice.flux = {};
        expect_spectrum(c, op);
        c.lattice.flux = {0.4, 1.3};
        expect_spectrum(c, op);
    }
    LanczosConfig chain = spins("ring", {8}, 4);
    expect_spectrum(chain, spin);
    expect_spectrum(single("chain", {7}, 3, 1.2), density);
}

TEST(Spectrum, OfTooFewStepsStatesABoundOfItsError) {
    LanczosConfig c = config("square", {3, 2}, 2, 1, 3);
    c.potential = {0.1, -0.2, 0.3, 0.05, 0.4, -0.15};  // one ground state
    using enum SpectralOperator;
    for (SpectralOperator op : {spin, addition})
        for (std::size_t steps : {1, 4, 20, 40}) expect_spectrum(c, op, steps);
    LanczosConfig twofold = config("ring", {6}, 3, 2, 4);
    twofold.states = 2;
    for (std::size_t steps : {2, 10}) expect_spectrum(twofold, removal, steps);
}

TEST(Spectrum, IsTheAverageOverDegenerateGroundStates) {
    LanczosConfig c = config("ring", {6}, 3, 2, 4);  // twofold
    using enum SpectralOperator;
    for (SpectralOperator op : {density, removal, addition})
        for (std::size_t states : {2, 3}) {  // 3: more than the multiplicity
            c.states = states;
            Spectrum system(plan([&] {
                                LanczosConfig s = c;
                                s.task = Task::spectrum;
                                s.spectrum.op = op;
                                s.spectrum.omega = {0};
                                return s;
                            }()),
                            on_cpu());
            EXPECT_EQ(values(system, run(system), "degeneracy")[0], 2);
            c.states = 2;
            expect_spectrum(c, op);
        }
    c.states = 1;
    c.task = Task::spectrum;
    Spectrum refused(plan(c), on_cpu());
    refused.allocate();
    refused.initialise();
    for (std::uint64_t step = 0; step < refused.total_steps(); ++step) refused.step(step);
    EXPECT_NE(refused.shortfall().find("at least 2 times"), std::string::npos);
}

/// Each vector has the intensities of the ground state there, without noise; those of |r> differ by tenths.
TEST(ThermalSpectrum, ByLowTemperatureStatesIsExactFarBelowTheGap) {
    using enum SpectralOperator;
    for (const auto& [whole, op] : {std::pair{config("ring", {4}, 2, 1, 4), removal},
                                    {config("ring", {4}, 2, 1, 4), current},
                                    {config("square", {2, 2}, 2, 2, 3), density},
                                    {spins("ring", {8}, 4), spin}}) {
        LanczosConfig c = whole;
        c.task = Task::thermal_spectrum;
        c.spectrum.op = op;
        c.spectrum.omega = {-3, -0.3, 0.4, 1.7, 3.1};
        c.spectrum.broadening = 0.3;
        c.spectrum.steps = 80;
        c.spectrum.temperatures = {0.005, 0.01};
        c.thermal = {{}, 2, 80, 0, TraceMethod::all_levels};
        ExactThermalSpectrum exact(plan(c), on_cpu());
        const Series expected = run(exact);
        for (const TraceMethod method : {TraceMethod::low_temperature, TraceMethod::random_vectors}) {
            c.thermal.method = method;
            ThermalSpectrum system(plan(c), on_cpu());
            const Series series = run(system);
            double largest = 0;
            for (std::size_t row = 0; row < series.rows(); ++row)
                for (std::size_t i = 2; i < series.row(row).size() / 2 + 1; ++i)
                    largest = std::max(largest, std::abs(series.row(row)[i] - expected.row(row)[i]));
            if (method == TraceMethod::low_temperature)
                EXPECT_LT(largest, 1e-7) << static_cast<int>(op);
            else
                EXPECT_GT(largest, 1e-3);
        }
    }
}

TEST(Spectrum, HasTheSameBitsOnAnyRanks) {
    LanczosConfig c = config("ring", {8}, 4, 4, 3);
    c.task = Task::spectrum;
    c.spectrum.op = SpectralOperator::removal;
    c.spectrum.momenta = {1, 3};
    c.spectrum.omega = {0.5, 1};
    expect_same_bits<Spectrum>(c, {"energy", "weight"});
}

}  // namespace
}  // namespace strata::lanczos
