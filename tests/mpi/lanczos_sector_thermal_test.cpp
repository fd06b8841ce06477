// SPDX-License-Identifier: BSD-3-Clause
// Thermal averages in sectors of momentum on the ranks of this run, against all states of the cluster
// (support/dense_sector.hpp): traces over one momentum and over all.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "lanczos/run/lowest_states.hpp"
#include "lanczos/run/sector_search.hpp"
#include "lanczos/run/thermal.hpp"
#include "support/dense_sector.hpp"
#include "support/sector_runs.hpp"
#include "support/sector_states.hpp"

namespace strata::lanczos {
namespace {

/// A job of averages over all momenta with these numbers of samples and steps.
LanczosConfig thermal(LanczosConfig c, std::uint64_t samples, std::uint64_t steps) {
    c.task = Task::thermal;
    c.symmetry.momenta = Momenta::all;
    c.thermal = {{0.2, 0.7, 2.5, 1000}, samples, steps};
    return c;
}

/// Energy, specific heat and entropy of levels with weights in the trace.
std::array<double, 3> canonical(const std::vector<std::pair<double, double>>& levels, double t, double sites) {
    double lowest = 1e300, z = 0, e = 0, squares = 0;
    for (const auto& [energy, weight] : levels) lowest = std::min(lowest, energy);
    for (const auto& [energy, weight] : levels) {
        const double above = energy - lowest, w = weight * std::exp(-above / t);
        z += w;
        e += w * above;
        squares += w * above * above;
    }
    const double mean = e / z;
    return {lowest + mean, (squares / z - mean * mean) / (t * t) / sites, (std::log(z) + mean / t) / sites};
}

std::array<double, 3> canonical(const DenseSector& dense, double t) {
    std::vector<std::pair<double, double>> levels;
    for (std::size_t n = 0; n < dense.size(); ++n) levels.emplace_back(dense.energy(n), 1);
    return canonical(levels, t, dense.model().lattice.sites);
}

TEST(ThermalSum, IsTheTraceOverAllStates) {
    for (const LanczosConfig& c :
         {config("ring", {6}, 3, 2, 4), config("ring", {5}, 2, 2, 4), config("square", {3, 2}, 2, 2, 3),
          config("tilted", {2, 1}, 2, 1, 4), config("honeycomb", {2, 1}, 2, 1, 5),
          with_flux(config("ring", {5}, 2, 3, 4), {0.9}), with_flux(config("square", {2, 2}, 2, 2, 4), {0.7, -1.1}),
          spins("ring", {8}, 4), single("square", {3, 3}, 4, 1)}) {
        const auto system = over_ranks<ThermalSum>(thermal(c, 60, 60));
        const Series series = run(*system);
        const DenseSector dense(c);
        ASSERT_EQ(series.rows(), 4u);
        for (std::size_t row = 0; row < series.rows(); ++row) {
            const std::span<const double> r = series.row(row);
            const std::array<double, 3> exact = canonical(dense, r[0]);
            for (std::size_t i = 0; i < 3; ++i)
                EXPECT_NEAR(r[1 + 2 * i], exact[i], 4.5 * r[2 + 2 * i] + 1e-9)
                    << c.lattice.type << " " << r[0] << " " << i;
            EXPECT_LT(r[2], 0.2) << "an error that says nothing";
        }
        double states = 0;
        const SectorList sectors(thermal(c, 1, 1));
        for (const ListedSector& sector : sectors.all())
            states += sector.dimension * static_cast<double>(sector.star.size());
        EXPECT_EQ(states, static_cast<double>(dense.size()));
    }
}

/// Every momentum has one state of one particle, so that there is no statistical error.
TEST(ThermalSum, OfOneParticleIsExact) {
    for (const LanczosConfig& c : {config("ring", {7}, 1, 0, 4), config("square", {3, 4}, 0, 1, 4),
                                   config("ring", {6}, 5, 6, 4), with_flux(config("ring", {5}, 1, 0, 4), {1.1})}) {
        const auto system = over_ranks<ThermalSum>(thermal(c, 2, 5));
        const Series series = run(*system);
        const DenseSector dense(c);
        for (std::size_t row = 0; row < series.rows(); ++row) {
            const std::array<double, 3> exact = canonical(dense, series.row(row)[0]);
            for (std::size_t i = 0; i < 3; ++i) {
                EXPECT_NEAR(series.row(row)[1 + 2 * i], exact[i], 1e-10);
                EXPECT_LT(series.row(row)[2 + 2 * i], 1e-7);
            }
        }
    }
}

/// The mean square of deviation / error over many seeds is about 1.
TEST(ThermalSum, StatesItsStatisticalErrors) {
    if (world().size() > 1) return;  // the same numbers on any ranks
    const LanczosConfig c = config("ring", {5}, 2, 1, 4);
    const DenseSector dense(c);
    std::array<double, 3> squares = {};
    constexpr int seeds = 60;
    for (int seed = 1; seed <= seeds; ++seed) {
        LanczosConfig seeded = thermal(c, 12, 40);
        seeded.seed = static_cast<std::uint64_t>(seed);
        seeded.thermal.temperatures = {1.5};
        const auto system = over_ranks<ThermalSum>(seeded);
        const Series series = run(*system);
        const std::array<double, 3> exact = canonical(dense, 1.5);
        for (std::size_t i = 0; i < 3; ++i) {
            const double pull = (series.row(0)[1 + 2 * i] - exact[i]) / series.row(0)[2 + 2 * i];
            squares[i] += pull * pull / seeds;
        }
    }
    for (const double ratio : squares) {
        EXPECT_GT(ratio, 0.5);
        EXPECT_LT(ratio, 1.8);
    }
}

/// Few vectors have errors that hold where many states count; where the ground state alone counts, ratios of their
/// traces are far from normal, and there are none.
TEST(Thermal, KnowsTheErrorsOfFewVectors) {
    if (world().size() > 1) return;  // the same numbers on any ranks
    for (LanczosConfig c : {spins("ring", {8}, 4), config("ring", {4}, 2, 1, 8), config("chain", {5}, 2, 1, 2),
                            with_flux(single("ring", {8}, 3, 2), {0.9})}) {
        c.task = Task::thermal;
        const DenseSector dense(c);
        for (const std::uint64_t samples : {3, 4, 6}) {
            constexpr int seeds = 100;
            std::array<double, 3> squares = {};
            for (int seed = 1; seed <= seeds; ++seed) {
                c.seed = static_cast<std::uint64_t>(seed);
                c.thermal = {{0.05, 10}, samples, 40};
                Thermal system(plan(c), on_cpu());
                const Series series = run(system);
                const std::array<double, 3> exact = canonical(dense, 10);
                for (std::size_t i = 0; i < 3; ++i) {
                    EXPECT_TRUE(std::isnan(series.row(0)[2 + 2 * i])) << samples;
                    EXPECT_EQ(std::isnan(series.row(1)[2 + 2 * i]), samples < 4);
                    squares[i] += std::pow((series.row(1)[1 + 2 * i] - exact[i]) / series.row(1)[2 + 2 * i], 2) / seeds;
                }
            }
            if (samples < 4) continue;
            SCOPED_TRACE(c.lattice.type + " " + std::to_string(samples));
            for (const double square : squares) {
                EXPECT_LT(square, 1.35);
                EXPECT_GT(square, 0.3);
            }
        }
    }
}

/// The vectors of a run with few steps and of one whose Krylov spaces end are the same, so that the averages differ by
/// the steps alone; temperatures far below the levels' distances among them.
TEST(Thermal, BoundsWhatTooFewStepsLeaveOut) {
    if (world().size() > 1) return;  // the same numbers on any ranks
    std::size_t numbers = 0;
    double closest = 0;
    for (LanczosConfig c : {spins("ring", {8}, 4), spins("chain", {8}, 3), config("ring", {4}, 2, 1, 8),
                            config("ring", {4}, 2, 2, 3), single("square", {3, 3}, 4, 1.5)}) {
        c.task = Task::thermal;
        const std::vector<double> temperatures = {0.05, 0.1, 0.2, 0.4, 0.7, 1.5, 5, 30};
        for (const std::uint64_t samples : {1, 4})
            for (const std::uint64_t steps : {2, 3, 4, 6, 8, 12}) {
                c.thermal = {temperatures, samples, steps};
                c.seed = 10 * samples + steps;
                Thermal few(plan(c), on_cpu());
                const Series rows = run(few);
                c.thermal.steps = 200;
                Thermal all(plan(c), on_cpu());
                const Series right = run(all);
                for (std::size_t row = 0; row < rows.rows(); ++row)
                    for (std::size_t i = 0; i < 3; ++i) {
                        const double error = std::abs(rows.row(row)[1 + 2 * i] - right.row(row)[1 + 2 * i]),
                                     stated = rows.row(row)[7 + i];
                        EXPECT_LE(error, 1.5 * stated + 1e-9)
                            << i << " at " << temperatures[row] << ", " << steps << " steps, " << c.lattice.type;
                        if (error > 1e-9) closest = std::max(closest, error / stated);
                        ++numbers;
                    }
            }
    }
    EXPECT_GT(numbers, 1400U);
    EXPECT_GT(closest, 0.3) << "errors that say nothing";
}

/// Far below the gap the specific heat is rounding, and has at least the error of rounding.
TEST(ThermalSum, KnowsRoundingFarBelowTheGap) {
    if (world().size() > 1) return;  // the same numbers on any ranks
    LanczosConfig c = config("tilted", {1, 1}, 1, 1, 0.208);
    const DenseSector dense(c);
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        LanczosConfig seeded = thermal(c, 20, 60);
        seeded.seed = seed;
        seeded.thermal.temperatures = {0.15};
        const auto system = over_ranks<ThermalSum>(seeded);
        const Series series = run(*system);
        const std::array<double, 3> exact = canonical(dense, 0.15);
        for (std::size_t i = 0; i < 3; ++i)
            EXPECT_LE(std::abs(series.row(0)[1 + 2 * i] - exact[i]), 3 * series.row(0)[2 + 2 * i]) << i << ' ' << seed;
    }
}

/// Vectors that give two levels equal weights by chance, where the specific heat and the entropy are stationary: their
/// errors are of second order, and do not vanish. The specific heat at T = 1000 is w (1 - w) / T^2, and w is known to
/// 0.3 / 4.
TEST(Thermal, HasErrorsWhereAveragesAreStationary) {
    SectorSamples sector{{.states = 2, .dimension = 2}, {{}}};
    for (int r = 0; r < 16; ++r) {
        const double w = 0.5 + (r % 2 == 0 ? 0.3 : -0.3);
        sector.rules[0].gauss.push_back({{0, 1}, {w, 1 - w}});
    }
    sector.rules[0].radau = sector.rules[0].gauss;
    std::vector<double> row;
    append_thermal_rows({sector}, {1000}, 1, {}, {}, row);
    EXPECT_NEAR(row[3], 0.25e-6, 1e-12);
    EXPECT_NEAR(row[4], std::pow(0.3 / 4, 2) * 1e-6, 2e-9);
    EXPECT_NEAR(row[6], std::pow(0.3 / 4, 2) / 2 * 1e-6, 1e-9);
}

/// The random vectors as amplitudes of all basis states, and exp(-H/T) from all eigenstates, give the estimate to
/// rounding.
TEST(ThermalSum, IsTheEstimateOfItsVectors) {
    if (world().size() > 1) return;  // every rank would do the same
    const Communicator self = Communicator::alone();
    for (const LanczosConfig& plain : {config("ring", {6}, 3, 2, 4), config("honeycomb", {2, 1}, 2, 1, 4),
                                       with_flux(config("square", {3, 2}, 2, 1, 4), {0.5, 0.3})}) {
        const LanczosConfig c = thermal(plain, 3, 90);
        ThermalSum system(c, 1, 0, 1, on_cpu(self));
        const Series series = run(system);
        const DenseSector dense(plain);
        std::vector<std::pair<double, double>> levels;
        const SectorList sectors(c);
        for (std::size_t k = 0; k < sectors.size(); ++k) {
            const LanczosPlan plan(sectors.job_of(k), 1, 0, 1);
            Timers timers;
            const auto op = on_cpu(self)(plan, timers);
            op->allocate();
            const SectorStates states(*op);
            for (std::uint64_t sample = 0; sample < 3; ++sample) {
                op->draw_from(Distribution::normal, op->w(), 3 * k + sample);
                const std::vector<Complex> psi = states.amplitudes(op->w(), dense);
                double norm = 0;
                for (const Complex& z : psi) norm += std::norm(z);
                EXPECT_NEAR(norm, std::pow(op->space().norm(op->w()), 2), 1e-10 * norm);
                for (std::size_t n = 0; n < dense.size(); ++n) {
                    Complex overlap = 0;
                    for (std::size_t i = 0; i < dense.size(); ++i) overlap += std::conj(dense.component(n, i)) * psi[i];
                    levels.emplace_back(dense.energy(n), sectors[k].dimension *
                                                             static_cast<double>(sectors[k].star.size()) / 3 *
                                                             std::norm(overlap) / norm);
                }
            }
        }
        for (std::size_t row = 0; row < series.rows(); ++row) {
            const std::array<double, 3> exact = canonical(levels, series.row(row)[0], dense.model().lattice.sites);
            for (std::size_t i = 0; i < 3; ++i)
                EXPECT_NEAR(series.row(row)[1 + 2 * i], exact[i], 1e-9) << plain.lattice.type << " " << row << " " << i;
        }
    }
}

/// Every orbit of bit strings holds one of the ten states of momentum 0 and on average a tenth of a normalised random
/// vector; projected uniform numbers would be distributed differently on short and long orbits.
TEST(ThermalVectors, HaveNoPreferredDirection) {
    if (world().size() > 1) return;  // every rank would do the same
    LanczosConfig c = with_momentum(config("ring", {4}, 2, 2, 4), {0});
    const Communicator self = Communicator::alone();
    const LanczosPlan plan(c, 1, 0, 1);
    ASSERT_EQ(plan.dimension(), 10);
    Timers timers;
    const auto op = on_cpu(self)(plan, timers);
    op->allocate();
    const SectorStates states(*op);
    const DenseSector dense(config("ring", {4}, 2, 2, 4));
    const auto orbit = [&](std::size_t state) {
        std::uint64_t first = ~std::uint64_t{0}, up = dense.modes(state) & 15, down = dense.modes(state) >> 4;
        for (int turn = 0; turn < 4; ++turn) {
            up = (up << 1 | up >> 3) & 15;
            down = (down << 1 | down >> 3) & 15;
            first = std::min(first, up << 4 | down);
        }
        return first;
    };
    constexpr int draws = 20000;
    std::map<std::uint64_t, std::array<double, 2>> sums;
    for (std::uint64_t draw = 0; draw < draws; ++draw) {
        op->draw_from(Distribution::normal, op->w(), draw);
        const std::vector<Complex> psi = states.amplitudes(op->w(), dense);
        std::map<std::uint64_t, double> parts;
        double norm = 0;
        for (std::size_t i = 0; i < psi.size(); ++i) {
            parts[orbit(i)] += std::norm(psi[i]);
            norm += std::norm(psi[i]);
        }
        for (const auto& [first, part] : parts) {
            sums[first][0] += part / norm;
            sums[first][1] += part / norm * part / norm;
        }
    }
    double squares = 0;
    int held = 0;
    for (const auto& [first, sum] : sums) {
        const double mean = sum[0] / draws, variance = sum[1] / draws - mean * mean;
        if (mean < 1e-9) continue;
        ++held;
        squares += (mean - 0.1) * (mean - 0.1) / (variance / draws);
    }
    EXPECT_EQ(held, 10);
    EXPECT_LT(squares, 30) << "of 9 degrees of freedom";
}

TEST(Sectors, HaveTheAveragesOfTheirStates) {
    for (const std::int64_t m : {0, 2, 3}) {
        const LanczosConfig c = with_momentum(thermal(config("ring", {6}, 3, 3, 4), 300, 70), {m});
        Thermal system(plan(c), on_cpu());
        const Series series = run(system);
        EXPECT_NE(system.remark().find("sector.momentum = all"), std::string::npos);
        LanczosConfig all = c;
        all.states = static_cast<std::uint64_t>(plan(c).dimension());
        all.max_steps = 3000;
        LowestStates lowest(plan(all), on_cpu());
        std::vector<std::pair<double, double>> levels;
        for (const double energy : values(lowest, run(lowest), "energies")) levels.emplace_back(energy, 1);
        for (std::size_t row = 0; row < series.rows(); ++row) {
            const std::span<const double> r = series.row(row);
            const std::array<double, 3> exact = canonical(levels, r[0], 6);
            for (std::size_t i = 0; i < 3; ++i)
                EXPECT_NEAR(r[1 + 2 * i], exact[i], 4.5 * r[2 + 2 * i] + 1e-9) << m << " " << row << " " << i;
        }
    }
}

TEST(ThermalSum, HasTheSameBitsAnywhereAndAfterARestart) {
    LanczosConfig c = thermal(config("ring", {6}, 3, 2, 4), 3, 12);
    expect_same_bits_anywhere<ThermalSum>(c, {5, 36, 50, 90, 143}, {"energy", "specific-heat", "entropy"});
    c.precision = Precision::single;
    expect_same_bits_anywhere<ThermalSum>(c, {50}, {"energy"});
    c.precision = Precision::double_;
    c.observables = {"means", "a = 1i cdag_up {i} c_up {i+1}"};
    expect_same_bits_anywhere<ThermalSum>(c, {5, 90, 170}, {"energy", "a", "a-imaginary-step-error"});
    c.thermal.method = TraceMethod::low_temperature;
    expect_same_bits_anywhere<ThermalSum>(c, {5, 33, 160}, {"energy", "a", "a-imaginary-step-error"});
}

}  // namespace
}  // namespace strata::lanczos
