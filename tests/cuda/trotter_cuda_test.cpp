// SPDX-License-Identifier: BSD-3-Clause
// Spin states on devices against those on the host, to rounding: all observables of short runs of random Hamiltonians,
// over the ranks of this run and both routes. Rows are made short, so that small systems have all kinds of tiles.
#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "cuda/schedule.hpp"
#include "strata/error.hpp"
#include "support/packed_state.hpp"
#include "support/trotter_jobs.hpp"
#include "support/world.hpp"
#include "trotter/run/factory.hpp"
#include "trotter/state/device_state.hpp"

namespace strata::trotter {
namespace {

/// Fields on all spins and couplings of all pairs, along all axes.
std::string random_terms(int spins, std::uint64_t seed) {
    std::mt19937_64 generator(seed);
    std::uniform_real_distribution<double> value(-1, 1);
    std::string terms;
    for (const char axis : {'x', 'y', 'z'})
        for (int k = 0; k < spins; ++k) {
            const std::string spin = std::string(" S") + axis + " ";
            terms += std::to_string(value(generator)) + spin + std::to_string(k) + "\n";
            for (int j = 0; j < k; ++j)
                terms += std::to_string(value(generator)) + spin + std::to_string(j) + spin + std::to_string(k) + "\n";
        }
    return terms;
}

const char* const product = "[state]\ninitial = product\ntheta = 0.3\nphi = 0.2\n";

const char* const own_operators =
    "hop = 0.5i S+ {i} S- {j}\nzz = 1 Sz {i} Sz {j}\nstring = 1+2i Sx 0 Z 1 Z 2 Z 3 Sy 7\nring = 1 S+ 0 S- 3 S+ 5 S- "
    "7\n";

/// With the entropy of a cut and own operators where the rows of a host, which the amplitudes are read in, are enough for four ranks.
TrotterConfig job(int spins, const std::string& more, const std::string& run = "") {
    return trotter_job(
        "[model]\nterms = " + written(random_terms(spins, static_cast<std::uint64_t>(spins))) + "\n" + more +
        "[run]\nstep = 0.07\nsteps = 4\nmeasure-every = 2\n" + run +
        "observables = sx, sy, sz, energy, loschmidt-echo, correlations-x, correlations-y, "
        "correlations-z, distribution, participation" +
        (spins >= 8 ? ", entropy\ncut = 0,3,6\n[observables]\nfile = " + written(own_operators) + "\n" : "\n"));
}

std::vector<double> run_steps(Trotter& system, std::uint64_t first, std::uint64_t last) {
    std::vector<double> rows;
    if (first == 0) system.observe(rows);
    for (std::uint64_t step = first; step < last; ++step) {
        system.step(step);
        if (system.observes(step)) system.observe(rows);
    }
    system.finish();
    return rows;
}

std::vector<double> run(Trotter& system) {
    system.allocate();
    system.initialise();
    return run_steps(system, 0, system.total_steps());
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b, Precision precision) {
    ASSERT_EQ(a.size(), b.size());
    const double tolerance = precision == Precision::single ? 2e-5 : 1e-12;
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], tolerance) << "number " << i;
}

class TrotterCuda : public testing::Test {
  protected:
    void SetUp() override {
        if (!std::has_single_bit(static_cast<unsigned>(world().size()))) GTEST_SKIP() << "no power of two ranks";
        next_schedule();
    }

    static TrotterPlan device_plan(const TrotterConfig& c, const PlanOptions& options = {}) {
        return {c, world().size(), world().rank(), 1, BackendKind::cuda, options};
    }

    /// A job in both precisions, on the devices of all ranks, and on the host and the device of one.
    static void compare(TrotterConfig c, const PlanOptions& options, DeviceRoute route = DeviceRoute::staged) {
        const DeviceBinding binding = test_device(route);
        const Communicator self = Communicator::alone();
        for (Precision precision : {Precision::double_, Precision::single}) {
            c.precision = precision;
            Trotter there(device_plan(c, options), device_state_maker(world(), binding));
            const std::vector<double> rows = run(there);
            if (!world().is_root()) continue;
            Trotter here(TrotterPlan(c, 1, 0, 1, BackendKind::cpu), host_state_maker(self));
            Trotter alone(TrotterPlan(c, 1, 0, 1, BackendKind::cuda, options), device_state_maker(self, binding));
            SCOPED_TRACE("rows of " + std::to_string(options.row_bits));
            expect_near(rows, run(here), precision);
            EXPECT_EQ(rows, run(alone));
        }
    }
};

TEST_F(TrotterCuda, ObservablesAreThoseOfTheHost) {
    for (int spins : {4, 7}) compare(job(spins, product), {spins / 2});
    compare(job(10, product), {8});
}

/// Tiles that are smaller than a row, and than the bits across rows.
TEST_F(TrotterCuda, SeveralLaunches) {
    compare(job(9, product), {6, 5});
    compare(job(8, product), {6, 4});
}

/// Pieces of one tile's low bits each: more of them than are under way.
TEST_F(TrotterCuda, SeveralPieces) {
    const TrotterConfig c = job(10, product);
    const TrotterPlan plan = device_plan(c, {8, 5, 1});
    EXPECT_EQ(plan.piece_blocks(), 8U);
    compare(c, {8, 5, 1});
}

TEST_F(TrotterCuda, EstimatesOfErrors) { compare(job(8, product, "estimate-error = yes\n"), {.row_bits = 5}); }

TEST_F(TrotterCuda, ChebyshevSeries) {
    compare(job(8, product, "method = chebyshev\ntolerance = 1e-4\n"), {.row_bits = 5});
}

/// Products of H that flip spins within tiles, rows and ranks, with echo; rows that are shorter and longer than the
/// tiles.
TEST_F(TrotterCuda, ProductsOfTheHamiltonian) {
    const std::string terms =
        "0.3 Sx 0 Sy 1\n0.4 X 1 Z 2 X 3\n0.7-0.2i S+ 0 S- 3 S+ 5 S- 7\n0.5 Sz 0 Sz 4 Sz 6 Sx 7\n0.2 Sz 5 Sz 6 Sz 7\n"
        "0.1 Sx 0 Sx 1 Sx 6 Sx 7 Sy 8\n0.3 Sy 9 Sz 8\n0.2 X 9 X 7 Z 0\n0.3 Sx 2 Sx 4\n0.1 Sz 2\n";
    for (const int row_bits : {3, 6, 10 - std::countr_zero(static_cast<unsigned>(world().size()))})
        compare(
            trotter_job("[model]\ntype = terms\nterms = " + written(terms) + "\n" + product +
                        "[run]\nmethod = chebyshev\ntolerance = 1e-4\nstep = 0.2\nsteps = 1\necho = yes\nobservables = "
                        "sx, sy, sz, energy, loschmidt-echo\n[echo]\nperturbation = 0.3 Sx 0 Sz 9\n"),
            {.row_bits = row_bits, .part_bytes = row_bits == 6 ? std::uint64_t{1} : 0});
}

TEST_F(TrotterCuda, FullRows) {
    const int rank_bits = std::countr_zero(static_cast<unsigned>(world().size()));
    for (int spins : {12 + rank_bits, 14}) {
        const TrotterConfig c = job(spins, product);
        const Communicator self = Communicator::alone();
        const DeviceBinding binding = test_device();
        Trotter there(device_plan(c), device_state_maker(world(), binding));
        Trotter here(TrotterPlan(c, 1, 0, 1, BackendKind::cpu), host_state_maker(self));
        expect_near(run(there), run(here), Precision::double_);
    }
}

TEST_F(TrotterCuda, StatesInFlight) {
    for (int spins : {6})
        for (const char* at_once : {"1", "2"})
            compare(
                job(spins, "[state]\ninitial = random\n", "samples = 2\nconcurrent = " + std::string(at_once) + "\n"),
                {3});
}

TEST_F(TrotterCuda, DeviceMemoryHandedToMpi) {
    if (!mpi_reads_device_memory()) GTEST_SKIP() << "this MPI does not read device memory";
    compare(job(9, product), {6, 5}, DeviceRoute::direct);
}

/// A checkpoint goes to the other backend at a measurement, and to the same one between two.
TEST_F(TrotterCuda, CheckpointsAreTakenUp) {
    const TrotterConfig c = job(10, product);
    const DeviceBinding binding = test_device();
    const TrotterPlan on_host(c, world().size(), world().rank(), 1, BackendKind::cpu), on_device = device_plan(c, {5});
    const MakeState host = host_state_maker(world()), cuda = device_state_maker(world(), binding);
    Trotter expected(on_host, host);
    const std::vector<double> all = run(expected);
    const auto resume = [&](Trotter&& from, Trotter&& to, std::uint64_t step) {
        for (Trotter* system : {&from, &to}) {
            system->allocate();
            system->initialise();
        }
        std::vector<double> rows = run_steps(from, 0, step);
        copy_state(from.state(), to.state());
        to.restored(step);
        const std::vector<double> more = run_steps(to, step, to.total_steps());
        rows.insert(rows.end(), more.begin(), more.end());
        return rows;
    };
    expect_near(resume({on_host, host}, {on_device, cuda}, 2), all, c.precision);
    expect_near(resume({on_device, cuda}, {on_host, host}, 2), all, c.precision);
    for (std::uint64_t step : {1, 2, 3})
        expect_near(resume({on_device, cuda}, {on_device, cuda}, step), all, c.precision);
    EXPECT_THROW(resume({on_host, host}, {on_device, cuda}, 1), Error);
}

}  // namespace
}  // namespace strata::trotter
