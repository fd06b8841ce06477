// SPDX-License-Identifier: BSD-3-Clause
// Collectives, exchanges in several messages, halos and errors, on the number of ranks of the test run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "comm/collectives.hpp"
#include "comm/halo.hpp"
#include "comm/placement.hpp"
#include "support/error_of.hpp"
#include "support/world.hpp"

namespace strata {
namespace {

/// Lowers the message limit during one test, so that data is sent in many messages.
class SmallMessages {
  public:
    explicit SmallMessages(std::size_t bytes) : before_(message_limit()) { set_message_limit(bytes); }
    ~SmallMessages() { set_message_limit(before_); }

  private:
    std::size_t before_;
};

std::uint64_t rank() { return static_cast<std::uint64_t>(world().rank()); }
std::uint64_t size() { return static_cast<std::uint64_t>(world().size()); }

TEST(Collectives, Reductions) {
    EXPECT_EQ(all_sum(world(), rank() + 1), size() * (size() + 1) / 2);
    EXPECT_EQ(all_max(world(), rank()), size() - 1);
    EXPECT_EQ(all_min(world(), rank() + 5), 5u);
    EXPECT_EQ(exclusive_sum(world(), rank() + 1), rank() * (rank() + 1) / 2);
    EXPECT_TRUE(same_on_all_ranks(world(), 17));
    EXPECT_EQ(same_on_all_ranks(world(), rank()), size() == 1);
    std::vector<std::uint64_t> sums = {1, rank()}, maxima = {rank(), 3};
    sum_to_root(world(), sums);
    max_to_root(world(), maxima);
    if (world().is_root()) {
        EXPECT_EQ(sums, (std::vector<std::uint64_t>{size(), size() * (size() - 1) / 2}));
        EXPECT_EQ(maxima, (std::vector<std::uint64_t>{size() - 1, 3}));
    }
}

TEST(Collectives, ExactSumsAreThoseOfOneRank) {
    std::vector<ExactSum> sums(3), expected(2);
    for (int i = 0; i < 400; ++i) {
        const double small = std::ldexp(1 + i, -20 - i % 70), signed_one = std::sin(i);
        expected[0].add(small);
        expected[1].add(signed_one);
        if (i % world().size() != world().rank()) continue;
        sums[0].add(small);
        sums[1].add(signed_one);
    }
    sums[2].add(world().rank() == world().size() - 1 ? std::nan("") : 1.0);
    all_sum(world(), sums);
    EXPECT_EQ(sums[0], expected[0]);
    EXPECT_EQ(sums[1], expected[1]);
    EXPECT_TRUE(sums[2].invalid());
}

class Pieces : public testing::TestWithParam<std::size_t> {};

TEST_P(Pieces, BroadcastGatherAndAllToAll) {
    const SmallMessages small(GetParam());
    std::string text = world().is_root() ? std::string(1000, 'x') + "end" : "";
    broadcast(world(), text);
    EXPECT_EQ(text.substr(998), "xxend");

    std::vector<int> mine(rank() * 100);  // rank 0 has none
    std::iota(mine.begin(), mine.end(), world().rank() * 1000);
    const std::vector<int> all = gather(world(), std::span<const int>(mine));
    if (world().is_root()) {
        std::vector<int> expected;
        for (int r = 0; r < world().size(); ++r)
            for (int i = 0; i < r * 100; ++i) expected.push_back(r * 1000 + i);
        EXPECT_EQ(all, expected);
    }
    EXPECT_EQ(gather(world(), std::string(rank(), 'a')).size(), world().is_root() ? size() : 0);

    std::vector<std::vector<std::uint64_t>> to(size());
    for (std::uint64_t r = 0; r < size(); ++r) to[r].assign(50 * r, rank());
    std::vector<std::vector<std::uint64_t>> expected(size());
    for (std::uint64_t r = 0; r < size(); ++r) expected[r].assign(50 * rank(), r);
    EXPECT_EQ(all_to_all(world(), to), expected);
}

TEST_P(Pieces, HaloGoesRoundTheRing) {
    const SmallMessages small(GetParam());
    RingHalo<Cpu> halo(37, world());
    for (int round = 0; round < 3; ++round) {
        for (std::size_t i = 0; i < 37; ++i) {
            halo.to_previous()[i] = 1000 * rank() + i;
            halo.to_next()[i] = 1000 * rank() + 500 + i;
        }
        halo.start();
        halo.finish();
        for (std::size_t i = 0; i < 37; ++i) {
            EXPECT_EQ(halo.from_next()[i], 1000 * static_cast<std::uint64_t>(world().next()) + i);
            EXPECT_EQ(halo.from_previous()[i], 1000 * static_cast<std::uint64_t>(world().previous()) + 500 + i);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Limits, Pieces, testing::Values(7, 64, 1 << 20));

TEST(Collectively, OneRanksErrorIsEveryRanksError) {
    const int thrower = world().size() - 1;
    const auto call = [&] {
        collectively(world(), [&] {
            if (world().rank() == thrower) throw Error(ExitCode::file, "disk on fire");
        });
    };
    EXPECT_EQ(error_of<CollectiveError>(ExitCode::file, call), "disk on fire");
    EXPECT_NO_THROW(collectively(world(), [] {}));
}

TEST(Communicators, SplitByColourInTheOrderOfRanks) {
    const int colour = world().rank() % 2;
    const Communicator part = world().split(colour);
    EXPECT_EQ(part.size(), (world().size() + 1 - colour) / 2);
    EXPECT_EQ(part.rank(), world().rank() / 2);
    EXPECT_EQ(all_sum(part, static_cast<std::uint64_t>(world().rank() % 2)),
              static_cast<std::uint64_t>(part.size() * colour));
    EXPECT_EQ(world().on_node().size(), world().size());
}

TEST(Placement, SharesTheCoresOfTheNode) {
    const Placement p = find_placement(world());
    EXPECT_EQ(p.nodes, 1);
    EXPECT_EQ(p.ranks_on_node, world().size());
    EXPECT_GE(p.cores, 1);
    EXPECT_EQ(threads_per_rank(world(), p, 3), 3);
    EXPECT_EQ(threads_per_rank(world(), p, 16), 16);
    EXPECT_THROW(threads_per_rank(world(), p, 100000), CollectiveError);
    EXPECT_TRUE(same_on_all_ranks(world(), static_cast<std::uint64_t>(threads_per_rank(world(), p, 0))));
    setenv("OMP_WAIT_POLICY", "active", 1);
    EXPECT_THAT(oversubscription(p, 1000), testing::AllOf(testing::HasSubstr("x 1000 threads share"),
                                                          testing::Not(testing::HasSubstr("OMP_WAIT_POLICY"))));
    unsetenv("OMP_WAIT_POLICY");
    EXPECT_THAT(oversubscription(p, 1000), testing::HasSubstr("OMP_WAIT_POLICY=passive"));
    EXPECT_EQ(oversubscription(p, p.cores_on_node >= p.ranks_on_node ? 1 : 0), "");
}

TEST(CheckMpi, TurnsCodesIntoErrors) { EXPECT_THROW(check_mpi(MPI_ERR_COUNT), Error); }

}  // namespace
}  // namespace strata
