// SPDX-License-Identifier: BSD-3-Clause
// Expectation values, structure factors, momentum distributions and their sum rules against dense ground states, with
// positions of sites and reciprocal vectors given here.
#include <gtest/gtest.h>

#include <cmath>

#include "lanczos/run/ground_state.hpp"
#include "support/dense_sector.hpp"
#include "support/lanczos_runs.hpp"

namespace strata::lanczos {
namespace {

/// Compares every expectation value with the dense ground state of a system without symmetry.
TEST(Observables, AreThoseOfTheDenseGroundState) {
    for (int kind : {0, 1, 2}) {
        LanczosConfig c = kind == 0   ? config("square", {3, 2}, 3, 2, 3)
                          : kind == 1 ? single("square", {4, 2}, 3, 1.5)
                                      : spins("square", {4, 2}, 3);
        c.lattice.flux = {0.7, 0.2};
        c.potential.clear();
        for (int i = 0; i < make_lattice(c.lattice).sites; ++i) c.potential.push_back(0.4 * std::sin(3.0 + 5 * i));
        c.field[2] = c.potential;
        c.density_matrix = true;
        GroundState system(LanczosPlan(c, world().size(), world().rank(), 1), on_cpu());
        const Series series = run(system);
        const DenseSector dense(c);
        const int sites = dense.model().lattice.sites, spin_components = c.components();
        EXPECT_NEAR(values(system, series, "energy")[0], dense.energy(0), 1e-10);
        const auto n = [&](std::size_t i, int site) {
            double sum = 0;
            for (int s = 0; s < spin_components; ++s) sum += dense.occupied(i, site, s);
            return sum;
        };
        const auto sz = [&](std::size_t i, int site) {
            if (spin_components == 1) return n(i, site) - 0.5;
            return 0.5 * dense.occupied(i, site, 0) - 0.5 * dense.occupied(i, site, 1);
        };
        const auto up = values(system, series, spin_components == 2 ? "occupation-up" : "occupation");
        for (int j = 0; j < sites; ++j) {
            const auto at = static_cast<std::size_t>(j);
            EXPECT_NEAR(up[at], dense.expectation(0, [&](auto i) { return dense.occupied(i, j, 0); }), 1e-8);
            if (kind < 2) {
                EXPECT_NEAR(values(system, series, "density-correlation")[at],
                            dense.expectation(0, [&](auto i) { return n(i, 0) * n(i, j); }), 1e-8);
            }
            if (kind != 1) {
                EXPECT_NEAR(values(system, series, "spin-correlation")[at],
                            dense.expectation(0, [&](auto i) { return sz(i, 0) * sz(i, j); }), 1e-8);
            }
        }
        if (spin_components == 2) {
            EXPECT_NEAR(values(system, series, "double-occupancy")[0],
                        dense.expectation(0,
                                          [&](auto i) {
                                              double sum = 0;
                                              for (int j = 0; j < sites; ++j)
                                                  sum += dense.occupied(i, j, 0) && dense.occupied(i, j, 1);
                                              return sum / sites;
                                          }),
                        1e-8);
        }
        // <n_k> = sum_ij e^(ik (r_i - r_j)) <c+_i c_j> / N, with all signs by counting
        const auto found = values(system, series, "momentum-distribution");
        const auto momenta = dense.model().lattice.momenta();
        for (std::size_t m = 0; m < momenta.size(); ++m) {
            Complex sum = 0;
            for (int s = 0; s < spin_components; ++s)
                for (int i = 0; i < sites; ++i)
                    for (int j = 0; j < sites; ++j)
                        for (std::size_t b = 0; b < dense.size(); ++b) {
                            const std::uint64_t to = std::uint64_t{1} << (i + s * sites),
                                                from = std::uint64_t{1} << (j + s * sites);
                            if ((dense.modes(b) & from) == 0 || (i != j && dense.modes(b) & to)) continue;
                            const std::uint64_t left = dense.modes(b) ^ from;
                            const bool odd =
                                kind < 2 &&
                                (__builtin_popcountll(left & (from - 1)) + __builtin_popcountll(left & (to - 1))) % 2 ==
                                    1;
                            const double angle =
                                dense.model().lattice.phase(momenta[m], i) - dense.model().lattice.phase(momenta[m], j);
                            sum += (odd ? -1.0 : 1.0) * std::polar(1.0 / sites, angle) *
                                   std::conj(dense.component(0, dense.index(left | to))) * dense.component(0, b);
                        }
            EXPECT_NEAR(found[m], sum.real(), 1e-8) << kind << " " << m;
        }
    }
}

/// Positions of the sites and the two reciprocal vectors of a lattice of L1 x L2 cells, given here.
struct TypedLattice {
    LanczosConfig config;
    std::vector<std::array<double, 2>> a, basis;  ///< Cartesian
    int l1, l2;

    std::size_t cell_sites() const { return basis.size(); }
    std::size_t cells() const { return static_cast<std::size_t>(l1 * l2); }
    std::size_t sites() const { return cells() * cell_sites(); }
    std::array<double, 2> position(std::size_t site) const {
        const auto cell = static_cast<int>(site / cell_sites());
        const double x = cell % l1, y = cell / l1;
        const std::array<double, 2>& r = basis[site % cell_sites()];
        return {x * a[0][0] + y * a[1][0] + r[0], x * a[0][1] + y * a[1][1] + r[1]};
    }
    /// b_i . a_j = 2 pi delta_ij, for a_1 = (1, 0)
    std::array<double, 2> wave_vector(std::size_t k) const {
        const auto index = static_cast<int>(k);
        const double m1 = 2 * M_PI * (index % l1) / l1, m2 = 2 * M_PI * (index / l1) / l2;
        return {m1, (m2 - m1 * a[1][0]) / a[1][1]};
    }
};

std::vector<TypedLattice> typed_lattices() {
    const std::vector<std::array<double, 2>> square = {{1, 0}, {0, 1}},
                                             triangular = {{1, 0}, {0.5, 0.8660254037844386}};
    std::vector<TypedLattice> all = {
        {config("honeycomb", {3, 2}, 1, 1, 3), triangular, {{0, 0}, {0.5, 0.2886751345948129}}, 3, 2},
        {single("kagome", {2, 2}, 3, 1.5), triangular, {{0, 0}, {0.5, 0}, {0.25, 0.4330127018922193}}, 2, 2},
        {config("checkerboard", {2, 2}, 2, 1, 3), square, {{0, 0}, {0.5, 0.5}}, 2, 2},
        {spins("custom", {2, 3}, 3), square, {{0, 0.125}, {0.25, 0.5}}, 2, 3}};
    all[3].config.lattice.cell_bonds = "0 1 0 0 1; 1 0 1 0 1; 0 0 0 1 0.7; 1 1 0 1 1.2";
    all[3].config.lattice.cell_positions = "0 0.125; 0.25 0.5";
    for (TypedLattice& t : all) {
        t.config.lattice.flux = {0.7, 0.2};
        t.config.potential.clear();
        for (std::size_t i = 0; i < t.sites(); ++i)
            t.config.potential.push_back(0.4 * std::sin(3.0 + 5 * static_cast<double>(i)));
        t.config.field[2] = t.config.potential;
        t.config.density_matrix = true;
    }
    return all;
}

/// <c+_i c_j> of all spin components, [i][j], with all signs by counting.
std::vector<Complex> dense_density_matrix(const DenseSector& dense, const LanczosConfig& c, std::size_t sites) {
    std::vector<Complex> matrix(sites * sites);
    for (std::size_t s = 0; s < static_cast<std::size_t>(c.components()); ++s)
        for (std::size_t i = 0; i < sites; ++i)
            for (std::size_t j = 0; j < sites; ++j)
                for (std::size_t b = 0; b < dense.size(); ++b) {
                    const std::uint64_t to = std::uint64_t{1} << (i + s * sites),
                                        from = std::uint64_t{1} << (j + s * sites);
                    const std::uint64_t left = dense.modes(b) ^ from;
                    if ((dense.modes(b) & from) == 0 || (left & to) != 0) continue;
                    const int passed = __builtin_popcountll(left & (from - 1)) + __builtin_popcountll(left & (to - 1));
                    const double sign = !c.spins() && passed % 2 == 1 ? -1 : 1;
                    matrix[i * sites + j] +=
                        sign * std::conj(dense.component(0, dense.index(left | to))) * dense.component(0, b);
                }
    return matrix;
}

/// <A_i A_j> of density, or Sz.
std::vector<Complex> dense_correlation(const DenseSector& dense, const LanczosConfig& c, std::size_t sites, bool spin) {
    const auto value = [&](std::size_t state, std::size_t site) {
        const double up = dense.occupied(state, static_cast<int>(site), 0),
                     down = c.components() == 2 ? dense.occupied(state, static_cast<int>(site), 1) : 0;
        return !spin ? up + down : c.components() == 2 ? (up - down) / 2 : up - 0.5;
    };
    std::vector<Complex> matrix;
    for (std::size_t i = 0; i < sites; ++i)
        for (std::size_t j = 0; j < sites; ++j)
            matrix.emplace_back(dense.expectation(0, [&](auto state) { return value(state, i) * value(state, j); }));
    return matrix;
}

/// sum_ij e^(ik(r_i - r_j)) matrix_ij / N for all wave vectors, over all sites or one sublattice.
std::vector<double> transformed(const TypedLattice& t, const std::vector<Complex>& matrix, int sublattice) {
    std::vector<double> result;
    for (std::size_t k = 0; k < t.cells(); ++k) {
        Complex sum = 0;
        for (std::size_t i = 0; i < t.sites(); ++i)
            for (std::size_t j = 0; j < t.sites(); ++j) {
                const auto outside = [&](std::size_t site) {
                    return sublattice >= 0 && site % t.cell_sites() != static_cast<std::size_t>(sublattice);
                };
                if (outside(i) || outside(j)) continue;
                const auto q = t.wave_vector(k), ri = t.position(i), rj = t.position(j);
                sum += std::polar(1.0, q[0] * (ri[0] - rj[0]) + q[1] * (ri[1] - rj[1])) * matrix[i * t.sites() + j];
            }
        EXPECT_NEAR(sum.imag(), 0, 1e-9);
        result.push_back(sum.real() / static_cast<double>(sublattice < 0 ? t.sites() : t.cells()));
    }
    return result;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected, const std::string& what) {
    ASSERT_EQ(found.size(), expected.size()) << what;
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-8) << what << " " << i;
}

/// Compares the value of a sum rule with its exact value.
void expect_sum_rule(const Application& system, const Series& series, const std::string& name, double exact) {
    for (const Quantity& q : system.results(series))
        if (q.name == name) {
            EXPECT_NEAR(q.value[0], exact, 1e-8) << name;
            EXPECT_NEAR(q.reference[0], exact, 1e-8) << name;
            return;
        }
    ADD_FAILURE() << name << " is missing";
}

bool has(const Application& system, const Series& series, const std::string& name) {
    const std::vector<Quantity> all = system.results(series);
    return std::ranges::any_of(all, [&](const Quantity& q) { return q.name == name; });
}

/// Structure factors and n(k) of lattices with several sites per cell, at positions given here, of the dense ground
/// state.
TEST(Observables, OfWaveVectorsUseTheTruePositions) {
    for (const TypedLattice& t : typed_lattices()) {
        const DenseSector dense(t.config);
        ASSERT_GT(dense.energy(1) - dense.energy(0), 1e-3) << "one ground state";
        std::vector<std::pair<std::string, std::vector<Complex>>> expected = {
            {"momentum-distribution", dense_density_matrix(dense, t.config, t.sites())}};
        for (bool spin : {false, true})
            if (spin ? t.config.components() == 2 || t.config.spins() : !t.config.spins())
                expected.emplace_back(spin ? "spin-structure-factor" : "density-structure-factor",
                                      dense_correlation(dense, t.config, t.sites(), spin));
        for (Sublattices sublattices : {Sublattices::summed, Sublattices::separate}) {
            LanczosConfig c = t.config;
            c.sublattices = sublattices;
            GroundState system(LanczosPlan(c, world().size(), world().rank(), 1), on_cpu());
            const Series series = run(system);
            EXPECT_NEAR(values(system, series, "energy")[0], dense.energy(0), 1e-10);
            expect_sum_rule(system, series, "density-sum", c.up + c.down);
            for (const auto& [name, matrix] : expected) {
                const bool separate = sublattices == Sublattices::separate;
                for (int s = 0; separate && s < static_cast<int>(t.cell_sites()); ++s)
                    expect_near(values(system, series, name + "-sublattice-" + std::to_string(s)),
                                transformed(t, matrix, s), c.lattice.type + " " + name);
                if (!separate)
                    expect_near(values(system, series, name), transformed(t, matrix, -1), c.lattice.type + " " + name);
                double trace = 0;
                for (std::size_t i = 0; i < t.sites(); ++i) trace += matrix[i * t.sites() + i].real();
                EXPECT_EQ(has(system, series, name), !separate);
                EXPECT_EQ(has(system, series, name + "-sum"), separate);
                if (separate) expect_sum_rule(system, series, name + "-sum", trace);
            }
            for (std::size_t axis : {0, 1}) {
                std::vector<double> sites, waves;
                for (std::size_t i = 0; i < t.sites(); ++i) sites.push_back(t.position(i)[axis]);
                for (std::size_t k = 0; k < t.cells(); ++k) waves.push_back(t.wave_vector(k)[axis]);
                expect_near(values(system, series, axis == 0 ? "site-x" : "site-y"), sites, "positions");
                expect_near(values(system, series, axis == 0 ? "wave-vector-x" : "wave-vector-y"), waves, "k");
            }
        }
    }
}

/// The weights of removal summed over all wave vectors and sublattices are the number of particles.
TEST(Observables, CountTheParticlesOfAHoneycombBySublattices) {
    LanczosConfig c = config("honeycomb", {3, 2}, 0, 6, 0);
    c.density_matrix = true;
    c.sublattices = Sublattices::separate;
    GroundState system(LanczosPlan(c, world().size(), world().rank(), 1), on_cpu());
    const Series series = run(system);
    double weight = 0;
    for (const char* name : {"momentum-distribution-sublattice-0", "momentum-distribution-sublattice-1"})
        for (double n : values(system, series, name)) weight += n;
    EXPECT_NEAR(weight, 6, 1e-9);
    expect_sum_rule(system, series, "momentum-distribution-sum", 6);
}

}  // namespace
}  // namespace strata::lanczos
