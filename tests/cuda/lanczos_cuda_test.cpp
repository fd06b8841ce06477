// SPDX-License-Identifier: BSD-3-Clause
// Lanczos on devices: H x against plain operators, over the ranks of this run and both routes, and whole runs against
// the CPU's, to rounding.
#include <gtest/gtest.h>

#include "cuda/lanczos_device.hpp"
#include "cuda/schedule.hpp"
#include "kernels/lanczos/device_step.hpp"
#include "lanczos/run/evolution.hpp"
#include "lanczos/run/ground_state.hpp"
#include "lanczos/run/lowest_states.hpp"
#include "lanczos/run/spectrum.hpp"
#include "support/plain_multiply.hpp"
#include "support/restarts.hpp"
#include "support/spin_model.hpp"

namespace strata::lanczos {
namespace {

class LanczosCuda : public testing::Test {
  protected:
    void SetUp() override { next_schedule(); }

    static void compare(LanczosConfig c, DeviceRoute route = DeviceRoute::staged) {
        const DeviceBinding binding = test_device(route);
        const PlainProduct plain = plain_product(c);
        expect_plain_multiply(c, &binding, plain);
        c.precision = Precision::single;
        expect_plain_multiply(c, &binding, plain);
    }
};

TEST_F(LanczosCuda, MultiplyIsThePlainOperatorsForTwoSpecies) {
    for (LanczosConfig c : lattices()) {
        const int sites = make_lattice(c.lattice).sites;
        for (const auto& [up, down] : {std::pair(0, 0), {sites / 2, sites / 2}, {sites - 1, 1}}) {
            c.up = up;
            c.down = down;
            c.lattice.flux = {};
            compare(c);
            c.lattice.flux = some_flux(c);
            compare(c);
        }
    }
}

TEST_F(LanczosCuda, MultiplyIsThePlainOperatorsForOneSpeciesAndForSpins) {
    std::vector<LanczosConfig> all = lattices();
    all.push_back(lattice_config("kagome", {2, 2}));
    for (LanczosConfig c : all) {
        c.model = ModelType::fermions;
        c.up = make_lattice(c.lattice).sites / 2;
        for (bool spins : {false, true}) {
            if (spins) set_spins(c);
            c.lattice.flux = {};
            compare(c);
            c.lattice.flux = some_flux(c);
            compare(c);
        }
    }
}

TEST_F(LanczosCuda, DeviceMemoryHandedToMpi) {
    if (!mpi_reads_device_memory()) GTEST_SKIP() << "this MPI does not read device memory";
    LanczosConfig c = lattice_config("square", {3, 2});
    c.up = c.down = 3;
    compare(c, DeviceRoute::direct);
    c.model = ModelType::fermions;
    compare(c, DeviceRoute::direct);
}

TEST_F(LanczosCuda, RunsAreThoseOfTheCpu) {
    LanczosConfig c = config("ring", {6}, 3, 3, 4);
    expect_like_cpu<GroundState>(c, {"energy", "double-occupancy", "density-correlation"});
    c = single("checkerboard", {2, 2}, 4, 1);
    c.states = 2;
    c.tolerance = 1e-6;
    c.max_steps = 2000;
    expect_like_cpu<LowestStates>(c, {"energies"});
    c = config("ring", {6}, 3, 3, 4);
    c.task = Task::spectrum;
    c.spectrum.op = SpectralOperator::removal;
    c.spectrum.momenta = {1};
    c.spectrum.omega = {0.5, 1};
    c.spectrum.steps = 12;
    expect_like_cpu<Spectrum>(c, {"energy", "weight"});
    c = config("chain", {6}, 3, 2, 2);
    c.task = Task::evolution;
    c.arithmetic = RequestedArithmetic::complex;
    c.evolution = {{.up = {0, 2, 4}, .down = {1, 3}}, 0.3, 1, 10};
    expect_like_cpu<Evolution>(c, {"energy", "loschmidt-echo"});
}

/// Vectors travel through state() and back.
template <class Real>
void expect_drawn_bits(const StartVector& v, const BlockLayout& l) {
    const Queue<Cuda> queue;
    Buffer<Real, Cuda> there(l.size());
    Buffer<Real, Pinned> here(l.size());
    device_step_kernels<Real>().draw(queue, v, l, there.data());
    copy_to_host(queue, std::span<Real>(here), std::as_const(there).view());
    queue.wait();
    for (std::uint64_t i = 0; i < l.size(); ++i) {
        const std::uint64_t tile = i / l.tile(), row = i % l.tile() / l.panel;
        ASSERT_EQ(here[i], start_number_of_tile<Real>(v, l, tile / l.panels(), tile % l.panels(), row, i % l.panel))
            << i;
    }
}

TEST_F(LanczosCuda, StartVectorsHaveTheBitsOfTheHost) {
    for (const BlockLayout& l :
         {BlockLayout{40, 50, Arithmetic::real, {0, 3}}, BlockLayout{40, 9, Arithmetic::complex, {1, 3}},
          BlockLayout{17, 30, Arithmetic::real, {0, 2}, 72}})
        for (const Distribution distribution : {Distribution::uniform, Distribution::normal}) {
            expect_drawn_bits<double>({11, 2, 5, distribution}, l);
            expect_drawn_bits<float>({11, 2, 5, distribution}, l);
        }
}

TEST_F(LanczosCuda, StatesAreTakenUpAgain) {
    const LanczosConfig c = config("ring", {8}, 4, 4, 4);
    const LanczosPlan plan(c, world().size(), world().rank(), 1);
    GroundState first(plan, on_device()), second(plan, on_device());
    hand_over(first, second, 7);
    std::vector<double> a(4), b(4);
    for (std::uint64_t step = 7; step < 10; ++step)
        for (auto [system, row] : {std::pair(&first, &a), {&second, &b}}) {
            system->step(step);
            row->clear();
            system->observe(*row);
        }
    EXPECT_EQ(a, b);
}

}  // namespace
}  // namespace strata::lanczos
