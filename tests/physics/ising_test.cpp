// SPDX-License-Identifier: BSD-3-Clause
// Ising and Potts models against exact and published results: enumeration of all configurations, Kaufman's solution,
// and Table 2 of Wende & Steinke (SC13) in three dimensions. Seeds are fixed, so that a test either always passes or
// always fails; the bounds are in standard deviations of the run (and of the published value).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "comm/collectives.hpp"
#include "comm/placement.hpp"
#include "io/checkpoint_file.hpp"
#include "study/study_source.hpp"
#include "support/packed_state.hpp"
#include "support/world.hpp"
#include "swendsen_wang/physics/exact.hpp"
#include "swendsen_wang/run/factory.hpp"
#include "swendsen_wang/run/swendsen_wang.hpp"

namespace strata::swendsen_wang {
namespace {

const double critical = std::log1p(std::sqrt(2.0)) / 2;

std::vector<Quantity> simulate(std::vector<std::uint64_t> extents, double beta, std::uint64_t sweeps,
                               std::uint64_t seed) {
    SwendsenWangConfig c;
    c.extents = std::move(extents);
    c.beta = beta;
    c.sweeps = sweeps;
    c.thermalization = 300;
    c.seed = seed;
    c.simd = "auto";
    const bool small = c.sites() < 4096;
    const Communicator alone = Communicator::alone();
    const Communicator& comm = small ? alone : world();
    SwendsenWang<Cpu> system(comm, SwendsenWangPlan(c, comm.size(), comm.rank(), 1));
    system.allocate();
    system.initialise();
    Series series(system.columns());
    std::vector<double> row(column_count);
    for (std::uint64_t step = 0; step < system.total_steps(); ++step) {
        system.step(step);
        if (!system.observes(step)) continue;
        row.clear();
        system.observe(row);
        if (comm.is_root()) series.append(row);
    }
    return comm.is_root() ? system.results(series) : std::vector<Quantity>{};
}

void expect_sigma(const std::vector<Quantity>& table, const char* name, double exact, double sigma,
                  double exact_error = 0) {
    if (table.empty()) return;  // rank 0 has the results
    const auto q = std::ranges::find(table, std::string(name), &Quantity::name);
    ASSERT_NE(q, table.end());
    const double error = std::hypot(q->error.at(0), exact_error);
    EXPECT_GT(error, 0) << name;
    EXPECT_LT(std::abs(q->value.at(0) - exact), sigma * error)
        << name << " " << q->value[0] << " +- " << error << ", exact " << exact;
}

/// Cases that one rank computes alone are shared out among the ranks; a failure on any of them fails the test.
bool is_of_this_rank(std::size_t at) {
    return at % static_cast<std::size_t>(world().size()) == static_cast<std::size_t>(world().rank());
}

struct Enumerated {
    std::vector<std::uint64_t> extents;
    double beta, energy, specific_heat, magnetisation, m2, m4;
};

TEST(SmallLattices, AgreeWithEnumeration) {
    // every site owns one bond per positive direction, so an extent of 2 couples twice
    const Enumerated known[] = {
        {{4, 4}, 0.3, -0.84405407362386, 0.44099265357656, 0.52035800297146, 0.35764679694113, 0.22562455584748},
        {{4, 4}, critical, -1.56562378763832, 0.78326682592891, 0.84386044481342, 0.76135890856867, 0.66569121326737},
        {{3, 3}, 0.3, -0.98768315556710, 0.45028917249813, 0.63650227001140, 0.50208454017365, 0.39008201654848},
        {{4, 2}, 0.3, -1.04410662876667, 0.36875099351075, 0.60296647950923, 0.47689140885740, 0.37466454648558},
        {{2, 2, 2}, 0.1, -0.64306146759366, 0.07334360459974, 0.40141876701479, 0.24396347667092, 0.13594540035698},
        {{2, 2, 2},
         0.221654626,
         -1.75127942314951,
         0.49332017349160,
         0.68708912194992,
         0.57736115434796,
         0.48247261682428},
        {{2, 3, 3},
         0.221654626,
         -1.50062014895878,
         0.63566644327501,
         0.59619393162834,
         0.44086893551911,
         0.30118917755715},
        {{4, 3, 2},
         0.221654626,
         -1.42650795923829,
         0.64100640866446,
         0.54662094181616,
         0.37953111390412,
         0.23545669230759},
        {{3, 3, 3}, 0.3, -2.48969958193627, 0.72529180999683, 0.89549263317429, 0.82089760519427, 0.71569468001476},
    };
    for (std::size_t at = 0; at < std::size(known); ++at) {
        if (!is_of_this_rank(at)) continue;
        const Enumerated& e = known[at];
        const std::vector<Quantity> table = simulate(e.extents, e.beta, 200000, 11);
        SCOPED_TRACE(testing::Message() << e.extents[0] << " x " << e.extents[1] << ", beta " << e.beta);
        expect_sigma(table, "energy", e.energy, 4);  // 63 comparisons: 3 sigma would fail one time in six
        expect_sigma(table, "specific-heat", e.specific_heat, 4);
        expect_sigma(table, "magnetisation", e.magnetisation, 4);
        expect_sigma(table, "magnetisation-2", e.m2, 4);
        expect_sigma(table, "magnetisation-4", e.m4, 4);
        expect_sigma(table, "susceptibility-improved",
                     e.beta *
                         static_cast<double>(e.extents[0] * e.extents[1] * (e.extents.size() > 2 ? e.extents[2] : 1)) *
                         e.m2,
                     4);
        expect_sigma(table, "binder", 1 - e.m4 / (3 * e.m2 * e.m2), 4);
    }
}

/// A small Potts lattice of at most one tile; its configurations are numbers with one base-q digit per site.
struct SmallPotts {
    std::vector<std::uint64_t> extents;
    int states;
    double beta;

    std::uint64_t sites() const { return extents[0] * extents[1]; }
    std::size_t configurations() const {
        return static_cast<std::size_t>(std::lround(std::pow(states, static_cast<double>(sites()))));
    }
    /// exp(beta times the bonds between equal states), one bond to the right and one upwards from each site.
    double weight(std::size_t configuration) const {
        std::vector<std::size_t> state;
        for (std::uint64_t site = 0; site < sites(); ++site, configuration /= static_cast<std::size_t>(states))
            state.push_back(configuration % static_cast<std::size_t>(states));
        int equal = 0;
        for (std::uint64_t y = 0; y < extents[1]; ++y)
            for (std::uint64_t x = 0; x < extents[0]; ++x) {
                const std::size_t here = state[x + extents[0] * y];
                equal += here == state[(x + 1) % extents[0] + extents[0] * y] ? 1 : 0;
                equal += here == state[x + extents[0] * ((y + 1) % extents[1])] ? 1 : 0;
            }
        return std::exp(beta * equal);
    }
    /// The configuration that the binary digits of the states form; bit x + 8 y of a word is site (x, y).
    std::size_t configuration_of(const std::vector<DistributedArray>& digits) const {
        std::size_t configuration = 0;
        for (std::size_t k = 0; k < digits.size(); ++k) {
            const std::uint64_t word = packed<std::uint64_t>(digits[k]).at(0);
            std::size_t place = 1;
            for (std::uint64_t y = 0; y < extents[1]; ++y)
                for (std::uint64_t x = 0; x < extents[0]; ++x, place *= static_cast<std::size_t>(states))
                    configuration += (word >> (x + 8 * y) & 1) * place << k;
        }
        return configuration;
    }
};

/// How often every configuration occurs, in samples four sweeps apart, which are nearly independent.
std::vector<double> frequencies(const SmallPotts& model, std::uint64_t samples) {
    SwendsenWangConfig c;
    c.extents = model.extents;
    c.beta = model.beta;
    c.states = model.states;
    c.start = Start::hot;
    c.seed = 13;
    c.simd = "auto";
    const Communicator alone = Communicator::alone();
    SwendsenWang<Cpu> system(alone, SwendsenWangPlan(c, 1, 0, 1));
    system.allocate();
    system.initialise();
    std::vector<double> count(model.configurations());
    for (std::uint64_t step = 0; step < 4 * samples; ++step) {
        system.step(step);
        if (step % 4 == 3) ++count.at(model.configuration_of(system.state()));
    }
    return count;
}

TEST(PottsModels, HaveTheBoltzmannDistribution) {
    const SmallPotts models[] = {{{3, 2}, 3, 0.4}, {{2, 2}, 4, 0.4}, {{2, 2}, 5, 0.4}};
    for (std::size_t at = 0; at < std::size(models); ++at) {
        if (!is_of_this_rank(at)) continue;
        const SmallPotts& model = models[at];
        constexpr std::uint64_t samples = 60000;
        const std::vector<double> count = frequencies(model, samples);
        double z = 0, chi2 = 0;
        for (std::size_t i = 0; i < count.size(); ++i) z += model.weight(i);
        for (std::size_t i = 0; i < count.size(); ++i) {
            const double expected = samples * model.weight(i) / z;
            chi2 += (count[i] - expected) * (count[i] - expected) / expected;
        }
        const auto freedom = static_cast<double>(count.size() - 1);
        EXPECT_LT(std::abs(chi2 - freedom), 4 * std::sqrt(2 * freedom)) << model.states << " states, chi^2 " << chi2;
    }
}

class SquareAtCriticality : public testing::TestWithParam<std::uint64_t> {};

TEST_P(SquareAtCriticality, AgreesWithKaufman) {
    const std::uint64_t l = GetParam();
    const ExactTorus exact = exact_torus(l, l, critical);
    const std::vector<Quantity> table = simulate({l, l}, critical, 4000, 5);
    expect_sigma(table, "energy", exact.energy, 3);
    expect_sigma(table, "specific-heat", exact.specific_heat, 3);
    // universal, L to infinity (Kamieniarz and Bloete 1993); corrections at these sizes are below the error
    expect_sigma(table, "binder", 0.61069, 3);
}
INSTANTIATE_TEST_SUITE_P(Sizes, SquareAtCriticality, testing::Values(480, 960));

struct Published {
    std::uint64_t extent;
    double energy, energy_error, specific_heat, specific_heat_error;
    std::uint64_t sweeps;
};
class CubicNearCriticality : public testing::TestWithParam<Published> {};

TEST_P(CubicNearCriticality, AgreesWithTable2) {
    const Published& p = GetParam();
    const std::vector<Quantity> table = simulate({p.extent, p.extent, p.extent}, 0.22165, p.sweeps, 5);
    expect_sigma(table, "energy", p.energy, 3, p.energy_error);
    expect_sigma(table, "specific-heat", p.specific_heat, 3, p.specific_heat_error);
}
INSTANTIATE_TEST_SUITE_P(Sizes, CubicNearCriticality,
                         testing::Values(Published{64, -0.996582, 0.000017, 2.705, 0.004, 6000},
                                         Published{128, -0.992642, 0.000008, 3.202, 0.005, 2500}));

TEST(HighTemperature, HasNoBias) {
    // a code that computes cluster spins from root labels instead of a generator fails here
    const std::vector<Quantity> hot = simulate({64, 64}, 0.001, 5000, 3);
    expect_sigma(hot, "energy", -2 * std::tanh(0.001), 3);
    expect_sigma(hot, "specific-heat", exact_torus(64, 64, 0.001).specific_heat, 3);
    if (!hot.empty()) {  // samples of successive sweeps are independent
        EXPECT_LT(std::ranges::find(hot, std::string("energy"), &Quantity::name)->tau.at(0), 0.6);
    }
    const std::vector<Quantity> cube = simulate({16, 16, 16}, 0.001, 5000, 3);
    expect_sigma(cube, "energy", -3 * std::tanh(0.001), 3);
    expect_sigma(cube, "magnetisation-2", 1.0 / 4096 * (1 + 6 * std::tanh(0.001)), 3);
}

/// All observed rows and the hash of the last state of a job, read as by the program; on rank 0.
std::pair<std::vector<double>, std::string> trajectory(const std::string& model, const std::string& run = "") {
    Study job = read_job_from_text("t",
                                   "application = swendsen-wang\n[lattice]\nextents = 64,64\n[model]\n" + model +
                                       "\n[run]\nsweeps = 50\nthermalization = 5\nseed = 3\n" + run,
                                   {{"backend.device", "cpu"}});
    const std::unique_ptr<Application> system = entry().make(world(), job.config, 1, nullptr);
    system->allocate();
    system->initialise();
    Series series(system->columns());
    std::vector<double> row(system->columns().size());
    for (std::uint64_t step = 0; step < system->total_steps(); ++step) {
        system->step(step);
        if (!system->observes(step)) continue;
        row.clear();
        system->observe(row);
        if (world().is_root()) series.append(row);
    }
    const std::vector<DistributedArray> state = system->state();
    return {{series.values().begin(), series.values().end()}, io::state_hash(world(), state)};
}

TEST(HighTemperature, IsTheSameTrajectoryByBetaAndByTemperature) {
    const auto [rows, hash] = trajectory("beta = 0.001");
    const auto [same_rows, same_hash] = trajectory("temperature = 1000");
    const auto [other_rows, other_hash] = trajectory("temperature = 500");
    EXPECT_EQ(hash, same_hash);
    EXPECT_NE(hash, other_hash);  // otherwise the comparison is void
    if (!world().is_root()) return;
    EXPECT_EQ(rows.size(), 50 * column_count);
    EXPECT_EQ(rows, same_rows);
    EXPECT_NE(rows, other_rows);
}

/// Rows are those with clusters less the columns of these, also behind them.
TEST(SingleSpins, NeedNoClusters) {
    const std::string model = "beta = 0.4\nfield = 0.1", run = "update = metropolis\ncorrelations = 2\n";
    const auto [rows, hash] = trajectory(model, run);
    const auto [without_clusters, same_hash] = trajectory(model, run + "clusters = no\n");
    EXPECT_EQ(hash, same_hash);
    if (!world().is_root()) return;
    const std::size_t width = column_count + 1 + 2 * 2 * 3;
    ASSERT_EQ(rows.size(), 50 * width);
    std::vector<double> of_spins;
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (i % width < cluster_2 || i % width > cluster_count) of_spins.push_back(rows[i]);
    EXPECT_EQ(of_spins, without_clusters);
}

TEST(LowTemperature, FollowsTheSeries) {
    const std::vector<Quantity> cold = simulate({32, 32}, 1.0, 4000, 3);
    expect_sigma(cold, "energy", exact_torus(32, 32, 1.0).energy, 3);
}

}  // namespace
}  // namespace strata::swendsen_wang
