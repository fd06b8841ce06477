// SPDX-License-Identifier: BSD-3-Clause
// Border labels against a serial union-find of the clusters of all ranks.
#include "comm/label_ownership.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "support/world.hpp"

namespace strata {
namespace {

/// A ring of slabs with random clusters, known completely to every rank.
struct Ring {
    int ranks;
    std::uint32_t labels;                                  ///< labels of every rank
    std::uint64_t preferred_from;                          ///< the last labels of every 10 are preferred; 10: none
    std::vector<std::vector<std::uint32_t>> upper, lower;  ///< [border after rank r][active bond] root above, below

    /// At most `spread` clusters touch each border: few make clusters that wind around the ring, many make local ones.
    Ring(int ranks_, std::uint32_t labels_, std::size_t sites, std::uint32_t spread, unsigned seed,
         std::uint64_t preferred_from_ = 10)
        : ranks(ranks_),
          labels(labels_),
          preferred_from(preferred_from_),
          upper(static_cast<std::size_t>(ranks_)),
          lower(upper) {
        std::mt19937 random(seed);
        for (int r = 0; r < ranks; ++r)
            for (std::size_t i = 0; i < sites; ++i) {
                upper[static_cast<std::size_t>(r)].push_back(static_cast<std::uint32_t>(random()) % spread % labels);
                lower[static_cast<std::size_t>(r)].push_back(static_cast<std::uint32_t>(random()) % spread % labels);
            }
    }

    /// Number of local label `local` of a rank when the labels of all ranks are counted without gaps.
    std::uint64_t number(int rank, std::uint32_t local) const {
        return static_cast<std::uint64_t>(rank) * labels + local;
    }
    std::uint64_t global(std::uint64_t number) const {
        return global_label(static_cast<int>(number / labels), static_cast<std::uint32_t>(number % labels));
    }
    std::uint8_t payload(std::uint64_t number) const { return static_cast<std::uint8_t>(number * 37 + 11); }

    BorderLabel border_label_of(std::uint64_t number) const {
        return border_label(global(number), payload(number),
                            number % 10 >= preferred_from ? Preference::preferred : Preference::none);
    }

    /// Number of the smallest label of the cluster of every label, both counted without gaps.
    std::vector<std::uint64_t> solution() const {
        std::vector<std::uint64_t> parent(static_cast<std::size_t>(ranks) * labels);
        std::iota(parent.begin(), parent.end(), std::uint64_t{0});
        const auto find = [&](std::uint64_t x) {
            while (parent[x] != x) x = parent[x];
            return x;
        };
        for (std::size_t r = 0; r < upper.size(); ++r)
            for (std::size_t i = 0; i < upper[r].size(); ++i) {
                const std::uint64_t a = find(r * labels + lower[r][i]),
                                    b = find((r + 1) % upper.size() * labels + upper[r][i]);
                const bool a_first = std::pair(a % 10 < preferred_from, a) < std::pair(b % 10 < preferred_from, b);
                parent[a_first ? b : a] = a_first ? a : b;
            }
        for (std::uint64_t x = 0; x < parent.size(); ++x) parent[x] = find(x);
        return parent;
    }

    /// The border clusters of one rank before any exchange, in the order in which they appear along the borders.
    BorderClusters clusters(int rank) const {
        BorderClusters c;
        std::vector<std::uint32_t> index(labels, UINT32_MAX);
        const auto entered = [&](std::uint32_t root) {
            if (index[root] == UINT32_MAX) {
                index[root] = static_cast<std::uint32_t>(c.root.size());
                c.root.push_back(root);
                c.label.push_back(border_label_of(number(rank, root)));
            }
            return index[root];
        };
        const auto r = static_cast<std::size_t>(rank), before = (r + upper.size() - 1) % upper.size();
        for (std::uint32_t root : lower[r]) c.to_next.push_back(entered(root));
        c.at_next = static_cast<std::uint32_t>(c.root.size());
        for (std::uint32_t root : upper[before]) c.to_previous.push_back(entered(root));
        return c;
    }
};

class Resolve : public testing::TestWithParam<LabelProtocol> {};

void expect_solution(const Ring& ring, LabelResolver& resolver) {
    BorderClusters c = ring.clusters(world().rank());
    resolver.resolve(c);
    const std::vector<std::uint64_t> expected = ring.solution();
    for (std::size_t i = 0; i < c.root.size(); ++i)
        EXPECT_EQ(c.label[i], ring.border_label_of(expected[ring.number(world().rank(), c.root[i])]));
}

/// One resolver for all of them, whose memory holds the ring before.
TEST_P(Resolve, GivesEveryClusterItsSmallestLabelAndItsPayload) {
    LabelResolver resolver(world(), GetParam());
    for (std::uint32_t spread : {1u, 3u, 400u, 20u})
        for (std::size_t sites : {std::size_t{0}, std::size_t{1}, std::size_t{200}})
            for (unsigned seed = 0; seed < 3; ++seed)
                for (const std::uint64_t preferred_from : {10u, 9u, 5u})
                    expect_solution(Ring(world().size(), 500, sites, spread, seed, preferred_from), resolver);
}

TEST_P(Resolve, SizesEndAtTheOwner) {
    const Ring ring(world().size(), 500, 200, 50, 4, 9);
    const int rank = world().rank();
    BorderClusters c = ring.clusters(rank);
    LabelResolver(world(), GetParam()).resolve(c);
    std::vector<std::uint64_t> amount, total(ring.labels);
    for (std::uint32_t i = 0; i < ring.labels; ++i) total[i] = ring.number(rank, i) + 1;
    for (std::uint32_t root : c.root) amount.push_back(total[root]);
    const std::vector<LabelAmount> received = send_to_owners(world(), c, amount);
    for (std::size_t i = 0; i < c.root.size(); ++i) total[c.root[i]] = amount[i];
    for (const LabelAmount& a : received) {
        EXPECT_EQ(owner_of(a.label), rank);
        total[local_label(a.label)] += a.amount;
    }
    const std::vector<std::uint64_t> solution = ring.solution();
    std::vector<std::uint64_t> expected(solution.size(), 0);
    for (std::uint64_t x = 0; x < solution.size(); ++x) expected[solution[x]] += x + 1;
    for (std::uint32_t i = 0; i < ring.labels; ++i) EXPECT_EQ(total[i], expected[ring.number(rank, i)]);
}

TEST_P(Resolve, RoundsOfTheTreeAreBounded) {
    // one cluster on all ranks: the exchange needs a round per slab, the tree 2 + 2 ceil(log2 ranks)
    const Ring ring(world().size(), 3, 5, 1, 0);
    BorderClusters c = ring.clusters(world().rank());
    const ResolutionCost cost = LabelResolver(world(), GetParam()).resolve(c);
    int levels = 0;
    while (1 << levels < world().size()) ++levels;
    if (GetParam() == LabelProtocol::tree) {
        EXPECT_LE(cost.rounds, 2 + 2 * levels);
    }
    EXPECT_EQ(label_of(c.label.at(0)), 0u);
}

INSTANTIATE_TEST_SUITE_P(Protocols, Resolve, testing::Values(LabelProtocol::exchange, LabelProtocol::tree),
                         [](const auto& p) { return p.param == LabelProtocol::tree ? "tree" : "exchange"; });

TEST(BorderLabel, HoldsLabelPayloadAndPreference) {
    const std::uint64_t largest = (std::uint64_t{1} << 55) - 1;
    for (const std::uint64_t label : {std::uint64_t{0}, std::uint64_t{1}, largest})
        for (const Preference preference : {Preference::preferred, Preference::none}) {
            const BorderLabel b = border_label(label, 0xFF, preference);
            EXPECT_EQ(label_of(b), label);
            EXPECT_EQ(payload_of(b), 0xFF);
            EXPECT_EQ(b < border_label(0, 0), preference == Preference::preferred);
        }
}

TEST(LabelOwnership, RangesAreContiguousInRankOrder) {
    std::uint64_t before = 0;
    for (const int rank : {0, 1, 2, 1023, (1 << 23) - 1})
        for (const std::uint32_t local : {0u, 1u, UINT32_MAX}) {
            const std::uint64_t global = global_label(rank, local);
            EXPECT_EQ(owner_of(global), rank);
            EXPECT_EQ(local_label(global), local);
            EXPECT_TRUE(global == 0 || global > before);
            EXPECT_EQ(label_of(border_label(global, 0xFF)), global);
            before = global;
        }
    EXPECT_EQ(global_label(1, 0), global_label(0, UINT32_MAX) + 1);
}

}  // namespace
}  // namespace strata
