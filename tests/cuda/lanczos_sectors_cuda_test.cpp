// SPDX-License-Identifier: BSD-3-Clause
// Sectors of lattice symmetries on devices, over the ranks of this run: all energies against the dense spectrum, H x
// and projections against the CPU's, groups so large that rows are transposed a few at a time, and runs that go on on
// the other backend.
#include <gtest/gtest.h>

#include "cuda/lanczos_device.hpp"
#include "cuda/schedule.hpp"
#include "lanczos/physics/make_model.hpp"
#include "lanczos/run/evolution.hpp"
#include "lanczos/run/ground_state.hpp"
#include "lanczos/run/sector_search.hpp"
#include "lanczos/run/spectrum.hpp"
#include "lanczos/run/thermal.hpp"
#include "support/restarts.hpp"
#include "support/sector_energies.hpp"

namespace strata::lanczos {
namespace {

class SectorsCuda : public testing::Test {
  protected:
    void SetUp() override { next_schedule(); }
};

TEST_F(SectorsCuda, MultiplyIsThatOfTheCpu) {
    for (const LanczosConfig& c : translated_systems())
        for (const auto& m : make_model(c).lattice.momenta()) expect_multiply_of_cpu(with_momentum(c, m));
    for (const Parity parity : {Parity::even, Parity::odd}) {
        expect_multiply_of_cpu(with_momentum(config("ring", {6}, 3, 3, 4), {3}, parity));
        expect_multiply_of_cpu(with_momentum(config("square", {4, 2}, 4, 3, 4), {0, 0}, parity));
    }
    for (const auto& [c, rotation] : {std::pair{config("square", {3, 3}, 4, 2, 4), Rotation{1, 4}},
                                      {config("square", {3, 3}, 4, 2, 4), {2, 4}},
                                      {config("honeycomb", {2, 2}, 2, 3, 4), {3, 6}},
                                      {config("square", {4, 4}, 3, 2, 4), {0, 4}}})
        for (const Parity reflection : {Parity::any, Parity::odd}) {
            if (rotation.number % 2 == 1 && rotation.order == 4 && reflection != Parity::any) continue;
            LanczosConfig one = with_momentum(c, {0, 0});
            one.symmetry.rotation = rotation;
            one.symmetry.reflection = reflection;
            expect_multiply_of_cpu(one);
        }
    for (const std::int64_t m : {5, 6})  // 80 rows: ghost rows between ranks
        expect_multiply_of_cpu(with_momentum(config("ring", {12}, 6, 2, 4), {m}));
}

/// A row is one number; a thread computes each of its reals.
TEST_F(SectorsCuda, MultiplyIsThatOfTheCpuForOneSpinComponent) {
    for (const LanczosConfig& c : {spins("ring", {8}, 4), single("ring", {7}, 2, -1.3), spins("triangular", {3, 3}, 4),
                                   with_flux(single("ring", {6}, 4, 1), {1.1}), single("checkerboard", {2, 2}, 3, 0.5)})
        for (const auto& m : make_model(c).lattice.momenta()) expect_multiply_of_cpu(with_momentum(c, m));
    LanczosConfig inverted = with_momentum(spins("ring", {8}, 4), {4});
    for (const Parity sign : {Parity::even, Parity::odd}) {
        inverted.symmetry.spin_inversion = sign;
        expect_multiply_of_cpu(inverted);
    }
}

/// Exchanges of particles and holes whose bit strings of one spin have no signs of their own.
TEST_F(SectorsCuda, MultiplyIsThatOfTheCpuForParticlesAndHoles) {
    for (LanczosConfig c : {with_momentum(config("ring", {6}, 3, 3, 4), {1}), config("chain", {6}, 3, 3, 4),
                            with_momentum(config("square", {4, 2}, 4, 4, 4), {1, 0}), single("ring", {8}, 4, 0.7)})
        for (const Parity sign : {Parity::even, Parity::odd}) {
            c.symmetry.particle_hole = sign;
            expect_multiply_of_cpu(c);
        }
}

/// Groups of 22 to 128 elements: panels that are no multiple of a warp, and too wide for 16 rows in shared memory.
TEST_F(SectorsCuda, LargeGroupsTransposeAFewRowsAtATime) {
    for (const std::int64_t sites : {22, 37, 64})
        for (const auto& [m, parity] : {std::pair{0, Parity::odd}, {0, Parity::any}, {1, Parity::any}})
            expect_multiply_of_cpu(with_momentum(config("ring", {sites}, sites < 64 ? 2 : 1, 1, 4), {m}, parity));
}

// Interaction energies of 60 sites and 16 rows of 30 images are more than the 48 KiB of a block that need no permission.
TEST_F(SectorsCuda, ManySitesTakeMoreSharedMemory) {
    expect_multiply_of_cpu(with_momentum(config("honeycomb", {6, 5}, 1, 1, 4), {0, 0}));
}

TEST_F(SectorsCuda, OfAllMomentaHaveTheWholeSpectrum) {
    std::vector<LanczosConfig> systems = translated_systems();
    systems.push_back(with_flux(config("ring", {5}, 1, 2, 4), {0.9}));
    systems.push_back(spins("ring", {7}, 3));
    systems.push_back(with_flux(single("ring", {6}, 3, 0.7), {0.4}));
    for (const LanczosConfig& c : systems) {
        if (DenseSector(c).size() > 60) continue;  // minutes in the emulation
        std::vector<double> found;
        for (const auto& m : make_model(c).lattice.momenta())
            append(found, energies_of(with_momentum(c, m), on_device()));
        expect_spectrum(found, c);
    }
}

/// Half of the fillings here lose their sector within 30 steps if the next Lanczos vector is not projected.
TEST_F(SectorsCuda, AreNotLeftInHundredsOfSteps) {
    for (const auto& [up, down, m] : {std::tuple{3, 2, 0}, {2, 3, 3}, {4, 2, 0}, {3, 3, 2}}) {
        LanczosConfig c = with_momentum(config("ring", {6}, up, down, 4), {m});
        const double exact = energies_of(c)[0];
        const LanczosPlan of_sector = plan(c);
        Timers timers;
        const auto op = on_device()(of_sector, timers);
        op->allocate();
        EXPECT_GT(lowest_energy(*op, 300), exact - 1e-9) << up << "+" << down;
    }
}

/// An orthogonalisation that leaves nothing but rounding leaves a vector of the sector: the next Lanczos vector, which
/// is projected, is the same one.
TEST_F(SectorsCuda, OrthogonalisationLeavesVectorsOfTheSector) {
    for (const MakeHamiltonian& make : {on_cpu(), on_device()}) {
        const LanczosPlan of_sector = plan(with_momentum(config("ring", {6}, 3, 2, 4), {0}));
        Timers timers;
        const auto op = make(of_sector, timers);
        op->allocate();
        op->space().reserve_basis(2);
        std::vector<DistributedVector> basis;
        for (std::size_t i = 0; i < 2; ++i) {
            DistributedVector& x = basis.emplace_back(op->space().vector());
            op->draw(x, i);
            op->space().orthogonalise(basis, i, x);
            op->space().axpby(1 / op->space().norm(x), x, 0, x, x);
        }
        DistributedVector x = op->space().vector();
        op->space().axpby(0.6, basis[0], 0.8, basis[1], x);
        op->space().orthogonalise(basis, 2, x);
        const double norm = op->space().norm(x);
        ASSERT_GT(norm, 0);
        ASSERT_LT(norm, 1e-14);
        op->space().axpby(1 / norm, x, 0, x, x);
        op->apply(x);
        EXPECT_LT(op->space().axpby_norm(1, op->v(), -1, x, nullptr), 1e-20) << op->name();
    }
}

TEST_F(SectorsCuda, RunsAreThoseOfTheCpu) {
    LanczosConfig c = with_momentum(config("square", {2, 2}, 2, 1, 4), {0, 0});
    c.density_matrix = true;
    expect_like_cpu<GroundState>(
        c, {"energy", "degeneracy", "double-occupancy", "density-correlation", "momentum-distribution"});
    c = with_momentum(with_flux(config("ring", {5}, 3, 2, 4), {0.7}), {2});
    c.states = 3;
    expect_like_cpu<LowestStates>(c, {"energies", "double-occupancy"});
    c = with_momentum(config("ring", {6}, 3, 3, 4), {0}, Parity::even);
    expect_like_cpu<GroundState>(c, {"energy", "degeneracy", "spin-correlation"});
}

TEST_F(SectorsCuda, OfSinglePrecisionHaveTheSameEnergies) {
    for (const std::int64_t m : {0, 1}) {
        LanczosConfig c = with_momentum(config("ring", {6}, 3, 2, 4), {m});
        const double exact = energies_of(c)[0];
        c.precision = krylov::Precision::single;
        c.tolerance = 1e-5;
        GroundState system(plan(c), on_device());
        EXPECT_NEAR(values(system, run(system), "energy")[0], exact, 1e-5);
    }
}

TEST_F(SectorsCuda, AreSearchedForTheGroundState) {
    for (const Momenta momenta : {Momenta::all, Momenta::automatic}) {
        LanczosConfig c = config("ring", {8}, 4, 4, 4);
        c.symmetry.momenta = momenta;
        SectorSearch system(c, world().size(), world().rank(), 1, on_device());
        EXPECT_FALSE(system.memory().device.empty());
        const Series series = run(system);
        EXPECT_NEAR(values(system, series, "energy")[0], -4.603526299989, 1e-11);  // Lieb and Wu
        SectorSearch here(c, world().size(), world().rank(), 1, on_cpu());
        expect_near(values(system, series, "momentum-energies"), values(here, run(here), "momentum-energies"), 1e-9,
                    "E(k)");
    }
}

TEST_F(SectorsCuda, HaveSpectraAveragesAndMotion) {
    LanczosConfig c = with_momentum(config("ring", {6}, 3, 3, 4), {0});
    c.task = Task::spectrum;
    c.spectrum.op = SpectralOperator::removal;
    c.spectrum.omega = {0.5, 1, 3};
    expect_like_cpu<Spectrum>(c, {"energy", "weight"});
    c.task = Task::thermal;
    c.thermal = {{0.5, 2}, 4, 20};
    expect_like_cpu<Thermal>(c, {"energy", "entropy"});
    c = with_momentum(config("ring", {6}, 3, 3, 4), {1});
    c.task = Task::evolution;
    c.arithmetic = RequestedArithmetic::complex;
    c.evolution = {{.up = {0, 1, 4}, .down = {1, 3, 5}}, 0.3, 4, 10};
    expect_like_cpu<Evolution>(c, {"energy", "norm", "loschmidt-echo", "double-occupancy"});
}

TEST_F(SectorsCuda, HaveTheSameBitsOnAnyRanks) {
    const Communicator self = Communicator::alone();
    for (const auto& c :
         {with_momentum(config("ring", {8}, 4, 3, 4), {0}), with_momentum(config("square", {3, 3}, 3, 3, 4), {1, 0})}) {
        GroundState together(plan(c), on_device()), alone(LanczosPlan(c, 1, 0, 1), on_device(self));
        const Series series = run(together), expected = run(alone);
        EXPECT_TRUE(std::ranges::equal(series.values(), expected.values()));
        for (const char* name : {"energy", "density-correlation"})
            EXPECT_EQ(values(together, series, name), values(alone, expected, name)) << name;
    }
}

/// Steps on one backend, then on the other.
TEST_F(SectorsCuda, RunsGoOnOnTheOtherBackend) {
    for (const auto& [c, exact] : {std::pair{with_momentum(config("ring", {8}, 4, 4, 4), {4}), -4.603526299989},
                                   {with_momentum(config("ring", {6}, 3, 2, 4), {1}), 0.0}}) {
        const double energy = exact != 0 ? exact : energies_of(c)[0];
        for (const bool first_on_device : {true, false}) {
            GroundState there(plan(c), on_device()), here(plan(c), on_cpu());
            GroundState& second = first_on_device ? here : there;
            hand_over(first_on_device ? there : here, second, 7);
            const Series series = run_steps(second, 7);
            EXPECT_EQ(second.shortfall(), "");
            EXPECT_NEAR(values(second, series, "energy")[0], energy, 1e-10);
        }
    }
}

}  // namespace
}  // namespace strata::lanczos
