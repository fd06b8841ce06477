// SPDX-License-Identifier: BSD-3-Clause
// Tasks in sectors of momentum over the ranks of this run, held against all states of the cluster
// (support/dense_sector.hpp): averages at temperatures as traces over one momentum and over all, spectra from sector to
// sector, and motion of projected states.
#include <gtest/gtest.h>

#include <cmath>

#include "io/checkpoint_file.hpp"
#include "lanczos/evolution.hpp"
#include "lanczos/lowest_states.hpp"
#include "lanczos/momentum_search.hpp"
#include "lanczos/spectrum.hpp"
#include "lanczos/thermal.hpp"
#include "support/dense_sector.hpp"
#include "support/lanczos_runs.hpp"
#include "support/sector_states.hpp"
#include "support/shared_file.hpp"

namespace strata::lanczos {
namespace {

LanczosConfig with_momentum(LanczosConfig c, std::vector<std::int64_t> m) {
    c.symmetry = {Momenta::one, std::move(m), Parity::any};
    return c;
}

LanczosConfig with_flux(LanczosConfig c, std::vector<double> flux) {
    c.lattice.flux = std::move(flux);
    return c;
}

/// Averages over all momenta, with so many samples and steps.
LanczosConfig thermal(LanczosConfig c, std::uint64_t samples, std::uint64_t steps) {
    c.task = Task::thermal;
    c.symmetry.momenta = Momenta::all;
    c.thermal = {{0.2, 0.7, 2.5, 1000}, samples, steps};
    return c;
}

template <class Sequence>
std::unique_ptr<Sequence> over_ranks(const LanczosConfig& c) {
    return std::make_unique<Sequence>(c, world().size(), world().rank(), 1, on_cpu());
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
        for (const MomentumSector& sector : momentum_sectors(thermal(c, 1, 1)))
            states += sector.dimension * static_cast<double>(sector.multiplicity);
        EXPECT_EQ(states, static_cast<double>(dense.size()));
    }
}

/// Every momentum has one state of one particle: nothing is left to chance.
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

/// The squares of the deviations are those that the errors state: over many seeds their ratio is about 1.
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

/// The random vectors as amplitudes of all basis states, and exp(-H/T) by all eigenstates: the estimate is that of these
/// vectors to rounding.
TEST(ThermalSum, IsTheEstimateOfItsVectors) {
    const Communicator self = Communicator::alone();
    for (const LanczosConfig& plain : {config("ring", {6}, 3, 2, 4), config("honeycomb", {2, 1}, 2, 1, 4),
                                       with_flux(config("square", {3, 2}, 2, 1, 4), {0.5, 0.3})}) {
        const LanczosConfig c = thermal(plain, 3, 90);
        ThermalSum system(c, 1, 0, 1, on_cpu(self));
        const Series series = run(system);
        const DenseSector dense(plain);
        std::vector<std::pair<double, double>> levels;
        const std::vector<MomentumSector> sectors = momentum_sectors(c);
        for (std::size_t k = 0; k < sectors.size(); ++k) {
            LanczosConfig one = c;
            one.symmetry = c.symmetry.with_momentum(sectors[k].momentum);
            const LanczosPlan plan(one, 1, 0, 1);
            Timers timers;
            const auto op = on_cpu(self)(plan, timers);
            op->allocate();
            const SectorStates states(*op);
            for (std::uint64_t sample = 0; sample < 3; ++sample) {
                op->draw(op->w(), 3 * k + sample);
                const std::vector<Complex> psi = states.amplitudes(op->w(), dense);
                double norm = 0;
                for (const Complex& z : psi) norm += std::norm(z);
                EXPECT_NEAR(norm, std::pow(op->norm(op->w()), 2), 1e-10 * norm);
                for (std::size_t n = 0; n < dense.size(); ++n) {
                    Complex overlap = 0;
                    for (std::size_t i = 0; i < dense.size(); ++i) overlap += std::conj(dense.component(n, i)) * psi[i];
                    levels.emplace_back(dense.energy(n), sectors[k].dimension *
                                                             static_cast<double>(sectors[k].multiplicity) / 3 *
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

LanczosConfig spectrum(LanczosConfig c, SpectralOperator op) {
    c.task = Task::spectrum;
    c.spectrum.op = op;
    c.spectrum.omega = {-2, -0.3, 0.1, 0.8, 1.7, 3.1, 6};
    c.spectrum.broadening = 0.2;
    c.spectrum.steps = 250;
    c.tolerance = 1e-12;
    return c;
}

Momentum momentum_of_ground_state(LanczosConfig c) {
    Momentum found;
    double lowest = 1e300;
    for (const Momentum& m : make_model(c).lattice.momenta()) {
        const LanczosConfig of_sector = with_momentum(c, m);
        if (plan(of_sector).dimension() == 0) continue;
        GroundState system(plan(of_sector), on_cpu());
        const double energy = values(system, run(system), "energy")[0];
        if (energy > lowest - 1e-9) continue;
        lowest = energy;
        found = m;
    }
    return found;
}

/// From the sector of a ground state that is the only one: poles and weights are those of the run without symmetries.
TEST(SectorSpectrum, IsThatWithoutSymmetries) {
    LanczosConfig separate = config("honeycomb", {3, 1}, 1, 1, 4);
    separate.sublattices = Sublattices::separate;
    using enum SpectralOperator;
    for (const LanczosConfig& c :
         {config("ring", {6}, 3, 3, 4), config("ring", {8}, 4, 4, 3), with_flux(config("ring", {5}, 2, 3, 4), {0.9}),
          with_flux(config("square", {3, 2}, 2, 2, 4), {0.5, 0.8}), config("tilted", {2, 1}, 1, 1, 4), separate})
        for (const SpectralOperator op : {density, spin, removal, addition}) {
            const LanczosConfig whole = spectrum(c, op);
            const LanczosConfig found = spectrum(with_momentum(c, momentum_of_ground_state(c)), op);
            const std::string what = c.lattice.type + " operator " + std::to_string(static_cast<int>(op));
            Spectrum without(plan(whole), on_cpu()), system(plan(found), on_cpu());
            const Series expected = run(without), series = run(system);
            ASSERT_EQ(values(without, expected, "degeneracy")[0], 1) << what;
            EXPECT_NEAR(values(system, series, "energy")[0], values(without, expected, "energy")[0], 1e-10) << what;
            ASSERT_EQ(series.values().size(), expected.values().size());
            for (std::size_t i = 0; i < series.values().size(); ++i)
                EXPECT_NEAR(series.values()[i], expected.values()[i], 1e-10) << what << " " << i;
            for (const Quantity& q : without.results(expected))
                for (std::size_t i = 0; i < q.value.size() && q.name.starts_with("weight"); ++i)
                    EXPECT_NEAR(values(system, series, q.name)[i], q.value[i], 1e-10) << what << " " << q.name;
            const Quantity sum = quantity(system, series, "weight-sum");
            ASSERT_EQ(sum.reference.size(), 1u);
            EXPECT_NEAR(sum.value[0], sum.reference[0], 1e-9) << what;
        }
}

TEST(SectorSpectrum, OfOneSpinComponentIsThatWithoutSymmetries) {
    using enum SpectralOperator;
    for (const auto& [c, op] : {std::pair{spins("ring", {8}, 4), spin},
                                {spins("triangular", {3, 2}, 2), density},
                                {single("ring", {7}, 3, 1.5), density},
                                {single("kagome", {2, 1}, 2, 1), density}}) {
        Spectrum without(plan(spectrum(c, op)), on_cpu());
        Spectrum system(plan(spectrum(with_momentum(c, momentum_of_ground_state(c)), op)), on_cpu());
        without.allocate();
        without.initialise();
        const Series expected = run_steps(without, 0);
        if (!without.shortfall().empty()) continue;  // several ground states
        const Series series = run(system);
        ASSERT_EQ(series.values().size(), expected.values().size());
        for (std::size_t i = 0; i < series.values().size(); ++i)
            EXPECT_NEAR(series.values()[i], expected.values()[i], 1e-10) << c.lattice.type << " " << i;
    }
}

/// In a sector of point operations only waves that they leave unchanged have a character; others are refused by name.
TEST(SectorSpectrum, OfPointOperationsTakesWavesThatTheyLeaveUnchanged) {
    using enum SpectralOperator;
    for (const SpectralOperator op : {density, spin, removal, addition}) {
        const LanczosConfig whole = spectrum(config("ring", {6}, 3, 3, 4), op);
        Spectrum without(plan(whole), on_cpu());
        const Series expected = run(without);
        LanczosConfig even = with_momentum(whole, {0});
        even.symmetry.parity = Parity::even;
        EXPECT_NE(without_character(even, make_model(even)).find("spectrum.momenta = 0 or 3"), std::string::npos);
        even.spectrum.momenta = {0, 3};
        EXPECT_EQ(without_character(even, make_model(even)), "");
        Spectrum system(plan(even), on_cpu());
        const Series series = run(system);
        EXPECT_NEAR(values(system, series, "energy")[0], values(without, expected, "energy")[0], 1e-10);
        for (std::size_t row = 0; row < series.rows(); ++row) {
            EXPECT_NEAR(series.row(row)[1], expected.row(row)[1], 1e-10);
            EXPECT_NEAR(series.row(row)[2], expected.row(row)[4], 1e-10);
        }
    }
}

/// The part of the product state in the sector, from the definition of the projection: the mean over the group of
/// chi(g) T_g.
std::vector<Complex> projected(const LanczosConfig& c, const DenseSector& dense) {
    const auto group = make_symmetry_group(c.symmetry, dense.model());
    std::vector<Complex> psi(dense.size());
    for (std::uint32_t g = 0; g < group->order(); ++g) {
        std::uint64_t modes = 0;
        bool odd = false;
        int offset = 0;
        for (const auto& sites : {c.evolution.up, c.evolution.down}) {
            for (std::size_t a = 0; a < sites.size(); ++a) {
                const auto image = [&](std::size_t i) { return group->image(g)[static_cast<std::size_t>(sites[i])]; };
                modes |= std::uint64_t{1} << (image(a) + offset);
                for (std::size_t b = 0; b < a; ++b) odd ^= image(b) > image(a);
            }
            offset = group->sites();
        }
        psi[dense.index(modes)] += (odd ? -1.0 : 1.0) / group->order() * group->character(g);
    }
    return psi;
}

LanczosConfig evolution(LanczosConfig c, std::vector<std::int64_t> up, std::vector<std::int64_t> down, Momentum m) {
    c = with_momentum(c, std::move(m));
    c.task = Task::evolution;
    c.arithmetic = RequestedArithmetic::complex;
    c.evolution = {std::move(up), std::move(down), 0.6, 5, 14};
    return c;
}

/// Up and down particles on every second site: some elements leave the state unchanged, and some orbits are short.
TEST(SectorEvolution, IsTheExponentialOfTheProjectedState) {
    LanczosConfig even = evolution(config("square", {2, 2}, 2, 1, 4), {0, 3}, {2}, {0, 0});
    even.symmetry.parity = Parity::even;
    for (const LanczosConfig& c : {evolution(config("ring", {6}, 3, 3, 4), {0, 2, 4}, {1, 3, 5}, {0}),
                                   evolution(config("ring", {6}, 3, 2, 4), {0, 1, 4}, {1, 3}, {2}),
                                   evolution(config("ring", {4}, 2, 2, 3), {0, 1}, {0, 3}, {1}),
                                   evolution(with_flux(config("ring", {5}, 2, 2, 4), {0.9}), {0, 3}, {1, 2}, {3}),
                                   evolution(config("honeycomb", {2, 1}, 2, 1, 4), {0, 1}, {3}, {1, 0}), even}) {
        Evolution system(plan(c), on_cpu());
        const Series series = run(system);
        LanczosConfig whole = c;
        whole.symmetry = {};
        const DenseSector dense(whole);
        std::vector<Complex> first = projected(c, dense), components(dense.size());
        double weight = 0;
        for (const Complex& z : first) weight += std::norm(z);
        EXPECT_NEAR(values(system, series, "sector-weight")[0], weight, 1e-12);
        double energy = 0;
        for (Complex& z : first) z /= std::sqrt(weight);
        for (std::size_t n = 0; n < dense.size(); ++n) {
            for (std::size_t i = 0; i < dense.size(); ++i) components[n] += std::conj(dense.component(n, i)) * first[i];
            energy += std::norm(components[n]) * dense.energy(n);
        }
        const int sites = dense.model().lattice.sites;
        for (std::size_t row = 0; row < series.rows(); ++row) {
            const std::span<const double> r = series.row(row);
            std::vector<Complex> psi(dense.size());
            Complex echo = 0;
            for (std::size_t n = 0; n < dense.size(); ++n)
                for (std::size_t i = 0; i < dense.size(); ++i)
                    psi[i] += std::polar(1.0, -r[0] * dense.energy(n)) * dense.component(n, i) * components[n];
            double doubly = 0;
            for (std::size_t i = 0; i < dense.size(); ++i) {
                echo += std::conj(first[i]) * psi[i];
                for (int j = 0; j < sites; ++j)
                    doubly += std::norm(psi[i]) * dense.occupied(i, j, 0) * dense.occupied(i, j, 1) / sites;
            }
            EXPECT_NEAR(r[1], energy, 1e-10);
            EXPECT_NEAR(r[2], 1, 1e-10);
            EXPECT_NEAR(r[3], std::norm(echo), 1e-10);
            EXPECT_NEAR(r[4], doubly, 1e-10);
            for (int j = 0; j < 2 * sites; ++j) {
                double n = 0;
                for (std::size_t i = 0; i < dense.size(); ++i)
                    n += std::norm(psi[i]) * dense.occupied(i, j % sites, j / sites);
                EXPECT_NEAR(r[5 + static_cast<std::size_t>(j)], n, 1e-10) << row << " " << j;
            }
        }
    }
}

/// Antiparallel spins on the ring of 4 turn into themselves after two sites, with a sign that momenta have or not.
TEST(SectorEvolution, IsRefusedWithoutAPartInTheSector) {
    int possible = 0;
    for (std::int64_t m = 0; m < 4; ++m) {
        const LanczosConfig c = evolution(config("ring", {4}, 2, 2, 4), {0, 2}, {1, 3}, {m});
        Evolution system(plan(c), on_cpu());
        system.allocate();
        const auto group = make_symmetry_group(c.symmetry, make_model(c));
        if (projected_square(*group, Statistics::fermions, 0b0101, 0b1010) > 0) {
            EXPECT_NEAR(projected_square(*group, Statistics::fermions, 0b0101, 0b1010), 0.5, 1e-12);
            EXPECT_NO_THROW(system.initialise());
            ++possible;
        } else {
            EXPECT_THROW(system.initialise(), Error);
        }
    }
    EXPECT_EQ(possible, 2);
}

TEST(SectorEvolution, HasTheSameBitsOnAnyRanks) {
    expect_same_bits<Evolution>(evolution(config("ring", {8}, 4, 3, 4), {0, 2, 4, 7}, {1, 3, 5}, {3}),
                                {"energy", "loschmidt-echo"});
    expect_same_bits<Evolution>(evolution(config("square", {3, 2}, 3, 3, 4), {0, 2, 4}, {1, 3, 5}, {0, 0}),
                                {"energy", "loschmidt-echo"});
}

/// A run that is stopped after some steps and taken up by another number of ranks ends with the bits of one that was
/// not.
template <class Sequence>
void expect_same_bits_anywhere(const LanczosConfig& c, std::initializer_list<std::uint64_t> stops,
                               std::initializer_list<const char*> names) {
    const Communicator self = Communicator::alone();
    Sequence alone(c, 1, 0, 2, on_cpu(self));
    const auto together = over_ranks<Sequence>(c);
    const Series series = run(*together), expected = run(alone, 2);
    EXPECT_TRUE(std::ranges::equal(series.values(), expected.values()));
    const SharedFile file;
    for (const std::uint64_t stop : stops) {
        ASSERT_LT(stop, together->total_steps()) << "this tells nothing";
        const auto first = over_ranks<Sequence>(c);
        first->allocate();
        first->initialise();
        for (std::uint64_t step = 0; step < stop; ++step) first->step(step);
        io::write_checkpoint(world(), file.path(), 1, {"lanczos", "9", "job", "text", stop, 1, "hash"},
                             Series(first->columns()), first->state());
        Sequence second(c, 1, 0, 2, on_cpu(self));
        second.allocate();
        std::vector<std::string> rejections;
        const io::StoredCheckpoint stored = io::open_checkpoint(self, file.path(), 0, rejections);
        std::vector<ArrayShape> shapes;
        for (const io::StoredArray& array : stored.arrays) shapes.push_back(array.shape);
        second.prepare_state(shapes);
        io::read_state(self, stored, second.state());
        second.restored(stop);
        Series rest = run_steps(second, stop);
        if (rest.rows() == 0) rest.append(std::vector<double>(rest.width()));
        for (const char* name : names) EXPECT_EQ(values(second, rest, name), values(alone, expected, name)) << name;
        EXPECT_EQ(io::state_hash(self, second.state()), io::state_hash(self, alone.state())) << stop;
    }
}

TEST(ThermalSum, HasTheSameBitsAnywhereAndAfterARestart) {
    LanczosConfig c = thermal(config("ring", {6}, 3, 2, 4), 3, 12);
    expect_same_bits_anywhere<ThermalSum>(c, {5, 36, 50, 90, 143}, {"energy", "specific-heat", "entropy"});
    c.precision = Precision::single;
    expect_same_bits_anywhere<ThermalSum>(c, {50}, {"energy"});
}

/// Every site is full: no state has another momentum.
TEST(SectorSpectrum, IsZeroWhereNoStateIsLedTo) {
    LanczosConfig c = with_momentum(spectrum(config("ring", {4}, 4, 4, 4), SpectralOperator::density), {0});
    c.spectrum.momenta = {1, 2};
    Spectrum none(plan(c), on_cpu());
    const Series series = run(none);
    ASSERT_EQ(series.rows(), c.spectrum.omega.size());
    for (std::size_t row = 0; row < series.rows(); ++row) EXPECT_EQ(series.row(row)[1] + series.row(row)[2], 0);
    EXPECT_EQ(values(none, series, "weight"), (std::vector<double>{0, 0}));
    c.spectrum.momenta = {};
    Spectrum one(plan(c), on_cpu());
    EXPECT_NEAR(values(one, run(one), "weight")[0], 16, 1e-12);
}

TEST(SectorSpectrum, HasTheSameBitsAnywhereAndAfterARestart) {
    LanczosConfig c = spectrum(config("ring", {6}, 3, 2, 4), SpectralOperator::removal);
    c.spectrum.steps = 12;
    c.spectrum.momenta = {0, 1, 2, 3};
    const LanczosConfig of_sector = with_momentum(c, {1});
    expect_same_bits<Spectrum>(of_sector, {"energy", "weight"});
    c.symmetry.momenta = Momenta::automatic;
    const std::uint64_t last = [&] {
        const auto search = over_ranks<MomentumSearch>(c);
        run(*search);
        return search->total_steps();
    }();
    // within the search, the ground state, and recurrences in real and complex sectors
    expect_same_bits_anywhere<MomentumSearch>(c, {20, last - 45, last - 30, last - 20, last - 3}, {"energy", "weight"});
}

/// The last part of an automatic search is in a sector that no other number of the checkpoint tells.
TEST(MomentumSearch, IsTakenUpInTheSectorOfTheGroundState) {
    LanczosConfig c = config("ring", {8}, 4, 4, 4);  // momentum pi
    c.symmetry.momenta = Momenta::automatic;
    const auto search = over_ranks<MomentumSearch>(c);
    const Series series = run(*search);
    EXPECT_NEAR(values(*search, series, "energy")[0], -4.603526299989, 1e-10);
    const std::uint64_t last = search->total_steps();
    expect_same_bits_anywhere<MomentumSearch>(c, {30, last - 40, last - 10}, {"energy", "spin-correlation"});
}

}  // namespace
}  // namespace strata::lanczos
