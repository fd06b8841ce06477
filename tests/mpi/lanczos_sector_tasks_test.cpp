// SPDX-License-Identifier: BSD-3-Clause
// Spectra between sectors and time evolution of projected states, on the ranks of this run, against runs without
// symmetries and all states of the cluster (support/dense_sector.hpp).
#include <gtest/gtest.h>

#include <cmath>

#include "lanczos/physics/make_model.hpp"
#include "lanczos/physics/symmetries.hpp"
#include "lanczos/run/evolution.hpp"
#include "lanczos/run/sector_search.hpp"
#include "lanczos/run/spectrum.hpp"
#include "lanczos/run/thermal_spectrum.hpp"
#include "support/dense_sector.hpp"
#include "support/large_cases.hpp"
#include "support/sector_runs.hpp"

namespace strata::lanczos {
namespace {

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

/// From the sector of a non-degenerate ground state: poles and weights are those of the run without symmetries.
TEST(SectorSpectrum, IsThatWithoutSymmetries) {
    LanczosConfig separate = config("honeycomb", {3, 1}, 1, 1, 4);
    separate.sublattices = Sublattices::separate;
    using enum SpectralOperator;
    for (const LanczosConfig& c :
         {config("ring", {6}, 3, 3, 4),
          config("ring", {large_cases ? 8 : 4}, large_cases ? 4 : 2, large_cases ? 4 : 2, 3),
          with_flux(config("ring", {5}, 2, 3, 4), {0.9}), with_flux(config("square", {3, 2}, 2, 2, 4), {0.5, 0.8}),
          config("tilted", {2, 1}, 1, 1, 4), separate}) {
        const Momentum momentum = momentum_of_ground_state(c);
        for (const SpectralOperator op : {density, spin, removal, addition}) {
            const LanczosConfig whole = spectrum(c, op);
            const LanczosConfig found = spectrum(with_momentum(c, momentum), op);
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
}

TEST(SectorSpectrum, OfOneSpinComponentIsThatWithoutSymmetries) {
    using enum SpectralOperator;
    for (const auto& [c, op] : {std::pair{spins("ring", {8}, 4), spin},
                                {spins("triangular", {3, 2}, 2), density},
                                {single("ring", {7}, 3, 1.5), density},
                                {single("kagome", {2, 1}, 2, 1), density}}) {
        Spectrum without(plan(spectrum(c, op)), on_cpu());
        Spectrum system(plan(spectrum(with_momentum(c, momentum_of_ground_state(c)), op)), on_cpu());
        const Series expected = run_whole(without);
        if (!without.shortfall().empty()) continue;  // the ground state is degenerate
        const Series series = run(system);
        ASSERT_EQ(series.values().size(), expected.values().size());
        for (std::size_t i = 0; i < series.values().size(); ++i)
            EXPECT_NEAR(series.values()[i], expected.values()[i], 1e-10) << c.lattice.type << " " << i;
    }
}

/// Spin inversion changes the sign of S^z and of its plane waves; the ground state of the ring of 8 is even, that of
/// the ring of 6 odd.
TEST(SectorSpectrum, LeadsToTheOtherParityOfTheSpinInversion) {
    using enum SpectralOperator;
    for (const auto& [c, parity, momentum] : {std::tuple{spins("ring", {8}, 4), Parity::even, Momentum{0}},
                                              {spins("ring", {6}, 3), Parity::odd, Momentum{3}},
                                              {spins("ring", {8}, 4), Parity::even, Momentum{}},
                                              {spins("chain", {6}, 3), Parity::odd, Momentum{}}})
        for (const SpectralOperator op : {density, spin}) {
            const std::string what = c.lattice.type + " operator " + std::to_string(static_cast<int>(op));
            Spectrum without(plan(spectrum(c, op)), on_cpu());
            const Series expected = run(without);
            LanczosConfig found = spectrum(momentum.empty() ? c : with_momentum(c, momentum), op);
            found.symmetry.spin_inversion = parity;
            EXPECT_EQ(without_character(found, make_model(found)), "");
            Spectrum system(plan(found), on_cpu());
            const Series series = run(system);
            ASSERT_EQ(series.values().size(), expected.values().size());
            for (std::size_t i = 0; i < series.values().size(); ++i)
                EXPECT_NEAR(series.values()[i], expected.values()[i], 1e-10) << what << " " << i;
        }
}

/// The number of spins up is a sum of an even and an odd operator where it is not conserved.
TEST(SectorSpectrum, OfTheDensityHasNoParityWithoutConservedNumbers) {
    LanczosConfig c = spectrum(spins("ring", {6}, 3), SpectralOperator::density);
    c.symmetry.spin_inversion = Parity::even;
    EXPECT_EQ(without_character(c, make_model(c)), "");
    c.conserved = Conserved::nothing;
    EXPECT_NE(without_character(c, make_model(c)).find("take spectrum.operator = spin"), std::string::npos);
}

/// In a sector of point operations only waves that the operations leave unchanged have a character; others are rejected
/// by name.
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

/// Projection of the product state on the sector, from the definition: the mean over the group of chi(g) T_g.
std::vector<Complex> projected(const LanczosConfig& c, const DenseSector& dense) {
    const auto group = make_symmetry_group(c.symmetry, dense.model());
    std::vector<Complex> psi(dense.size());
    for (std::uint32_t g = 0; g < group->order(); ++g) {
        std::uint64_t modes = 0;
        bool odd = false;
        int offset = 0;
        for (const auto& sites : {c.evolution.initial.up, c.evolution.initial.down}) {
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
    c.evolution = {{.up = std::move(up), .down = std::move(down)}, 0.6, 5, 14};
    return c;
}

/// Up and down particles on every second site, or two on opposite sites: some elements leave the state unchanged, also
/// with a sign, and some orbits are short.
TEST(SectorEvolution, IsTheExponentialOfTheProjectedState) {
    LanczosConfig even = evolution(config("square", {2, 2}, 2, 1, 4), {0, 3}, {2}, {0, 0});
    even.symmetry.parity = Parity::even;
    for (const LanczosConfig& c : {evolution(config("ring", {6}, 3, 3, 4), {0, 2, 4}, {1, 3, 5}, {0}),
                                   evolution(config("ring", {6}, 3, 2, 4), {0, 1, 4}, {1, 3}, {2}),
                                   evolution(config("ring", {4}, 2, 2, 3), {0, 1}, {0, 3}, {1}),
                                   evolution(config("ring", {6}, 2, 0, 4), {0, 3}, {}, {1}),
                                   evolution(config("ring", {6}, 2, 3, 4), {0, 3}, {1, 2, 4}, {1}),
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

/// Antiparallel spins on the ring of 4 are invariant under a translation by two sites up to a sign, which only some
/// momenta have.
TEST(SectorEvolution, IsRefusedWithoutAPartInTheSector) {
    int possible = 0;
    for (std::int64_t m = 0; m < 4; ++m) {
        const LanczosConfig c = evolution(config("ring", {4}, 2, 2, 4), {0, 2}, {1, 3}, {m});
        Evolution system(plan(c), on_cpu());
        system.allocate();
        const auto group = make_symmetry_group(c.symmetry, make_model(c));
        if (projected_square(*group, Statistics::fermions, 2, 0b0101, 0b1010) > 0) {
            EXPECT_NEAR(projected_square(*group, Statistics::fermions, 2, 0b0101, 0b1010), 0.5, 1e-12);
            EXPECT_NO_THROW(system.initialise());
            ++possible;
        } else {
            EXPECT_THROW(system.initialise(), Error);
        }
    }
    EXPECT_EQ(possible, 2);
}

/// The sum of both parities of the spin inversion is the whole state.
TEST(SectorEvolution, OfBothSpinInversionsIsThatOfAllSpins) {
    for (const std::vector<std::int64_t>& up : {std::vector<std::int64_t>{0, 2, 3, 7}, {0, 1, 2, 5}}) {
        LanczosConfig c = spins("ring", {8}, 4);
        c.coupling[2] = 0.7;
        c.task = Task::evolution;
        c.arithmetic = RequestedArithmetic::complex;
        c.evolution = {{.up = up}, 0.6, 4, 16};
        Evolution whole(plan(c), on_cpu());
        const Series expected = run(whole);
        std::vector<double> energy(expected.rows());
        double weights = 0;
        for (const Parity parity : {Parity::even, Parity::odd}) {
            c.symmetry.spin_inversion = parity;
            Evolution system(plan(c), on_cpu());
            const Series series = run(system);
            const double weight = values(system, series, "sector-weight")[0];
            weights += weight;
            ASSERT_EQ(series.rows(), expected.rows());
            for (std::size_t row = 0; row < series.rows(); ++row) {
                energy[row] += weight * series.row(row)[1];
                for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(series.row(row)[4 + i], 0.5, 1e-10);
            }
        }
        EXPECT_NEAR(weights, 1, 1e-12);
        for (std::size_t row = 0; row < expected.rows(); ++row) EXPECT_NEAR(energy[row], expected.row(row)[1], 1e-10);
    }
}

TEST(SectorEvolution, HasTheSameBitsOnAnyRanks) {
    expect_same_bits<Evolution>(evolution(config("ring", {8}, 4, 3, 4), {0, 2, 4, 7}, {1, 3, 5}, {3}),
                                {"energy", "loschmidt-echo"});
    expect_same_bits<Evolution>(evolution(config("square", {3, 2}, 3, 3, 4), {0, 2, 4}, {1, 3, 5}, {0, 0}),
                                {"energy", "loschmidt-echo"});
}

/// Every site is full, so that no state has another momentum.
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
        const auto search = over_ranks<SpectrumSearch>(c);
        run(*search);
        return search->total_steps();
    }();
    // stops in the search, in the ground state, and in recurrences of real and complex sectors
    expect_same_bits_anywhere<SpectrumSearch>(c, {20, last - 45, last - 30, last - 20, last - 3}, {"energy", "weight"});
}

LanczosConfig at_temperature(LanczosConfig c, double temperature) {
    c.task = Task::thermal_spectrum;
    c.spectrum.temperatures = {temperature};
    return c;
}

/// Where the temperature is far above all levels, the averages of all momenta by their numbers of states are those of all.
TEST(SectorSpectrum, AtTemperaturesOfAllMomentaIsThatWithoutSymmetries) {
    using enum SpectralOperator;
    for (const auto& [whole, op] : {std::pair{config("ring", {4}, 2, 1, 4), removal},
                                    {config("ring", {4}, 2, 1, 4), spin},
                                    {spins("ring", {6}, 3), spin},
                                    {single("ring", {5}, 2, 1.5), density}}) {
        LanczosConfig c = at_temperature(spectrum(whole, op), 1e12);
        c.thermal.method = TraceMethod::all_levels;
        ExactThermalSpectrum without(plan(c), on_cpu());
        const Series expected = run(without);
        std::vector<double> sum(expected.values().size());
        for (const Momentum& m : make_model(c).lattice.momenta()) {
            const LanczosPlan of_sector = plan(with_momentum(c, m));
            ExactThermalSpectrum system(of_sector, on_cpu());
            const Series series = run(system);
            ASSERT_EQ(series.values().size(), sum.size());
            for (std::size_t i = 0; i < sum.size(); ++i)
                sum[i] += series.values()[i] * of_sector.dimension() / without.plan().dimension();
        }
        for (std::size_t i = 0; i < sum.size(); ++i)
            EXPECT_NEAR(sum[i], expected.values()[i], 1e-10 * std::max(1.0, sum[i])) << i;
    }
}

TEST(SectorSpectrum, AtTemperaturesHasTheSameBitsAnywhereAndAfterARestart) {
    LanczosConfig c = at_temperature(spectrum(config("ring", {6}, 3, 2, 4), SpectralOperator::removal), 0.7);
    c.spectrum.steps = 8;
    c.spectrum.momenta = {0, 1, 3};
    c.thermal.samples = 4;
    c.thermal.steps = 6;
    c = with_momentum(c, {0});
    expect_same_bits<ThermalSpectrum>(c, {"weight"});
    // stops in random vectors, and in recurrences of real and of complex sectors that they lead to
    for (std::uint64_t half : {3, 6, 9, 17, 26, 40, 49, 60})
        expect_taken_up_again<ThermalSpectrum>(c, half, {"weight"});
    c.spectrum.op = SpectralOperator::observable;
    c.observables = {"own", "a = 1 cdag_up {i} c_dn {i+1}\nb = 1-2i S+ {i}"};
    c.spectrum.second = "b";
    expect_same_bits<ThermalSpectrum>(c, {"weight", "weight-imaginary"});
    for (std::uint64_t half : {9, 17, 40}) expect_taken_up_again<ThermalSpectrum>(c, half, {"weight-imaginary"});
    c.thermal.method = TraceMethod::all_levels;
    expect_same_bits<ExactThermalSpectrum>(c, {"weight", "weight-imaginary"});
    c.symmetry.momenta = Momenta::all;
    expect_same_bits_anywhere<ThermalSpectrumSum<ExactThermalSpectrum>>(c, {1, 4}, {"weight"});
    c.thermal.method = TraceMethod::random_vectors;
    expect_same_bits_anywhere<ThermalSpectrumSum<ThermalSpectrum>>(c, {9, 150, 310}, {"weight", "weight-imaginary"});
}

/// The last part of an automatic search is in a sector that no other number of the checkpoint tells.
TEST(SectorSearch, IsTakenUpInTheSectorOfTheGroundState) {
    LanczosConfig c = config("ring", {8}, 4, 4, 4);  // ground state with momentum pi
    c.symmetry.momenta = Momenta::automatic;
    const auto search = over_ranks<SectorSearch>(c);
    const Series series = run(*search);
    EXPECT_NEAR(values(*search, series, "energy")[0], -4.603526299989, 1e-10);
    const std::uint64_t last = search->total_steps();
    expect_same_bits_anywhere<SectorSearch>(c, {30, last - 40, last - 10}, {"energy", "spin-correlation"});
}

}  // namespace
}  // namespace strata::lanczos
