// SPDX-License-Identifier: BSD-3-Clause
// Counts without tables (entries, bytes, rows of other ranks) against the tables of small random models, and the limits
// that are checked on the counts of large ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "lanczos/run/validation.hpp"
#include "lanczos/run/work.hpp"
#include "lanczos/state/ghost_rows.hpp"
#include "lanczos/state/memory.hpp"
#include "strata/error.hpp"
#include "support/error_of.hpp"
#include "support/job_texts.hpp"

namespace strata::lanczos {
namespace {

/// Random edges between `sites` sites; some are duplicates, some amplitudes are complex, some hops lead back to their
/// site.
Model random_model(int sites, int spin_components, Statistics statistics, std::mt19937& random) {
    Model m;
    m.lattice.sites = sites;
    m.spin_components = spin_components;
    m.kind = statistics == Statistics::fermions ? SiteKind::electrons : SiteKind::spins;
    m.v = 0.7;
    for (int i = 0; i < sites; ++i) {
        m.u.push_back(i);
        m.epsilon.push_back(0.1 * i);
    }
    for (int e = 0; e < 2 * sites && sites > 1; ++e) {
        const int from = static_cast<int>(random() % static_cast<unsigned>(sites));
        const int to = static_cast<int>(random() % static_cast<unsigned>(sites));
        if (from != to) m.lattice.edges.push_back({from, to, Complex(1, random() % 3 == 0 ? 0.5 : 0), 1});
    }
    return m;
}

/// Calls visit(counts) for all fillings of some random models.
template <class Visit>
void for_each_sector(Visit visit) {
    std::mt19937 random(5);
    for (const auto& [sites, spin_components] : {std::pair(1, 1),
                                                 {2, 1},
                                                 {3, 1},
                                                 {9, 1},
                                                 {13, 1},
                                                 {16, 1},  // halves of 8
                                                 {1, 2},
                                                 {2, 2},
                                                 {3, 2},
                                                 {6, 2},
                                                 {7, 2},
                                                 {9, 2}})
        for (Statistics statistics : {Statistics::fermions, Statistics::hard_core_bosons})
            for (int up = 0; up <= sites; ++up)
                visit(SectorCounts(
                    random_model(sites, spin_components, statistics, random), up,
                    spin_components == 2 ? static_cast<int>(random() % static_cast<unsigned>(sites + 1)) : 0));
}

TEST(SectorCounts, AreThoseOfTheTables) {
    for_each_sector([](const SectorCounts& counts) {
        const Sector sector(counts, Arithmetic::real);
        ASSERT_EQ(sector.subspaces().size(), counts.subspace_counts().size());
        double nonzeros = 0;
        std::uint64_t bytes = 0;
        for (std::size_t p = 0; p < sector.subspaces().size(); ++p) {
            const Subspace& subspace = sector.subspaces()[p];
            EXPECT_EQ(subspace.up.entries(), counts.subspace_counts()[p].up_entries);
            EXPECT_EQ(subspace.down.entries(), counts.subspace_counts()[p].down_entries);
            EXPECT_EQ(subspace.up.basis().count(), counts.subspace_counts()[p].up.count());
            nonzeros += static_cast<double>(subspace.up.entries() * subspace.down.basis().count() +
                                            subspace.down.entries() * subspace.up.basis().count());
            bytes += subspace.up.bytes() + subspace.down.bytes();
        }
        for (const SubspaceHops& c : sector.subspace_hops()) bytes += c.left == nullptr ? 0 : c.left->bytes();
        for (const SubspaceHops& c : sector.subspace_hops())
            for (std::size_t s = 0; s < c.rows.size(); ++s) {
                EXPECT_EQ(c.hops[s].entries(), c.entries[s]);
                bytes += c.hops[s].bytes();
                for (std::uint64_t row = 0; row < sector.subspaces()[c.to].up.basis().count(); ++row)
                    if (sector.source(c, row, s).row != Sector::no_row)
                        nonzeros += static_cast<double>(c.hops[s].entries());
            }
        EXPECT_EQ(counts.nonzeros(), nonzeros);
        EXPECT_EQ(counts.table_bytes(Arithmetic::real), bytes);
        EXPECT_TRUE(counts.model().hermitian());
    });
}

/// Ghost rows of one rank from the tables, padded as by RowExchange, and the entries of its rows.
RankRows rows_by_tables(const Sector& sector, int ranks, int rank, std::vector<RankRows>& of_rank) {
    RankRows all;
    for (std::size_t p = 0; p < sector.subspaces().size(); ++p) {
        const std::vector<bool> needed = needed_rows(sector, p, ranks, rank);
        const ComponentView up = sector.subspaces()[p].up.view();
        for (int owner = 0; owner < ranks; ++owner) {
            const BlockLayout l = sector.layout(p, Arithmetic::complex, ranks, owner);
            const Range own = l.own_rows();
            if (owner == rank) {
                all.up_entries += up.hops.first[own.last] - up.hops.first[own.first];
                continue;
            }
            std::uint64_t rows = 0;
            for (std::uint64_t row = own.first; row < own.last; ++row) rows += needed[row] ? 1 : 0;
            const std::uint64_t reals = (rows + block_rows - 1) / block_rows * l.block_size();
            all.received += reals;
            of_rank[static_cast<std::size_t>(owner)].sent += reals;
        }
    }
    return all;
}

TEST(GhostRows, AreThoseOfTheTablesOrABound) {
    for_each_sector([](const SectorCounts& counts) {
        const Sector sector(counts, Arithmetic::real);
        for (int ranks : {1, 2, 3, 5}) {
            std::vector<RankRows> truth(static_cast<std::size_t>(ranks));
            for (int r = 0; r < ranks; ++r) {
                const RankRows rows = rows_by_tables(sector, ranks, r, truth);
                truth[static_cast<std::size_t>(r)].received = rows.received;
                truth[static_cast<std::size_t>(r)].up_entries = rows.up_entries;
            }
            for (std::uint64_t visits : {max_visits, std::uint64_t{2000}, std::uint64_t{700}, std::uint64_t{10}}) {
                const GhostRows counted = count_ghost_rows(counts, Arithmetic::complex, ranks, visits);
                ASSERT_TRUE(counted.exact || visits != max_visits);
                for (std::size_t r = 0; r < truth.size(); ++r) {
                    const RankRows has = r < counted.of_rank.size() ? counted.of_rank[r] : RankRows();
                    if (counted.exact) {
                        EXPECT_EQ(has.received, truth[r].received) << ranks << " " << r;
                        EXPECT_EQ(has.sent, truth[r].sent);
                        EXPECT_EQ(has.up_entries, truth[r].up_entries);
                    } else if (counted.of_rank.size() > r) {
                        EXPECT_GE(has.received, truth[r].received) << ranks << " " << r << " " << visits;
                        EXPECT_GE(has.sent, truth[r].sent);
                        EXPECT_GE(has.up_entries, truth[r].up_entries);
                    }
                }
            }
        }
    });
}

/// A ring of 22 sites, for which the bound by counting prefixes is close.
TEST(GhostRows, AreBoundedClosely) {
    Model ring;
    ring.lattice.sites = 22;
    for (int i = 0; i < 22; ++i) ring.lattice.edges.push_back({i, (i + 1) % 22, 1, 1});
    ring.u.assign(22, 4);
    ring.epsilon.assign(22, 0);
    const SectorCounts counts(ring, 6, 1);
    const GhostRows exact = count_ghost_rows(counts, Arithmetic::real, 4),
                    bound = count_ghost_rows(counts, Arithmetic::real, 4, 200'000);
    ASSERT_TRUE(exact.exact && !bound.exact);
    EXPECT_GE(bound.elements, exact.elements);
    EXPECT_LE(bound.elements, 1.1 * exact.elements);
}

LanczosConfig ring_of(int sites, int up, int down) {
    LanczosConfig c;
    c.lattice.type = "ring";
    c.lattice.extents = {sites};
    c.up = up;
    c.down = down;
    return c;
}

TEST(SectorCounts, RefuseWhatTablesCannotName) {
    EXPECT_THAT(error_of(ExitCode::does_not_fit, [] { LanczosPlan(ring_of(64, 32, 32), 1, 0, 1); }),
                testing::AllOf(testing::HasSubstr("1832624140942590534"), testing::HasSubstr("67108864")));
    LanczosConfig one = ring_of(56, 28, 0);
    one.model = ModelType::fermions;
    EXPECT_EQ(LanczosPlan(one, 64, 0, 1).dimension(), 7648690600760440.0);  // C(56, 28)
    one.lattice.extents = {58};
    EXPECT_THROW(LanczosPlan(one, 1, 0, 1), Error);
}

/// What a step computes beside H: an orthogonalisation to the basis of several states, which took 94 % of the time of
/// the open Hubbard chain of 12 sites; rows of a single number, which are padded to panels of 32.
TEST(LanczosWork, CountsWhatIsNotHopping) {
    LanczosConfig c = ring_of(12, 6, 6);
    c.max_steps = 300;
    const Work one = count_work(LanczosPlan(c, 1, 0, 1));
    c.states = 2;
    const Work two = count_work(LanczosPlan(c, 1, 0, 1));
    EXPECT_GT(two.memory_bytes, 8 * one.memory_bytes);
    EXPECT_GT(two.core_seconds, 1.2 * one.core_seconds);
    LanczosConfig magnons = ring_of(64, 60, 0);
    magnons.model = ModelType::fermions;
    const LanczosPlan wide(magnons, 1, 0, 1);
    EXPECT_GT(count_work(wide).core_seconds, 2 * hop_computation * wide.counts().nonzeros());
}

TEST(LanczosConfig, StepsGrowWithTheNumberOfStates) {
    const auto steps = [](const std::string& keys) {
        return resolve_config(parsed_job("lanczos", lanczos::keys(), validate,
                                         "[lattice]\ntype = ring\nextents = 8\n[model]\nu = 4\n[run]\n" + keys)
                                  .valid())
            .max_steps;
    };
    EXPECT_EQ(steps("states = 1\n"), 300);
    EXPECT_EQ(steps("states = 6\n"), 800);  // 324 suffice
    EXPECT_EQ(steps("states = 6\nmax-steps = 20\n"), 20);
    EXPECT_EQ(steps("states = 1000\n"), 10000);
    EXPECT_EQ(steps("states = 6\ntask = spectrum\n"), 300);
}

/// A run has as many steps as its recurrences; searches usually end long before their limit, or with the sector.
TEST(LanczosWork, CountsSteps) {
    LanczosConfig c = ring_of(12, 6, 6);
    c.max_steps = 300;
    const auto counts = [&](std::uint64_t sectors = 1, Momenta momenta = Momenta::one) {
        return step_counts(LanczosPlan(c, 1, 0, 1), sectors, momenta);
    };
    const StepCounts ground = counts();
    EXPECT_EQ(ground.most, 901);
    EXPECT_NEAR(static_cast<double>(ground.usually), 3 * 96 + 1, 30);
    EXPECT_EQ(counts(7, Momenta::all).most, 7 * 901);
    EXPECT_EQ(counts(7, Momenta::automatic).most, 7 * 300 + 901);
    c.task = Task::spectrum;
    c.spectrum.steps = 150;
    EXPECT_EQ(counts().usually - ground.usually, 12 * 2 * 150);  // cosines and sines of 12 waves
    c.task = Task::thermal;
    c.thermal = {{1}, 20, 60};
    EXPECT_EQ(counts().usually, 1200);
    c.task = Task::states;
    c.up = c.down = 1;
    EXPECT_EQ(counts().usually, 3 * 35 + 1);  // 7 log 144
    c.up = 1;
    c.down = 0;
    EXPECT_EQ(counts().usually, 3 * 12 + 1);  // twelve states
}

}  // namespace
}  // namespace strata::lanczos
