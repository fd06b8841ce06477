// SPDX-License-Identifier: BSD-3-Clause
// What a search for several states proves about levels, and says where it has proved nothing yet, on a dense matrix whose
// eigenvalues are known.
#include <gtest/gtest.h>

#include "krylov/lowest_states_report.hpp"
#include "support/dense_operator.hpp"
#include "support/world.hpp"

namespace strata::krylov {
namespace {

constexpr std::size_t ring_sites = 40;

/// Hops along a ring: eigenvalues -2 cos k, each twice but for the ends. The lowest one is lifted above the pair next
/// to it, which is the ground level.
Complex ring_of_pairs(std::size_t i, std::size_t j) {
    const std::size_t distance = i > j ? i - j : j - i;
    return (distance == 1 || distance == ring_sites - 1 ? -1.0 : 0.0) + 0.5 / static_cast<double>(ring_sites);
}

/// A degenerate level that a loose tolerance leaves mixed with others by its true residuals is not called single.
TEST(Krylov, LevelsOfLooseTolerancesAreNotCalledSingle) {
    int resolved = 0;
    for (std::size_t states : {2, 3})
        for (double tolerance : {1e-3, 1e-4, 1e-7})
            for (std::uint64_t seed = 0; seed < 5; ++seed) {
                DenseOperator op(world(), ring_sites, ring_of_pairs, seed);
                Timers timers;
                LowestStatesSolver solver(
                    op, {.n_states = states, .max_basis = 12, .max_steps = 2000, .tolerance = tolerance}, timers);
                op.allocate();
                solver.allocate();
                solver.initialise();
                while (solver.steps() < solver.search_steps()) solver.step();
                ASSERT_TRUE(solver.found());
                for (std::size_t i = 0; i < states; ++i) solver.examine(i);
                if (solver.unresolved()) continue;
                EXPECT_EQ(solver.multiplicity(), 2) << states << " states, " << tolerance << ", seed " << seed;
                ++resolved;
            }
    EXPECT_GE(resolved, 10);
}

/// The sentence on a search that has not ended does not blame residuals that are small enough.
TEST(Krylov, UnfinishedSearchesNameWhatIsMissing) {
    DenseOperator op(world(), ring_sites, ring_of_pairs);
    Timers timers;
    LowestStatesSolver solver(op, {.n_states = 4, .max_basis = 14, .max_steps = 2000, .tolerance = 1e-8}, timers);
    op.allocate();
    solver.allocate();
    solver.initialise();
    int of_residuals = 0, of_states = 0;
    while (solver.step(), !solver.found()) {
        const std::string sentence = search_shortfall(solver, "run.max-steps", Precision::double_);
        const bool small = solver.max_residual() <= 0.5 * solver.tolerance();
        EXPECT_EQ(sentence.find("not all of the 4 states have converged") == std::string::npos, small) << sentence;
        EXPECT_EQ(sentence.find("it is not proved that no other state") != std::string::npos, small) << sentence;
        ++(small ? of_states : of_residuals);
    }
    EXPECT_GT(of_residuals, 0);
    EXPECT_GT(of_states, 0);
}

}  // namespace
}  // namespace strata::krylov
