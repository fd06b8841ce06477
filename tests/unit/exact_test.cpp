// SPDX-License-Identifier: BSD-3-Clause
// Kaufman's exact torus against enumeration and the infinite lattice.
#include "swendsen_wang/physics/exact.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/large_cases.hpp"
#include "support/plain_ising.hpp"

namespace strata::swendsen_wang {
namespace {

const double critical = std::log1p(std::sqrt(2.0)) / 2;

struct Known {
    std::uint64_t nx, ny;
    double k, energy, specific_heat;
};

TEST(ExactTorus, AgreesWithEnumerationAndTables) {
    // small tori: sum over all configurations; large tori: an independent program in extended precision
    const Known known[] = {
        {4, 4, 0.3, -0.84405407362386, 0.44099265357656},
        {4, 4, critical, -1.56562378763832, 0.78326682592891},
        {3, 3, 0.3, -0.98768315556710, 0.45028917249813},
        {3, 3, critical, -1.61124638153116, 0.62873610564649},
        {4, 2, 0.3, -1.04410662876667, 0.36875099351075},
        {2, 4, 0.3, -1.04410662876667, 0.36875099351075},
        {64, 64, critical, -1.423938389833, 2.192211393141},
        {1024, 1024, critical, -1.414821413217, 3.565862873717},
        {64, 64, 0.3, -0.704499, 0.286290},
    };
    for (const Known& e : known) {
        const ExactTorus exact = exact_torus(e.nx, e.ny, e.k);
        const double tolerance = e.k == 0.3 && e.nx == 64 ? 1e-6 : 2e-12;
        EXPECT_NEAR(exact.energy, e.energy, tolerance);
        EXPECT_NEAR(exact.specific_heat, e.specific_heat, tolerance);
    }
}

/// Energy and specific heat per site from a sum over all states.
ExactTorus enumerated(const std::vector<std::uint64_t>& extents, double k, Antiperiodic antiperiodic) {
    Couplings couplings;
    couplings.uniform = false;
    couplings.boundary[0] = antiperiodic.x ? Boundary::antiperiodic : Boundary::periodic;
    couplings.boundary[1] = antiperiodic.y ? Boundary::antiperiodic : Boundary::periodic;
    const PlainIsing lattice(extents, 1, couplings);
    const auto n = static_cast<double>(lattice.sites());
    double z = 0, first = 0, second = 0;
    for (std::uint64_t spins = 0; spins < std::uint64_t{1} << lattice.sites(); ++spins) {
        double energy = 0;
        for (std::uint64_t site = 0; site < lattice.sites(); ++site)
            for (int axis = 0; axis < 2; ++axis) {
                const bool equal = (spins >> site & 1) == (spins >> lattice.neighbour(site, axis) & 1);
                energy -= lattice.coupling(site, axis) * (equal ? 1 : -1);
            }
        const double weight = std::exp(-k * (energy + 2 * n));
        z += weight;
        first += weight * energy;
        second += weight * energy * energy;
    }
    return {first / z / n, k * k * (second / z - first / z * first / z) / n};
}

TEST(ExactTorus, OfAntiperiodicAxesAgreesWithEnumeration) {
    for (const auto& [nx, ny] : {std::pair(4, 3), {3, 4}, {3, 3}, {2, 5}, {4, 2}}) {
        if (!large_cases && nx * ny > 10) continue;
        for (const double k : {0.2, critical, 0.6})
            for (const Antiperiodic axes : {Antiperiodic{true, false}, {false, true}, {true, true}, {false, false}}) {
                const auto x = static_cast<std::uint64_t>(nx), y = static_cast<std::uint64_t>(ny);
                const ExactTorus exact = exact_torus(x, y, k, axes), sum = enumerated({x, y}, k, axes);
                EXPECT_NEAR(exact.energy, sum.energy, 1e-11) << nx << " x " << ny << " " << axes.x << axes.y;
                EXPECT_NEAR(exact.specific_heat, sum.specific_heat, 1e-11) << nx << " x " << ny;
            }
    }
    EXPECT_TRUE(std::isnan(exact_torus(64, 64, 0.6, {false, true}).energy));  // 37 powers of e are lost
    const ExactTorus along = exact_torus(64, 48, critical, {false, true}),
                     across = exact_torus(48, 64, critical, {true, false});
    EXPECT_NEAR(along.energy, across.energy, 1e-11);
    EXPECT_NEAR(along.specific_heat, across.specific_heat, 1e-8);
}

TEST(ExactTorus, IsSmoothThroughTheCriticalPoint) {
    // the even sinh product changes sign there; its slope must not jump
    const ExactTorus at = exact_torus(64, 64, critical), before = exact_torus(64, 64, critical - 1e-7),
                     after = exact_torus(64, 64, critical + 1e-7);
    EXPECT_NEAR((before.energy + after.energy) / 2, at.energy, 1e-10);
    EXPECT_NEAR((before.specific_heat + after.specific_heat) / 2, at.specific_heat, 1e-9);
}

TEST(ExactTorus, HighAndLowTemperatureSeries) {
    EXPECT_NEAR(exact_torus(64, 64, 0.001).energy, -2 * std::tanh(0.001), 1e-8);
    EXPECT_NEAR(exact_torus(64, 64, 3).energy, -2 + 8 * std::exp(-24.0), 1e-13);
}

}  // namespace
}  // namespace strata::swendsen_wang
