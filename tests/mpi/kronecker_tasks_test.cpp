// SPDX-License-Identifier: BSD-3-Clause
// Kronecker jobs on the ranks of this run: memory against its prediction, and interrupted runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <cmath>

#include "kronecker/physics/make_target.hpp"
#include "kronecker/run/repeated_product.hpp"
#include "superblock/host_operator.hpp"
#include "support/kronecker_jobs.hpp"
#include "support/restarts.hpp"
#include "support/shared_file.hpp"
#include "support/world.hpp"

#if defined(__SANITIZE_ADDRESS__)
/// Function of the sanitizer library, for which the compiler has no header.
extern "C" std::size_t __sanitizer_get_current_allocated_bytes();
#endif

namespace strata::kronecker {
namespace {

using namespace superblock;

std::uint64_t heap_bytes() {
#if defined(__SANITIZE_ADDRESS__)  // whose heap malloc's own counters do not know
    return __sanitizer_get_current_allocated_bytes();
#else
    const auto info = mallinfo2();
    return info.uordblks + info.hblkhd;
#endif
}

/// Compares the predicted memory with the growth of the heap; buffers are smaller than huge pages here.
template <class Real>
void check_memory(const Target& target, const HostOptions& options, int threads) {
    const RandomOperators operators(target, 1);
    Timers timers;
    const MultiplyPlan plan(target, Partition::columns, world().size(), world().rank(), threads);
    const std::uint64_t before = heap_bytes(), vectors = 4;
    HostOperator<Real> op(world(), plan, operators, options, timers);
    op.allocate();
    op.space().reserve_basis(vectors);
    std::vector<DistributedVector> basis;
    for (std::uint64_t i = 0; i < vectors; ++i) basis.push_back(op.space().vector());
    const auto taken = static_cast<double>(heap_bytes() - before);
    MemoryPrediction predicted = plan.multiply_memory<Real>(world().rank(), world().size() == 1);
    predicted.add(plan.vector_memory<Real>(world().rank(), vectors));
    EXPECT_NEAR(static_cast<double>(predicted.host_bytes()), taken,
                0.02 * taken + 100e3);  // tables of blocks and tasks
    EXPECT_EQ(op.memory(vectors).host_bytes(), predicted.host_bytes());
}

TEST(KroneckerMemory, IsPredicted) {
    const KroneckerConfig c = kronecker_job("[model]\nsites = 12\nsaved-states = 100\noperators = 5\n");
    const Target target = make_target(c);
    for (const int threads : {1, 2}) {
        check_memory<double>(target, {.sharing = Sharing::none}, threads);
        check_memory<float>(target, {.sharing = Sharing::none}, threads);
    }
}

std::unique_ptr<RepeatedProduct> products_on(const Communicator& comm, const std::string& job, int threads = 1) {
    const KroneckerConfig c = kronecker_job(job);
    const KroneckerPlan plan(c, comm.size(), comm.rank(), threads);
    return std::make_unique<RepeatedProduct>(comm, plan, host_operators({.simd = c.simd, .seed = c.seed}));
}

const std::string small_model = "[model]\nsites = 8\nsaved-states = 16\noperators = 3\n";

/// The processor time of the busiest rank over the mean, reported if there are several ranks.
TEST(KroneckerJobs, TimeTheirImbalance) {
    const auto task = products_on(world(), "[model]\nsites = 16\nsaved-states = 100\n[run]\nrepeats = 5\n");
    run_whole(*task);
    const std::vector<Figure> figures = task->performance(5, 1);
    const auto imbalance = std::ranges::find(figures, "imbalance", &Figure::name);
    ASSERT_EQ(imbalance != figures.end(), world().size() > 1);
    if (world().size() == 1) return;
    EXPECT_GE(imbalance->value, 1);
    EXPECT_LT(imbalance->value, world().size());
}

void expect_resumed(const std::string& job, std::uint64_t step) {
    SCOPED_TRACE(testing::Message() << "after step " << step << "\n" << job);
    const Communicator self = Communicator::alone();
    const auto whole = products_on(self, job);
    const Series all = run_whole(*whole);
    const std::string hash = io::state_hash(self, whole->state());
    const SharedFile file;
    interrupt(world(), *products_on(world(), job, 2), step, file.path());
    for (const Communicator* comm : {&self, &world()}) {
        const auto rest = products_on(*comm, job);
        restore(*comm, *rest, file.path());
        const Series series = run_steps(*rest, step);
        ASSERT_LE(series.values().size(), all.values().size());
        EXPECT_TRUE(std::ranges::equal(series.values(), all.values().last(series.values().size())));
        EXPECT_EQ(io::state_hash(*comm, rest->state()), hash);
    }
}

TEST(KroneckerJobs, AreTakenUpAgainOnOtherRanks) {
    for (const std::uint64_t step : {1U, 2U}) expect_resumed(small_model + "[run]\nrepeats = 3\n", step);
}

/// A run whose checksum differs from that of the first product fails.
TEST(KroneckerJobs, RefuseAChecksumThatChanged) {
    const auto task = products_on(world(), small_model + "[run]\nrepeats = 3\n");
    task->allocate();
    task->initialise();
    task->step(0);
    std::vector<double> row;
    task->observe(row);
    EXPECT_EQ(task->broken_invariant(row), "");
    row[0] = std::nextafter(row[0], 100);
    EXPECT_THAT(task->broken_invariant(row), testing::HasSubstr("differs"));
}

}  // namespace
}  // namespace strata::kronecker
