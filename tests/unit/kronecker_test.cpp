// SPDX-License-Identifier: BSD-3-Clause
// Patches of the published sizes, partitions against their definitions, memory by counting, and errors of wrong jobs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <thread>

#include "kernels/kronecker/block_product.hpp"
#include "kronecker/physics/random_operators.hpp"
#include "kronecker/run/plan.hpp"
#include "superblock/task_ranges.hpp"
#include "support/kronecker_jobs.hpp"
#include "support/kronecker_targets.hpp"

namespace strata::kronecker {
namespace {

using namespace superblock;

using testing::HasSubstr;

Target synthetic(int sites, std::uint64_t saved, double width, Rule rule = Rule::axis, std::uint64_t operators = 1) {
    Target target{PatchLayout(synthetic_patches({sites, sites / 2, sites / 2, saved, width})), {}};
    target.terms = terms_of_rule(target.layout.patches(), rule, operators);
    return target;
}

std::size_t blocks(const Target& target) {
    std::size_t count = 0;
    for (const Term& t : target.terms) count += t.diagonal() ? 1 : 2;
    return count;
}

double gigaflops(const Target& target) { return 1e-9 * MultiplyPlan(target, Partition::columns, 1, 0, 1).flops(); }

/// Sizes and operations of the model with equal probabilities, computed once by an independent program.
TEST(KroneckerPatches, AreThoseOfThePublishedModel) {
    struct Known {
        int sites;
        std::uint64_t saved;
        std::size_t patches, blocks;
        std::uint64_t l, r, elements;
        double axis, moore;
    };
    for (const Known& k :
         {Known{64, 500, 145, 673, 39, 10, 9786, 0.003, 0.006}, Known{64, 1000, 185, 865, 78, 20, 39100, 0.025, 0.043},
          Known{64, 2000, 221, 1037, 157, 39, 158819, 0.20, 0.35},
          Known{144, 4000, 481, 2305, 140, 35, 282616, 0.33, 0.58},
          Known{144, 10000, 585, 2817, 351, 88, 1764236, 5.10, 9.09},
          Known{144, 11000, 593, 2857, 386, 97, 2133242, 6.78, 12.1}}) {
        const Target axis = synthetic(k.sites, k.saved, 1);
        EXPECT_EQ(axis.layout.size(), k.patches);
        EXPECT_EQ(blocks(axis), k.blocks);
        EXPECT_EQ(axis.layout.elements(), k.elements);
        PatchShape largest;
        for (const Patch& patch : axis.layout.patches())
            largest = {std::max(largest.r, patch.shape.r), std::max(largest.l, patch.shape.l)};
        EXPECT_EQ(largest, (PatchShape{k.r, k.l}));
        EXPECT_NEAR(gigaflops(axis), k.axis, 0.006);
        EXPECT_NEAR(gigaflops(synthetic(k.sites, k.saved, 1, Rule::moore)), k.moore, 0.05);
    }
}

/// A smaller width keeps the number of states but gives fewer and larger patches.
TEST(KroneckerPatches, NarrowWithTheirWidth) {
    const Target wide = synthetic(64, 2000, 1), narrow = synthetic(64, 2000, 0.05);
    EXPECT_LT(narrow.layout.size(), 30U);
    EXPECT_NEAR(static_cast<double>(narrow.layout.columns()), 8000, 100);
    EXPECT_NEAR(static_cast<double>(wide.layout.columns()), 8000, 100);
    // away from half filling, patches lie around the filling of the target
    for (const Patch& patch : synthetic_patches({40, 10, 10, 500, 0.02})) {
        EXPECT_NEAR(patch.up, 5, 3);
        EXPECT_NEAR(patch.down, 5, 3);
    }
}

TEST(KroneckerPatches, ReachTheEdgeOfTheTarget) {
    // all sites full: one patch, all of both blocks
    const std::vector<Patch> full = synthetic_patches({2, 2, 2, 8, 1});
    ASSERT_EQ(full.size(), 1U);
    EXPECT_EQ(full[0].up, 1);
    EXPECT_EQ(full[0].shape, (PatchShape{2, 8}));  // 8 / 4 and 32 / 4
    EXPECT_TRUE(synthetic_patches({64, 0, 0, 1000, 1}).empty());
    // an odd number of sites: the right block has one more
    for (const Patch& patch : synthetic_patches({7, 4, 3, 20, 1})) {
        EXPECT_LE(patch.up, 3);
        EXPECT_GE(patch.up, 0);
        EXPECT_LE(4 - patch.up, 4);
    }
}

TEST(KroneckerPatches, NumberColumnsAndElements) {
    const PatchLayout layout({{0, 0, {3, 2}}, {0, 1, {1, 4}}, {1, 0, {5, 1}}});
    EXPECT_EQ(layout.columns(), 7U);
    EXPECT_EQ(layout.elements(), 15U);
    EXPECT_EQ(layout.columns_of(1), (Range{2, 6}));
    EXPECT_EQ(layout.elements_of(2), (Range{10, 15}));
    const std::vector<std::uint64_t> first = {0, 3, 6, 7, 8, 9, 10, 15};
    for (std::uint64_t c = 0; c <= 7; ++c) EXPECT_EQ(layout.element_of(c), first[c]);
    EXPECT_EQ(layout.patch_of(5), 1U);
    EXPECT_EQ(layout.patch_of(6), 2U);
    EXPECT_EQ(layout.part_of(1, {3, 5}), (Range{1, 3}));
    EXPECT_TRUE(layout.part_of(0, {3, 5}).empty());
    EXPECT_EQ(layout.part_of(2, {3, 7}), (Range{0, 1}));
}

/// Random partitions: ranges without gaps, whole patches unless they are cut, work balanced to a column.
TEST(KroneckerPartitions, AreEvenAndComplete) {
    for (unsigned seed = 1; seed <= 30; ++seed) {
        const Target target = random_target(seed, 1 + seed % 8, 15, 3);
        const std::vector<std::uint64_t> flops = flops_of_columns(target);
        std::uint64_t total = 0, largest = 0;
        for (std::size_t i = 0; i < flops.size(); ++i) {
            total += flops[i] * target.layout[i].l;
            largest = std::max(largest, flops[i]);
        }
        for (int ranks : {1, 2, 3, 7}) {
            const ColumnPartition columns(target.layout, flops, Partition::columns, ranks);
            const ColumnPartition rows(target.layout, flops, Partition::rows, ranks);
            std::uint64_t at = 0, in_rows = 0;
            for (int rank = 0; rank < ranks; ++rank) {
                EXPECT_EQ(columns.columns(rank).first, at);
                at = columns.columns(rank).last;
                std::uint64_t work = 0;
                for (std::size_t i = 0; i < flops.size(); ++i) {
                    work += flops[i] * target.layout.part_of(i, columns.columns(rank)).size();
                    const std::uint64_t part = target.layout.part_of(i, rows.columns(rank)).size();
                    EXPECT_TRUE(part == 0 || part == target.layout[i].l);
                }
                EXPECT_LE(work, total / static_cast<std::uint64_t>(ranks) + largest + 1);
                EXPECT_EQ(rows.columns(rank).first, in_rows);
                in_rows = rows.columns(rank).last;
            }
            EXPECT_EQ(at, target.layout.columns());
            EXPECT_EQ(in_rows, target.layout.columns());
        }
    }
}

/// Columns balance to 1 percent on 2 to 32 ranks for the relevant sizes, where rows cannot.
TEST(KroneckerPartitions, BalanceByColumns) {
    for (const double width : {1.0, 0.05})
        for (const auto& [sites, saved] : {std::pair(64, 2000), std::pair(144, 4000)}) {
            const Target target = synthetic(sites, static_cast<std::uint64_t>(saved), width);
            for (const int ranks : {2, 4, 8, 16, 32})
                EXPECT_LT(cost_of(target, choose_partition(target, Partition::columns, ranks)).imbalance, 1.01);
        }
    const Target narrow = synthetic(64, 1000, 0.05);
    EXPECT_EQ(choose_partition(narrow, Partition::automatic, 8).kind(), Partition::columns);
    EXPECT_EQ(choose_partition(narrow, Partition::automatic, 1).kind(), Partition::rows);
}

/// The model of costs counts rows of A besides operations; identities are not read.
TEST(KroneckerPartitions, CountWhatRowsOfOperatorsCost) {
    Target target{PatchLayout({{0, 0, {2, 3}}, {1, 0, {5, 7}}}), {{0, 1, 6}}};
    EXPECT_EQ(flops_of_columns(target), (std::vector<std::uint64_t>{2 * 6 * 5 * (7 + 2), 2 * 6 * 2 * (3 + 5)}));
    EXPECT_EQ(costs_of_columns(target),
              (std::vector<std::uint64_t>{2 * 6 * (5 * (7 + 2) + 4 * 7 + 64), 2 * 6 * (2 * (3 + 5) + 4 * 3 + 64)}));
    target.terms = {{0, 0, 1, Factor::identity, Factor::dense}};
    EXPECT_EQ(costs_of_columns(target), flops_of_columns(target));
}

/// A job with more operations than 64-bit integers can count.
TEST(KroneckerPartitions, AreEvenForTheLargestJobs) {
    const Target target = synthetic(64, max_saved_states, 0.05, Rule::moore, 1024);
    EXPECT_GT(MultiplyPlan(target, Partition::columns, 1, 0, 1).flops(), 1.9e19);
    EXPECT_LT(cost_of(target, choose_partition(target, Partition::columns, 16)).imbalance, 1.0001);
    const double rows = cost_of(target, choose_partition(target, Partition::rows, 4)).imbalance;
    EXPECT_GT(rows, 1.2);
    EXPECT_LE(rows, 4);
}

/// Every column of every block is multiplied on exactly one rank, in one of the two directions.
TEST(KroneckerBlocks, CoverTheTarget) {
    for (unsigned seed = 1; seed <= 10; ++seed) {
        const Target target = random_target(seed, 6, 9, 4);
        const std::vector<std::uint64_t> flops = flops_of_columns(target);
        for (const int ranks : {1, 2, 5}) {
            const ColumnPartition partition(target.layout, flops, Partition::columns, ranks);
            std::vector<std::uint64_t> there(target.terms.size()), back(target.terms.size());
            double done = 0;
            for (int rank = 0; rank < ranks; ++rank)
                for (const RankBlock<double>& b : rank_blocks<double>(target, partition.columns(rank))) {
                    const bool listed = b.orientation == Orientation::as_listed;
                    (listed ? there : back)[b.term] += b.forward.size();
                    (listed ? back : there)[b.term] += b.backward.size();
                    done += b.flops();
                }
            for (std::size_t t = 0; t < target.terms.size(); ++t) {
                EXPECT_EQ(there[t], target.layout[target.terms[t].i].l);
                EXPECT_EQ(back[t], target.terms[t].diagonal() ? 0 : target.layout[target.terms[t].j].l);
            }
            EXPECT_EQ(done, MultiplyPlan(target, Partition::columns, 1, 0, 1).flops());
        }
    }
}

/// Forward products of a single operator are faster, so that a block that is stored once serves the larger direction
/// forward.
TEST(KroneckerBlocks, AreStoredForTheLargerDirection) {
    const Target target = synthetic(64, 500, 0.05, Rule::axis, 1);
    std::size_t transposed = 0;
    for (const RankBlock<double>& b : rank_blocks<double>(target, {0, target.layout.columns()})) {
        const BlockShape& shape = b.layout.shape();
        EXPECT_GE(shape.flops_forward(b.forward.size()), shape.flops_backward(b.backward.size()));
        if (b.orientation == Orientation::transposed) ++transposed;
    }
    EXPECT_GT(transposed, 0u);
}

/// On one rank a pair of blocks is stored once.
TEST(KroneckerBlocks, TakeLittleMoreThanHalfOfFullStorage) {
    for (const auto& [sites, saved] : {std::pair(64, 2000), std::pair(144, 4000)})
        for (const double width : {1.0, 0.05}) {
            const Target target = synthetic(sites, static_cast<std::uint64_t>(saved), width, Rule::axis, 8);
            const MultiplyPlan plan(target, Partition::columns, 1, 0, 1);
            std::uint64_t full = 0;  // operators A and B of all blocks without padding
            for (const Term& t : target.terms) {
                const PatchShape &i = target.layout[t.i], &j = target.layout[t.j];
                full += (t.diagonal() ? 1 : 2) * t.operators * (i.l * j.l + i.r * j.r) * sizeof(double);
            }
            EXPECT_LE(static_cast<double>(plan.pool_bytes<double>()), 0.72 * static_cast<double>(full)) << width;
        }
}

TEST(KroneckerTasksOfThreads, AreEachDoneOnce) {
    std::vector<std::uint64_t> costs(1000);
    std::iota(costs.begin(), costs.end(), std::uint64_t{1});
    const int threads = 3;
    TaskRanges ranges(costs, threads);
    for (int round = 0; round < 20; ++round) {
        ranges.restart();
        std::vector<std::vector<std::size_t>> done(threads);
        std::vector<std::thread> running;
        for (int thread = 0; thread < threads; ++thread)
            running.emplace_back([&, thread] {
                for (std::size_t task = 0; ranges.take(thread, task);)
                    done[static_cast<std::size_t>(thread)].push_back(task);
            });
        for (std::thread& thread : running) thread.join();
        std::vector<std::size_t> all;
        for (const auto& of_thread : done) all.insert(all.end(), of_thread.begin(), of_thread.end());
        std::ranges::sort(all);
        ASSERT_EQ(all.size(), costs.size());
        for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], i);
    }
}

/// Parts of random operators equal those of the whole operator; diagonal terms are symmetric; norms do not grow with M
/// or K.
TEST(KroneckerOperators, AreTheSameInAnyPart) {
    const Target target = synthetic(12, 60, 1, Rule::moore, 3);
    const RandomOperators random(target, 5);
    for (std::size_t term = 0; term < target.terms.size(); term += 7) {
        const Term& t = target.terms[term];
        const std::uint64_t rows = target.layout[t.i].l, columns = target.layout[t.j].l;
        std::vector<double> whole(rows * columns);
        random.left(term, 2, {{0, rows}, {0, columns}}, whole.data());
        for (std::uint64_t c = 0; c < columns; ++c)
            for (std::uint64_t a = 0; a < rows; ++a) {
                double one = 0;
                random.left(term, 2, {{a, a + 1}, {c, c + 1}}, &one);
                EXPECT_EQ(one, whole[c * rows + a]);
                EXPECT_TRUE(!t.diagonal() || whole[a * rows + c] == one);
            }
    }
}

std::string only_error(const std::string& text) {
    const ReadJob job = read_job(text);
    EXPECT_EQ(job.errors.size(), 1U) << text;
    return job.errors.empty() ? std::string() : job.errors[0];
}

TEST(KroneckerJobs, HaveSentencesForWhatIsWrong) {
    EXPECT_THAT(only_error("[model]\nsaved-states = 0\n"), HasSubstr("model.saved-states = 0"));
    EXPECT_THAT(only_error("[model]\noperators = 0\n"), HasSubstr("model.operators = 0"));
    EXPECT_THAT(only_error("[model]\nwidth = 1.5\n"), HasSubstr("model.width = 1.5"));
    EXPECT_THAT(only_error("[model]\nrule = star\n"), HasSubstr("moore"));
    EXPECT_THAT(only_error("[model]\nsites = 8\n[sector]\nup = 9\n"), HasSubstr("use at most that"));
    const std::string unreached = only_error("[model]\nsites = 64\n[sector]\nup = 0\ndown = 0\n");
    EXPECT_THAT(unreached, HasSubstr("No patch reaches the target sector.up = 0, sector.down = 0"));
    EXPECT_THAT(unreached, HasSubstr("half filling"));
    EXPECT_THAT(only_error("[model]\nsites = 10\nsaved-states = 3\n[sector]\nup = 1\ndown = 1\n"),
                HasSubstr("is enough"));
    EXPECT_THAT(only_error("[run]\nlanczos-steps = 5\n"), HasSubstr("run.lanczos-steps has left the program"));
    EXPECT_THAT(only_error("[backend]\ngemm = blas\n"),
                HasSubstr("backend.gemm has left the program; the benchmarks of perf/kronecker"));
}

TEST(KroneckerPlans, RefuseMoreRanksThanColumns) {
    const Target target = synthetic(4, 8, 1);
    EXPECT_NO_THROW(MultiplyPlan(target, Partition::columns, static_cast<int>(target.layout.columns()), 0, 1));
    EXPECT_THROW(MultiplyPlan(target, Partition::columns, static_cast<int>(target.layout.columns()) + 1, 0, 1), Error);
    EXPECT_THROW(MultiplyPlan(target, Partition::rows, static_cast<int>(target.layout.size()) + 1, 0, 1), Error);
}

TEST(KroneckerPlans, SayWhatAProductTakes) {
    const KroneckerPlan plan(kronecker_job("[model]\nsaved-states = 500\n"), 4, 0, 1);
    const auto lines = [](const std::vector<std::string>& some) {
        std::string all;
        for (const std::string& line : some) all += line + "\n";
        return all;
    };
    EXPECT_THAT(lines(plan.description()), HasSubstr("145 patches, 673 blocks"));
    const std::string traffic = lines(plan.traffic(BackendKind::cpu));
    for (const char* words : {"  2 ranks:", " 64 ranks:", "rows", "columns", "M = 4000: vector of"})
        EXPECT_THAT(traffic, HasSubstr(words));
}

}  // namespace
}  // namespace strata::kronecker
