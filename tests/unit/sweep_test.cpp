// SPDX-License-Identifier: BSD-3-Clause
// The fast sweep against the reference sweep (support/plain_ising.hpp): the same spins after every sweep and the same
// integers, for every instruction set, any number of threads, and extents that do and do not fill tiles.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/large_cases.hpp"
#include "support/plain_ising.hpp"
#include "swendsen_wang/state/observation.hpp"
#include "swendsen_wang/state/slab_cpu.hpp"

namespace strata::swendsen_wang {
namespace {

SwendsenWangConfig job(std::vector<std::uint64_t> extents, double beta) {
    SwendsenWangConfig c;
    c.extents = std::move(extents);
    c.beta = beta;
    c.sweeps = 1;
    c.seed = 0x5eed00000003;
    c.simd = "auto";
    return c;
}

/// Antiferromagnets, random signs, and every kind of boundary along every axis.
std::vector<SwendsenWangConfig> coupling_jobs() {
    std::vector<SwendsenWangConfig> all;
    int number = 0;
    for (const std::vector<std::uint64_t>& extents : std::vector<std::vector<std::uint64_t>>{
             {2, 2}, {7, 9}, {64, 64}, {130, 33}, {5, 6, 7}, {33, 9, 10}, {8, 8, 8}})
        for (const double opposite : {0.0, 0.5, 0.137, 1.0})
            for (const double coupling : {0.7, -1.3}) {
                SwendsenWangConfig c = job(extents, 0.6);
                c.coupling = coupling;
                c.opposite = opposite;
                c.disorder_seed = 11;
                for (std::size_t axis = 0; axis < extents.size(); ++axis)
                    c.boundaries.push_back(static_cast<Boundary>((number / (axis == 0 ? 1 : axis == 1 ? 3 : 9)) % 3));
                ++number;
                all.push_back(c);
            }
    return all;
}

/// Fills the halo rows of a slab that is the whole lattice with copies of its own rows.
void close_halo(SlabView& s) {
    const auto per_layer = static_cast<std::int64_t>(s.lattice.rows_per_layer()),
               rows = static_cast<std::int64_t>(s.lattice.rows());
    for (int bit = 0; bit < s.state_bits; ++bit)
        for (std::int64_t y = 0; y < per_layer; ++y)
            for (std::uint64_t t = 0; t < s.lattice.row_tiles(); ++t) {
                s.spins[bit][s.word(-per_layer + y, t)] = s.spins[bit][s.word(rows - per_layer + y, t)];
                s.spins[bit][s.word(rows + y, t)] = s.spins[bit][s.word(y, t)];
            }
}

std::vector<std::uint64_t> words(Slab<Cpu>& slab) {
    std::vector<std::uint64_t> w;
    const SlabView& s = slab.view();
    for (int bit = 0; bit < s.state_bits; ++bit)
        for (std::uint64_t r = 0; r < s.lattice.rows(); ++r)
            for (std::uint64_t t = 0; t < s.lattice.row_tiles(); ++t)
                w.push_back(s.spins[bit][s.word(static_cast<std::int64_t>(r), t)]);
    return w;
}

/// Compares the moments of the cluster sizes of the fast sweep with those of the reference.
void expect_same_statistics(const SweepKernels& kernels, Slab<Cpu>& slab, const PlainIsing::Observed& plain) {
    SlabView& s = slab.view();
    ClusterMoments found, expected;
    kernels.count_cluster_sizes(s, slab.sizes(), found);
    kernels.accumulate_moments(s, slab.sizes(), found);
    for (std::uint64_t size : plain.cluster_sizes) expected.add(size, 1, fourth_moment_shift(s.lattice.sites()));
    for (std::uint64_t size : plain.bound_sizes) expected.add_bound(size, 1);
    EXPECT_EQ(found.clusters, expected.clusters);
    EXPECT_EQ(found.largest, expected.largest);
    EXPECT_TRUE(found.squares == expected.squares && found.fourths == expected.fourths);
    EXPECT_EQ(found.bound_sites, expected.bound_sites);
    EXPECT_TRUE(found.bound_squares == expected.bound_squares);
}

/// Compares the numbers of sites in each state.
void expect_same_states(const SweepKernels& kernels, const SlabView& s, const std::vector<std::uint8_t>& plain) {
    std::vector<std::uint64_t> found(max_states), expected(max_states);
    kernels.count_states(s, found.data());
    for (const std::uint8_t state : plain) ++expected[state];
    EXPECT_EQ(found, expected);
}

/// Satisfied bonds and up spins that the threads have counted.
SpinCounts counts_of(const SlabView& s) {
    SpinCounts all;
    for (int t = 0; t < s.thread_count; ++t) {
        all.satisfied += s.threads[t].satisfied;
        all.up += s.threads[t].up;
    }
    return all;
}

void compare(const SwendsenWangConfig& config, int threads, const SweepKernels& kernels, Start start) {
    const std::vector<std::uint64_t>& extents = config.extents;
    const SwendsenWangPlan plan(config, 1, 0, threads);
    Slab<Cpu> slab(plan);
    slab.fill({config.seed, start, config.states});
    SlabView& s = slab.view();
    PlainIsing plain(extents, config.seed, config.couplings(), config.states);
    plain.set_words(words(slab));
    const Probability p = config.bond();
    s.sweep.states = config.states;
    s.sweep.bond = p;
    s.sweep.ghost = config.ghost();
    s.sweep.observed = true;
    s.sweep.couplings = config.couplings();
    for (std::uint64_t sweep = 0; sweep < (large_cases ? 4 : 2); ++sweep) {
        s.sweep.index = sweep + (std::uint64_t{1} << 33);  // beyond 32 bits
        close_halo(s);
        kernels.count_spins(s);
        const SpinCounts counted = counts_of(s);
        ASSERT_TRUE(kernels.draw_and_label(s));
        kernels.unite_across_threads(s);
        if (s.sweep.ghost.binds()) kernels.bind_clusters(s);
        const std::vector<std::uint8_t> before = plain.up();
        const PlainIsing::Observed expected = plain.sweep(s.sweep.index, p.threshold, config.ghost());
        expect_same_statistics(kernels, slab, expected);
        const auto [satisfied, up] = counts_of(s);
        EXPECT_EQ(counted.satisfied, satisfied);
        EXPECT_EQ(counted.up, up);
        const auto n = static_cast<double>(plain.sites());
        if (config.states == 2) {
            EXPECT_NEAR(config.bonds_per_site() * n - 2 * static_cast<double>(satisfied), expected.energy, 1e-9);
            EXPECT_EQ(2 * static_cast<double>(up) - n, expected.magnetisation);
        } else {
            EXPECT_EQ(-static_cast<double>(satisfied), expected.energy);
            expect_same_states(kernels, s, before);
        }
        kernels.flip_clusters(s);
        ASSERT_EQ(words(slab), plain.words())
            << kernels.name << " " << extents[0] << " x " << extents[1] << ", sweep " << sweep;
    }
}

void compare(const std::vector<std::uint64_t>& extents, double beta, int threads, const SweepKernels& kernels,
             Start start) {
    compare(job(extents, beta), threads, kernels, start);
}

void compare_metropolis(const SwendsenWangConfig& config, int threads, const SweepKernels& kernels) {
    Slab<Cpu> slab(SwendsenWangPlan(config, 1, 0, threads));
    slab.fill({config.seed, Start::hot, 2});
    SlabView& s = slab.view();
    PlainIsing plain(config.extents, config.seed, config.couplings());
    plain.set_words(words(slab));
    s.sweep.couplings = config.couplings();
    const MetropolisTable table = config.metropolis();
    for (std::uint64_t sweep = 0; sweep < (large_cases ? 3 : 2); ++sweep) {
        s.sweep.index = sweep + (std::uint64_t{1} << 33);
        for (const int colour : {0, 1}) {
            close_halo(s);
            kernels.update_colour(s, table, colour);
            std::swap(s.spins[0], s.next_spins);
        }
        plain.metropolis(s.sweep.index, config.reduced_coupling(), config.beta * config.field);
        ASSERT_EQ(words(slab), plain.words())
            << kernels.name << " " << config.extents[0] << " x " << config.extents[1] << ", sweep " << sweep;
    }
}

/// Single clusters: the same spins and numbers of sites after each.
void compare_wolff(SwendsenWangConfig config) {
    config.update = Update::wolff;
    Slab<Cpu> slab(SwendsenWangPlan(config, 1, 0, 2));
    slab.fill({config.seed, Start::hot, config.states});
    SlabView& s = slab.view();
    PlainIsing plain(config.extents, config.seed, config.couplings(), config.states);
    plain.set_words(words(slab));
    s.sweep = {config.seed, 0, config.bond(), {}, config.couplings(), config.states, false};
    for (std::uint64_t cluster = 0; cluster < (large_cases ? 40 : 10); ++cluster) {
        const std::uint64_t sites = slab.change_one_cluster(cluster + (std::uint64_t{1} << 33));
        ASSERT_EQ(sites, plain.wolff(s.sweep.index, config.bond()).size());
        ASSERT_EQ(words(slab), plain.words())
            << config.extents[0] << " x " << config.extents[1] << ", cluster " << cluster;
        const std::uint64_t tiles = s.lattice.row_tiles();
        for (int k = 0; k < s.state_bits; ++k)  // behind each row, the copy of its first tile that energies take
            for (std::int64_t row = 0; row < static_cast<std::int64_t>(s.lattice.rows()); ++row)
                ASSERT_EQ(s.spins[k][s.word(row, tiles)], s.spins[k][s.word(row, 0)]) << "row " << row;
    }
}

class Sweep : public testing::TestWithParam<SweepKernels> {};

TEST_P(Sweep, SquareLattices) {
    for (const std::vector<std::uint64_t>& extents : std::vector<std::vector<std::uint64_t>>{{2, 2},
                                                                                             {3, 2},
                                                                                             {4, 4},
                                                                                             {8, 8},
                                                                                             {16, 8},
                                                                                             {7, 9},
                                                                                             {64, 64},
                                                                                             {65, 64},
                                                                                             {72, 40},
                                                                                             {130, 33},
                                                                                             {2, 100},
                                                                                             {100, 2},
                                                                                             {3203, 9}})
        for (int threads : {1, 2, 3})
            for (double beta : {0.2, 0.44068679350977147, 0.8}) compare(extents, beta, threads, GetParam(), Start::hot);
}

TEST_P(Sweep, CubicLattices) {
    for (const std::vector<std::uint64_t>& extents : std::vector<std::vector<std::uint64_t>>{{2, 2, 2},
                                                                                             {2, 3, 3},
                                                                                             {4, 3, 2},
                                                                                             {4, 4, 4},
                                                                                             {8, 8, 8},
                                                                                             {5, 6, 7},
                                                                                             {32, 16, 12},
                                                                                             {33, 9, 10},
                                                                                             {2, 2, 50},
                                                                                             {70, 4, 4}})
        for (int threads : {1, 2, 3})
            for (double beta : {0.1, 0.2216546, 0.5}) compare(extents, beta, threads, GetParam(), Start::hot);
}

TEST(SingleClusters, AreThoseOfThePlainSearch) {
    for (const std::vector<std::uint64_t>& extents : std::vector<std::vector<std::uint64_t>>{{2, 2},
                                                                                             {3, 3},
                                                                                             {2, 9},
                                                                                             {7, 9},
                                                                                             {16, 8},
                                                                                             {65, 64},
                                                                                             {130, 33},
                                                                                             {2, 2, 2},
                                                                                             {5, 6, 7},
                                                                                             {33, 9, 10},
                                                                                             {8, 4, 4}})
        for (const int states : {2, 3, 256})
            for (const double k : {0.0, 0.3, 0.6, 1.5, std::numeric_limits<double>::infinity()}) {
                SwendsenWangConfig config = job(extents, k);
                config.states = states;
                compare_wolff(config);
            }
    for (const SwendsenWangConfig& config : coupling_jobs()) compare_wolff(config);
}

TEST_P(Sweep, ExtremeTemperatures) {
    for (double beta : {0.0, 1e-6, 20.0}) compare({30, 20}, beta, 2, GetParam(), Start::cold);
    for (double beta : {0.0, 1e-6, 20.0}) compare({6, 7, 9}, beta, 2, GetParam(), Start::cold);
}

TEST_P(Sweep, CouplingsOfBothSignsAndBoundaries) {
    for (const SwendsenWangConfig& config : coupling_jobs())
        for (const int threads : {1, 3}) compare(config, threads, GetParam(), Start::hot);
}

/// The configurations of coupling_jobs() that a checkerboard divides, and uniform ones; in a field and without.
TEST_P(Sweep, MetropolisIsThePlainUpdate) {
    std::vector<SwendsenWangConfig> all = coupling_jobs();
    for (const std::vector<std::uint64_t>& extents :
         std::vector<std::vector<std::uint64_t>>{{2, 2}, {64, 64}, {130, 34}, {4, 4, 4}, {34, 10, 6}})
        all.push_back(job(extents, 0.3));
    int compared = 0;
    for (SwendsenWangConfig& config : all)
        for (const double field : {0.0, 0.4}) {
            if (!config.bipartite()) continue;
            config.update = Update::metropolis;
            config.field = field;
            compare_metropolis(config, 1 + compared++ % 3, GetParam());
        }
    EXPECT_GT(compared, 50);
}

TEST_P(Sweep, FieldsByTheGhostSpin) {
    const std::vector<std::uint64_t> lattices[] = {{2, 2}, {64, 64}, {130, 33}, {2, 100}, {5, 6, 7}, {33, 9, 10}};
    const double betas[] = {0.2, 0.44, 0.8};
    std::size_t taken = 0;  // every lattice and every field meet each of the temperatures in turn
    for (const double field : {0.02, -0.4, 1e12}) {
        std::vector<SwendsenWangConfig> all;
        if (field == -0.4) all = coupling_jobs();
        for (const std::vector<std::uint64_t>& extents : lattices) all.push_back(job(extents, betas[taken++ % 3]));
        ++taken;
        int threads = 0;
        for (SwendsenWangConfig& config : all) {
            config.field = field;
            compare(config, 1 + threads++ % 3, GetParam(), Start::hot);
        }
    }
}

TEST_P(Sweep, PottsModels) {
    for (const int states : {3, 5, 16, 256})
        for (const double beta : {0.8, 2.5})
            for (const std::vector<std::uint64_t>& extents :
                 std::vector<std::vector<std::uint64_t>>{{2, 2}, {65, 33}, {130, 9}, {5, 6, 7}, {33, 9, 10}}) {
                SwendsenWangConfig config = job(extents, beta);
                config.states = states;
                compare(config, 1 + states % 3, GetParam(), states == 5 ? Start::cold : Start::hot);
            }
}

/// Every state is drawn with probability 1 / q: chi^2 over 2^20 sites, within 5 sigma.
TEST(PottsStates, AreDrawnUniformly) {
    for (const int q : {3, 4, 7, 10, 256}) {
        std::vector<double> count(static_cast<std::size_t>(q));
        const std::uint64_t tiles = 16384;
        for (std::uint64_t tile = 0; tile < tiles; ++tile) {
            std::uint64_t state[max_state_bits];
            draw_states(q, TileDraws{7, 3, tile, Purpose::state}, state);
            for (int site = 0; site < 64; ++site) {
                std::size_t s = 0;
                for (int bit = 0; bit < max_state_bits; ++bit) s |= (state[bit] >> site & 1) << bit;
                ++count.at(s);
            }
        }
        const double mean = 64.0 * static_cast<double>(tiles) / q;
        double chi2 = 0;
        for (const double n : count) chi2 += (n - mean) * (n - mean) / mean;
        EXPECT_LT(std::abs(chi2 - (q - 1)), 5 * std::sqrt(2.0 * (q - 1))) << q;
    }
}

TEST_P(Sweep, PlanesAreCounted) {
    const SwendsenWangPlan plan(job({21, 10, 13}, 0.2), 1, 0, 2);
    Slab<Cpu> slab(plan);
    slab.fill({1, Start::hot, 2});
    PlainIsing plain({21, 10, 13}, 1);
    std::vector<std::uint64_t> x(24), y(12), z(16), expected_x(24), expected_y(12), expected_z(16);
    std::uint64_t* const planes[] = {x.data(), y.data(), z.data()};
    GetParam().count_planes(slab.view(), planes);
    const auto w = words(slab);
    for (std::uint64_t site = 0; site < plain.sites(); ++site) {
        const auto at = plain.position(site);
        const std::uint64_t up = w[at.tile] >> at.bit & 1;
        expected_x[site % 21] += up;
        expected_y[site / 21 % 10] += up;
        expected_z[site / 210] += up;
    }
    EXPECT_EQ(x, expected_x);
    EXPECT_EQ(y, expected_y);
    EXPECT_EQ(z, expected_z);
}

INSTANTIATE_TEST_SUITE_P(Variants, Sweep, testing::ValuesIn(sweep_variants()),
                         [](const auto& variant) { return std::string(variant.param.name); });

TEST(SweepVariants, PortableIsAlwaysThere) { EXPECT_EQ(sweep_variants().back().name, "portable"); }

TEST(BondProbability, IsExactTo64Digits) {
    EXPECT_EQ(bond_probability(0).threshold, 0u);
    EXPECT_FALSE(bond_probability(0).always);
    EXPECT_TRUE(bond_probability(HUGE_VAL).always);
    // p at the critical point of the square lattice is 2 - sqrt 2
    EXPECT_NEAR(std::ldexp(static_cast<double>(bond_probability(std::log1p(std::sqrt(2.0)) / 2).threshold), -64),
                2 - std::sqrt(2.0), 1e-15);
}

TEST(Plan, RefusesMoreRanksThanLayersAndTooManyLabels) {
    EXPECT_THROW(SwendsenWangPlan(job({64, 64}, 0.4), 9, 0, 1), std::exception);
    EXPECT_NO_THROW(SwendsenWangPlan(job({64, 64}, 0.4), 8, 7, 1));
    EXPECT_THROW(SwendsenWangPlan(job({1 << 18, 1 << 18}, 0.4), 1, 0, 1), std::exception);
    EXPECT_NO_THROW(SwendsenWangPlan(job({65536, 65600}, 0.4), 1, 0, 1));  // more than 2^32 - 1 sites on one rank
}

TEST(Plan, LatticesBeyond32BitsOfSites) {
    const SwendsenWangPlan plan(job({131072, 131072}, 0.4), 8, 7, 1);
    const TileLattice& l = plan.lattice();
    EXPECT_EQ(l.sites(), std::uint64_t{1} << 34);
    EXPECT_EQ(l.first_tile(static_cast<std::int64_t>(l.rows()) - 1) + l.row_tiles(), std::uint64_t{1} << 28);
    EXPECT_EQ(l.slab_sites(), std::uint64_t{1} << 31);
}

}  // namespace
}  // namespace strata::swendsen_wang
