// SPDX-License-Identifier: BSD-3-Clause
// Replicas side by side against the reference update (support/plain_ising.hpp), each alone: the same spins and counts after
// every sweep, for every instruction set, with seeds, temperatures, fields, signs and boundaries of their own or in common.
#include "swendsen_wang/state/replicas.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <complex>

#include "support/plain_ising.hpp"
#include "swendsen_wang/state/observation.hpp"

namespace strata::swendsen_wang {
namespace {

class ReplicasOf : public testing::TestWithParam<SweepKernels> {};

/// Replicas that differ in all that replicas of one lattice may differ in.
std::vector<SwendsenWangConfig> various(const std::vector<std::uint64_t>& extents,
                                        const std::vector<Boundary>& boundaries, bool in_fields, std::size_t number) {
    std::vector<SwendsenWangConfig> all;
    for (std::size_t r = 0; r < number; ++r) {
        SwendsenWangConfig c;
        c.extents = extents;
        c.boundaries = boundaries;
        c.update = Update::metropolis;
        c.clusters = false;
        c.simd = "auto";
        c.seed = 0x5eed00000003 + (r << 40) + r;
        c.beta = 0.2 + 0.15 * static_cast<double>(r);
        c.coupling = r % 3 == 1 ? -0.8 : 1;
        c.opposite = r % 4 == 0 ? 0 : r % 4 == 1 ? 0.5 : 0.137;
        c.disorder_seed = 3 + r;
        if (in_fields && r % 2 == 0) c.field = 0.3 * static_cast<double>(r) - 1;
        all.push_back(c);
    }
    return all;
}

/// Satisfied bonds of a configuration.
std::uint64_t satisfied_bonds_of(PlainIsing& plain, int dimensions) {
    std::uint64_t count = 0;
    for (std::uint64_t s = 0; s < plain.sites(); ++s)
        for (int axis = 0; axis < dimensions; ++axis) {
            const int sign = plain.coupling(s, axis);
            const bool equal = plain.up()[s] == plain.up()[plain.neighbour(s, axis)];
            count += sign != 0 && equal == (sign > 0) ? 1 : 0;
        }
    return count;
}

/// |sum s exp(i k x)|^2 / N at k = 2 pi / L, averaged over the longest axes.
double smallest_mode(const SwendsenWangConfig& c, const std::vector<std::uint64_t>& words) {
    PlainIsing plain(c.extents, c.seed);
    plain.set_words(words);
    const std::uint64_t longest = *std::ranges::max_element(c.extents);
    const std::vector<std::complex<double>> phases = unit_circle(longest);
    double sum = 0;
    std::uint64_t stride = 1;
    for (const std::uint64_t extent : c.extents) {
        std::vector<std::int64_t> up(extent, 0);
        std::int64_t all = 0;
        for (std::uint64_t s = 0; s < plain.sites(); ++s) {
            up[s / stride % extent] += plain.up()[s];
            all += plain.up()[s];
        }
        stride *= extent;
        if (extent != longest) continue;
        double re = 0, im = 0;
        for (std::uint64_t x = 0; x < extent; ++x) {
            const double excess = static_cast<double>(static_cast<std::int64_t>(extent) * up[x] - all);
            re += 2 * excess / static_cast<double>(extent) * phases[x].real();
            im += 2 * excess / static_cast<double>(extent) * phases[x].imag();
        }
        sum += (re * re + im * im) / static_cast<double>(plain.sites());
    }
    return sum / static_cast<double>(std::ranges::count(c.extents, longest));
}

void compare(const std::vector<SwendsenWangConfig>& configs) {
    constexpr std::uint64_t first = (std::uint64_t{1} << 33) - 1;
    std::vector<std::uint64_t> first_random;
    std::vector<PlainIsing> plain;
    for (const SwendsenWangConfig& c : configs) {
        first_random.push_back(first + 10 * first_random.size());
        plain.emplace_back(c.extents, c.seed, c.couplings());
        plain.back().start_hot();
    }
    Replicas replicas(configs, first_random);
    const TileLattice& lattice = replicas.lattice();
    std::vector<std::uint64_t> words(lattice.slab_tiles());
    for (std::size_t r = 0; r < configs.size(); ++r) replicas.write(r, plain[r].words());
    Timers timers;
    for (std::uint64_t sweep = 0; sweep < 4; ++sweep) {
        replicas.sweep(sweep, timers);
        replicas.count(timers);
        for (std::size_t r = 0; r < configs.size(); ++r) {
            const SwendsenWangConfig& c = configs[r];
            plain[r].metropolis(first_random[r] + sweep, c.reduced_coupling(), c.beta * c.field);
            replicas.read(r, words);
            ASSERT_EQ(words, plain[r].words()) << c.extents[0] << " x " << c.extents[1] << ", replica " << r;
            std::uint64_t up = 0;
            for (const std::uint64_t word : words) up += static_cast<std::uint64_t>(std::popcount(word));
            EXPECT_EQ(replicas.up(r), up);
            EXPECT_EQ(replicas.satisfied(r), satisfied_bonds_of(plain[r], lattice.dimensions));
        }
    }
}

TEST_P(ReplicasOf, SweepsAreThePlainUpdate) {
    using enum Boundary;
    const std::vector<std::pair<std::vector<std::uint64_t>, std::vector<Boundary>>> lattices = {
        {{2, 2}, {}},
        {{16, 16}, {}},
        {{6, 22}, {antiperiodic, periodic}},
        {{9, 13}, {open, open}},
        {{24, 7}, {periodic, open}},
        {{8, 8, 8}, {}},
        {{4, 6, 10}, {periodic, antiperiodic, periodic}},
        {{5, 6, 3}, {open, periodic, open}},
    };
    for (const auto& [extents, boundaries] : lattices)
        for (const bool in_fields : {false, true})
            for (const std::size_t number : {1U, 11U}) {
                std::vector<SwendsenWangConfig> configs = various(extents, boundaries, in_fields, number);
                for (SwendsenWangConfig& c : configs) c.simd = GetParam().name;
                compare(configs);
            }
}

/// The bits of the structure factor are those that one configuration has (Observation::smallest_mode()).
TEST_P(ReplicasOf, ModesAreThoseOfOneConfiguration) {
    for (const std::vector<std::uint64_t>& extents :
         std::vector<std::vector<std::uint64_t>>{{16, 16}, {6, 22}, {8, 8, 8}, {10, 10, 6}}) {
        std::vector<SwendsenWangConfig> configs = various(extents, {}, false, 9);
        for (SwendsenWangConfig& c : configs) c.simd = GetParam().name;
        Replicas replicas(configs, std::vector<std::uint64_t>(configs.size()));
        Timers timers;
        for (std::uint64_t sweep = 0; sweep < 3; ++sweep) replicas.sweep(sweep, timers);
        replicas.count(timers);
        std::vector<std::uint64_t> words(replicas.lattice().slab_tiles());
        for (std::size_t r = 0; r < configs.size(); ++r) {
            replicas.read(r, words);
            EXPECT_EQ(replicas.smallest_mode(r), smallest_mode(configs[r], words)) << extents[0];
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Variants, ReplicasOf, testing::ValuesIn(sweep_variants()),
                         [](const auto& variant) { return std::string(variant.param.name); });

TEST(Replicas, FollowNewTemperatures) {
    std::vector<SwendsenWangConfig> configs = various({16, 16}, {}, false, 9);
    Replicas changed(configs, std::vector<std::uint64_t>(9));
    for (std::size_t r = 0; r < 9; ++r) configs[r].beta = 1.1 - 0.1 * static_cast<double>(r);
    Replicas expected(configs, std::vector<std::uint64_t>(9));
    Timers timers;
    std::vector<std::uint64_t> start(4, 0x123456789abcdef), one(4), other(4);
    for (std::size_t r = 0; r < 9; ++r) {
        changed.set_table(r, configs[r].metropolis());
        changed.write(r, start);
        expected.write(r, start);
    }
    changed.sweep(5, timers);
    expected.sweep(5, timers);
    for (std::size_t r = 0; r < 9; ++r) {
        changed.read(r, one);
        expected.read(r, other);
        EXPECT_EQ(one, other);
    }
}

}  // namespace
}  // namespace strata::swendsen_wang
