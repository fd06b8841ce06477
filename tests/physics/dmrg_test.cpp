// SPDX-License-Identifier: BSD-3-Clause
// Ground states by renormalization against the Bethe ansatz of open chains (Lieb, Wu, Phys. Rev. Lett. 20, 1445 (1968);
// Schulz, J. Phys. C 18, 581 (1985); Alcaraz et al., J. Phys. A 20, 6397 (1987)), exact diagonalization of ladders,
// free electrons, and closed forms. Energies of truncated states lie above the exact ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <numbers>

#include "krylov/tridiagonal.hpp"
#include "support/dmrg_runs.hpp"
#include "support/world.hpp"

namespace strata::dmrg {
namespace {

/// Expects an energy above the exact one by at most `error`, an energy of the truncated state above it by at most ten
/// times as much, and convergence.
void expect_energy(const std::string& job, double exact, double error) {
    SCOPED_TRACE(job);
    const Finished run = finish(world(), job);
    EXPECT_EQ(run.system->shortfall(), "");
    const double energy = run.value("energy"), measured = run.value("measured-energy");
    EXPECT_GT(std::min(energy, measured), exact - 2e-11 * (1 + std::abs(exact)));
    EXPECT_LT(energy, exact + error);
    EXPECT_LT(measured, exact + 10 * error);
}

std::string chain(int length, const std::string& keys) {
    return "[lattice]\nextents = " + std::to_string(length) + "\n" + keys;
}

std::string hubbard_chain(int length, double u) { return chain(length, "[model]\nu = " + std::to_string(u) + "\n"); }

TEST(DmrgBethe, HubbardChainsOfEightSites) {
    const std::pair<double, double> exact[] = {
        {1, -7.694833200103}, {2, -6.225634144681}, {4, -4.235806999130}, {8, -2.420831400038}};
    for (const auto& [u, energy] : exact) expect_energy(hubbard_chain(8, u), energy, 1e-8);
}

TEST(DmrgBethe, HubbardChainsOfSixteenSites) {
    const std::pair<double, double> exact[] = {{1, -15.993949905975}, {4, -8.818767454812}, {8, -5.037134091652}};
    for (const auto& [u, energy] : exact)
        expect_energy(hubbard_chain(16, u) +
                          "[run]\nschedule = 40,40,40,40,80,160,320\nproducts = 6\nnoise = 1e-5,1e-6,1e-6,1e-8,0\n",
                      energy, 1e-8);
}

TEST(DmrgBethe, SinglePrecisionInTheFirstSweeps) {
    expect_energy(hubbard_chain(16, 4) + "[run]\nsingle-precision-sweeps = 3\n", -8.818767454812, 1e-8);
}

TEST(DmrgBethe, HeisenbergChains) {
    const std::string spins = "[model]\ntype = heisenberg\n";
    expect_energy(chain(8, spins), -3.374932598688, 1e-8);
    expect_energy(chain(16, spins), -6.911737145575, 1e-8);
    expect_energy(chain(32, spins), -13.997315618224, 1e-8);
    expect_energy(chain(8, spins + "spin = 1\n"), -10.124637222359, 1e-8);  // exact diagonalization
}

/// The spins 1/2 at the ends of a spin-1 chain form a singlet and a triplet, which mix: the even part is projected.
/// Exact: the singlet of 100 spins (calculations with full spin symmetry, D = 1600).
TEST(DmrgBethe, SingletOfALongSpinOneChain) {
    const Finished run = finish(world(), chain(100, "[model]\ntype = heisenberg\nspin = 1\n"));
    EXPECT_NEAR(run.value("energy"), -138.940086166525, 1e-9);
    EXPECT_NEAR(run.value("energy-odd"), -138.940086120, 5e-9);
}

TEST(DmrgLadders, AreThoseOfExactDiagonalization) {
    const double exact[2][4] = {{-2.102748483462, -3.619321323958, -5.012503152657, -6.408775066549},
                                {-1.320234958272, -2.177793552490, -3.025922805691, -3.878412798124}};
    for (int rungs = 2; rungs <= 5; ++rungs)
        for (const int u : {4, 8})
            expect_energy("[lattice]\ntype = ladder\nextents = " + std::to_string(rungs) +
                              ",2\n[model]\nu = " + std::to_string(u) + "\n",
                          exact[u / 8][rungs - 2], 1e-8);
}

/// Regression: searches that ended in a state that H alone does not leave: a domain wall of an easy-axis chain,
/// parities of the rungs of a fully frustrated ladder. Exact: dense and sparse diagonalization.
TEST(DmrgTraps, AreLeft) {
    for (const int seed : {1, 2, 3}) {
        const std::string run = "[run]\nseed = " + std::to_string(seed) + "\n";
        expect_energy(chain(16, "[model]\ntype = heisenberg\nj = 0.1\njz = -1\n") + run, -3.252506281447, 1e-8);
        expect_energy("[lattice]\ntype = ladder\nextents = 3,2\n[model]\nu = 8\nt2 = 1\n[sector]\nup = 1\ndown = 5\n" +
                          run + "start-states = 8\n",
                      -1.597181280399, 1e-8);
    }
}

/// Electrons fill the levels -2 cos(pi k / (L + 1)) of an open chain from below.
TEST(DmrgFree, ElectronsWithoutRepulsion) {
    const auto free_energy = [](int length, int electrons) {
        double sum = 0;
        for (int k = 1; k <= electrons; ++k) sum -= 2 * std::cos(std::numbers::pi * k / (length + 1));
        return sum;
    };
    for (const auto& [length, up, down] : {std::tuple(8, 4, 4), {7, 2, 5}, {9, 9, 1}, {6, 0, 0}, {5, 5, 5}, {3, 1, 0}})
        expect_energy(hubbard_chain(length, 0) + "[sector]\nup = " + std::to_string(up) +
                          "\ndown = " + std::to_string(down) + "\n",
                      free_energy(length, up) + free_energy(length, down), 1e-8);
}

/// Levels of free electrons: sums of different -2 cos(pi k / (L + 1)), one for each electron of a spin.
std::vector<double> free_levels(int length, int up, int down) {
    const auto of_spin = [&](int electrons) {
        std::vector<double> sums;
        for (unsigned set = 0; set < 1U << length; ++set) {
            if (std::popcount(set) != electrons) continue;
            sums.push_back(0);
            for (int k = 1; k <= length; ++k)
                if ((set >> (k - 1) & 1U) != 0) sums.back() -= 2 * std::cos(std::numbers::pi * k / (length + 1));
        }
        return sums;
    };
    std::vector<double> all;
    for (const double a : of_spin(up))
        for (const double b : of_spin(down)) all.push_back(a + b);
    std::ranges::sort(all);
    return all;
}

/// Compares the lowest states, with the multiplicity of degenerate ones; measured energies are upper bounds.
void expect_levels(const std::string& job, const std::vector<double>& exact) {
    SCOPED_TRACE(job);
    const Finished run = finish(world(), job);
    EXPECT_EQ(run.system->shortfall(), "");
    const Quantity energies = run.quantity("energies");
    const std::vector<double> measured = run.quantity("measured-energies").value;
    ASSERT_LE(energies.value.size(), exact.size());
    for (std::size_t i = 0; i < energies.value.size(); ++i) {
        EXPECT_NEAR(energies.value[i], exact[i], energies.error[i] + 1e-11) << i;
        EXPECT_LT(energies.error[i], 2e-8) << i;
        EXPECT_GT(measured[i], exact[i] - 1e-11) << i;
        EXPECT_LT(measured[i], exact[i] + 1e-7) << i;
    }
    for (std::size_t i = 1; i < energies.value.size(); ++i)
        EXPECT_EQ(run.quantity("gaps").value[i - 1], energies.value[i] - energies.value[0]);
    EXPECT_LT(run.value("largest-overlap"), 1e-12);
}

TEST(DmrgStates, LevelsOfFreeElectronsWithTheirMultiplicity) {
    expect_levels(hubbard_chain(5, 0) + "[sector]\nup = 2\ndown = 1\n[run]\nstates = 8\n", free_levels(5, 2, 1));
    expect_levels(hubbard_chain(8, 0) + "[run]\nstates = 4\n", free_levels(8, 4, 4));
    expect_levels(hubbard_chain(9, 0) + "[sector]\nup = 1\ndown = 0\n[run]\nstates = 5\n", free_levels(9, 1, 0));
    expect_levels(hubbard_chain(2, 0) + "[sector]\nup = 1\ndown = 1\n[run]\nstates = 4\n", free_levels(2, 1, 1));
}

/// Three spins 1/2: doublets at -1 and 0, a quartet at 1/2; each has one state of S^z = 1/2.
TEST(DmrgStates, LevelsOfThreeSpins) {
    expect_levels(chain(3, "[model]\ntype = heisenberg\n[run]\nstates = 3\n"), {-1, 0, 0.5});
}

/// Entropy of a determinant of orbitals of an open chain, from the eigenvalues n of <c+_i c_j> in a block: -sum n ln n
/// + (1 - n) ln(1 - n) (I. Peschel, J. Phys. A 36, L205 (2003)). The largest weight is the product of max(n, 1 - n).
struct Entanglement {
    double entropy = 0, largest = 1;
};
Entanglement of_determinant(int length, int cut, const std::vector<int>& orbitals) {
    std::vector<std::complex<double>> c;
    for (int i = 1; i <= cut; ++i)
        for (int j = 1; j <= cut; ++j) {
            c.emplace_back();
            for (const int k : orbitals)
                c.back() += 2.0 / (length + 1) * std::sin(std::numbers::pi * k * i / (length + 1)) *
                            std::sin(std::numbers::pi * k * j / (length + 1));
        }
    Entanglement e;
    for (const double n : krylov::hermitian_values(static_cast<std::size_t>(cut), c)) {
        for (const double p : {n, 1 - n})
            if (p > 1e-14) e.entropy -= p * std::log(p);
        e.largest *= std::max(n, 1 - n);
    }
    return e;
}

/// The state contains neither the noise of the last sweep nor the previous states.
TEST(DmrgEntanglement, IsThatOfTheWaveFunctionAfterAnyNumberOfSweeps) {
    const std::vector<std::vector<int>> orbitals = {{1, 2, 3}, {1, 2, 4}};
    for (const char* keys :
         {"schedule = 100\n", "schedule = 100,100\n", "schedule = 100,100\nnoise = 0.1\n",
          "schedule = 100,100,100\nstates = 2\n", "schedule = 100,100\nnoise = 1e-3\nstates = 2\n"}) {
        SCOPED_TRACE(keys);
        const Finished run = finish(world(), hubbard_chain(8, 4) + "[sector]\nup = 3\ndown = 0\n[run]\n" + keys);
        const std::size_t states = std::string(keys).find("states") == std::string::npos ? 1 : 2;
        for (std::size_t state = 0; state < states; ++state) {
            const std::string suffix = state == 0 ? "" : "-state-1";
            const std::vector<double> entropies = run.quantity("entropies" + suffix).value,
                                      spectra = run.quantity("entanglement-spectrum" + suffix).value;
            for (int cut = 1; cut < 8; ++cut) {
                const auto bond = static_cast<std::size_t>(cut) - 1;
                const Entanglement exact = of_determinant(8, cut, orbitals[state]);
                EXPECT_NEAR(entropies[bond], exact.entropy, 1e-8) << "cut " << cut;
                EXPECT_NEAR(spectra[bond * spectrum_levels], exact.largest, 1e-8) << "cut " << cut;
            }
        }
    }
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A triangle of spins has two states of S^z = 1/2 at -3/4; a ring of four electrons has four states at -4.
TEST(DmrgDegenerate, LevelsAreAveragedOrSaidToBeMixtures) {
    const std::string triangle = "[lattice]\ntype = cylinder\nextents = 1,3\n[model]\ntype = heisenberg\n",
                      ring = "[lattice]\ntype = cylinder\nextents = 1,4\n[model]\nu = 0\n";
    for (const std::string& job : {triangle, ring}) {
        const std::string remark = finish(world(), job).system->remark();
        EXPECT_TRUE(says(remark, "The state is a mixture")) << remark;
    }
    EXPECT_TRUE(says(finish(world(), hubbard_chain(4, 4)).system->remark(), "was not looked for"));
    const Finished spins = finish(world(), triangle + "[run]\nstates = 3\n");
    EXPECT_EQ(spins.quantity("degeneracies").value, (std::vector<double>{2, 2, 1}));
    for (const std::string suffix : {"", "-state-1"})
        for (const double sz : spins.quantity("sz" + suffix).value) EXPECT_NEAR(sz, 1.0 / 6, 1e-12);
    for (const Quantity& q : spins.system->results(spins.series)) EXPECT_NE(q.name, "entropies");
    EXPECT_EQ(spins.quantity("entropies-state-2").value.size(), 2U);
    const Finished electrons = finish(world(), ring + "[run]\nstates = 5\n");
    for (const double d : electrons.quantity("double-occupancy-state-3").value) EXPECT_NEAR(d, 0.25, 1e-10);
    EXPECT_TRUE(says(electrons.system->remark(), "averages"));
}

/// Two states of a cylinder of eight spins 1 (exact diagonalization: 8.95651 and 9.59113) whose searches end at a
/// product state, which the upper bounds of both together reveal.
TEST(DmrgStates, EnergiesAboveTheirUpperBoundsAreNotConverged) {
    const Finished run = finish(
        world(),
        "[lattice]\ntype = cylinder\nextents = 2,4\n[model]\ntype = heisenberg\nspin = 1\nj2 = 0.5\nfield = 0.25\n"
        "anisotropy = 1\n[sector]\nsz = -6\n[run]\nstates = 2\nstart-states = 2\nproducts = 5\ntolerance = 1e-10\n");
    const Quantity energies = run.quantity("energies");
    const std::vector<double> measured = run.quantity("measured-energies").value;
    for (std::size_t i = 0; i < 2; ++i) EXPECT_GE(energies.error[i], std::abs(energies.value[i] - measured[i]));
    if (run.system->shortfall().empty()) {
        EXPECT_NEAR(energies.value[0], 8.95651, 1e-5);
        EXPECT_NEAR(energies.value[1], 9.59113, 1e-5);
    }
}

TEST(DmrgFree, TheSmallestChains) {
    expect_energy(hubbard_chain(2, 4), 2 - std::sqrt(8.0), 1e-12);
    expect_energy(hubbard_chain(2, 4) + "[sector]\nup = 2\ndown = 2\n", 8, 1e-12);  // full band
    expect_energy(hubbard_chain(2, 4) + "[sector]\nup = 0\ndown = 0\n", 0, 1e-12);  // empty band
    expect_energy(chain(2, "[model]\ntype = heisenberg\n"), -0.75, 1e-12);
    expect_energy(chain(2, "[model]\ntype = heisenberg\nspin = 2\n"), -6, 1e-8);  // -S (S + 1)
    expect_energy(chain(3, "[model]\ntype = heisenberg\n"), -1, 1e-12);           // two doublets below
    expect_energy(chain(3, "[model]\ntype = heisenberg\nspin = 1\n"), -3, 1e-8);
    expect_energy(chain(3, "[model]\ntype = heisenberg\n[sector]\nsz = 3/2\n"), 0.5, 1e-12);
}

/// Two up spins in a chain need M = 3 or 4. After the first sweep without noise no sweep has more than the 64 states of
/// a start, although M has grown to 512 by then and the middle of the chain has 137 states.
TEST(DmrgFree, ExactStatesAreCheckedWithFew) {
    const Finished run = finish(world(), chain(33, "[model]\ntype = heisenberg\njz = 0\n[sector]\nsz = -14.5\n"));
    EXPECT_EQ(run.system->shortfall(), "");
    double exact = 0;
    for (const int k : {1, 2}) exact -= std::cos(std::numbers::pi * k / 34);
    EXPECT_NEAR(run.value("energy"), exact, 1e-10);
    const std::size_t width = run.series.width();
    ASSERT_GE(run.series.rows(), 12U);  // four sweeps, the check, and one that ends the run
    for (std::size_t row = 8; row < run.series.rows(); ++row)
        EXPECT_LE(run.series.values()[row * width + 1], 64) << "row " << row;
}

/// A larger M gives a lower energy; the densities add up and are those of the reflected chain.
TEST(DmrgSums, EnergiesFallWithTheStatesKept) {
    const Finished run = finish(world(), hubbard_chain(12, 4) +
                                             "[sector]\nup = 5\ndown = 4\n"
                                             "[run]\nschedule = 24,24,24,32,48,64,96,128,192\nproducts = 10\n"
                                             "noise = 1e-5,1e-6,0\nmeasure = correlations\n");
    const std::size_t width = run.series.width();
    double before = 0, discarded = 1;
    for (std::size_t row = 7; row < run.series.rows(); row += 2) {
        EXPECT_LT(run.series.values()[row * width + 2], before + 1e-12) << "row " << row;
        before = run.series.values()[row * width + 2];
        EXPECT_LT(run.series.values()[row * width + 3], discarded) << "row " << row;
        discarded = run.series.values()[row * width + 3];
    }
    const std::vector<double> up = run.quantity("density-up").value, down = run.quantity("density-down").value,
                              n_n = run.quantity("density-correlations").value,
                              entropies = run.quantity("entropies").value;
    double sum_up = 0, sum_down = 0, sum_pairs = 0;
    for (std::size_t i = 0; i < 12; ++i) {
        sum_up += up[i];
        sum_down += down[i];
        EXPECT_NEAR(up[i], up[11 - i], 1e-5);
        if (i < 11) {
            EXPECT_NEAR(entropies[i], entropies[10 - i], 1e-5);
        }
    }
    for (const double x : n_n) sum_pairs += x;
    EXPECT_NEAR(sum_up, 5, 1e-10);
    EXPECT_NEAR(sum_down, 4, 1e-10);
    EXPECT_NEAR(sum_pairs, 81, 1e-9);
}

}  // namespace
}  // namespace strata::dmrg
