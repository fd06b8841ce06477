// SPDX-License-Identifier: BSD-3-Clause
// The points that a section [scan] declares, its errors, and averages over replicas.
#include "strata/scan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <random>

#include "scan/definition.hpp"
#include "scan/distribution.hpp"
#include "strata/error.hpp"

namespace strata {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Key key(const std::string& name, ValueType type) {
    Key made;
    made.name = name;
    made.type = type;
    return made;
}

std::vector<Key> keys() {
    using enum ValueType;
    std::vector<Key> all = {key("model.u", real),      key("lattice.extents", integers),   key("lattice.type", choice),
                            key("run.seed", integer),  key("lattice.file", file),          key("output.name", text),
                            key("scan.start", choice), key("model.disorder-seed", integer)};
    all[0].minimum = -10;
    all[0].maximum = 10;
    all[2].choices = {"ring", "chain"};
    all[5].role = KeyRole::output;
    return all;
}

std::vector<std::string> values(const std::string& key, const std::string& text) {
    std::string error;
    for (const Key& known : keys())
        if (known.name == key) {
            const std::vector<std::string> found = scan::values_of(known, text, error);
            return error.empty() ? found : std::vector<std::string>{"error: " + error};
        }
    return {};
}

Scan defined(const std::string& text, std::string* sentences = nullptr, std::vector<cli::Override> overrides = {}) {
    cli::InputErrors errors;
    cli::JobFile job = cli::parse_job("j.ini", text, errors);
    const std::vector<scan::Entry> entries = scan::take_entries(job, overrides, errors);
    Scan made = scan::define(entries, job, overrides, keys(), errors);
    if (sentences != nullptr)
        for (const std::string& sentence : errors.sentences()) *sentences += sentence + "\n";
    else
        EXPECT_TRUE(errors.empty()) << errors.sentences().front();
    return made;
}

std::string wrong(const std::string& text, std::vector<cli::Override> overrides = {}) {
    std::string sentences;
    defined(text, &sentences, std::move(overrides));
    return sentences;
}

TEST(ScanValues, AreListsAndRanges) {
    EXPECT_THAT(values("model.u", "1, 2.5,4"), ElementsAre("1", "2.5", "4"));
    EXPECT_THAT(values("model.u", "1/4, 1e0"), ElementsAre("0.25", "1e0"));
    EXPECT_THAT(values("model.u", "0:0.4:0.1"), ElementsAre("0", "0.1", "0.2", "0.3", "0.4"));
    EXPECT_THAT(values("model.u", "2:1:-0.5, 7"), ElementsAre("2", "1.5", "1", "7"));
    EXPECT_THAT(values("run.seed", "1:5:2"), ElementsAre("1", "3", "5"));
    EXPECT_THAT(values("lattice.type", "ring, chain"), ElementsAre("ring", "chain"));
}

TEST(ScanValues, HaveEqualRatiosInALogarithmicRange) {
    EXPECT_THAT(values("model.u", "log:0.01:1:3"), ElementsAre("0.01", "0.1", "1"));
    EXPECT_THAT(values("run.seed", "log:1:1000:4"), ElementsAre("1", "10", "100", "1000"));
    EXPECT_THAT(values("model.u", "log:0:1:3").front(), HasSubstr("first and last > 0"));
    EXPECT_THAT(values("run.seed", "log:1:4:7"), ElementsAre("1", "2", "3", "4")) << "equal neighbours once";
}

TEST(ScanValues, OfKeysThatHoldListsAreSeparatedBySemicolons) {
    EXPECT_THAT(values("lattice.extents", "16,16; 32,32"), ElementsAre("16,16", "32,32"));
    EXPECT_THAT(values("lattice.extents", "16,16"), ElementsAre("16,16"));
    EXPECT_THAT(values("lattice.extents", "16:48:16"), ElementsAre("16", "32", "48"));
}

TEST(ScanValues, AreCheckedEachAlone) {
    EXPECT_THAT(values("model.u", "1, 11").front(), HasSubstr("11 must be a number from -10 to 10"));
    EXPECT_THAT(values("model.u", "1,,2").front(), HasSubstr("a value is missing"));
    EXPECT_THAT(values("run.seed", "1:2:0.5").front(), HasSubstr("must be integers"));
    EXPECT_THAT(values("lattice.type", "ring, chian").front(), HasSubstr("Did you mean chain?"));
}

TEST(ScanPoints, AreAllCombinationsTheLastKeyFastest) {
    const Scan scan = defined("[scan]\nmodel.u = 0, 4\nlattice.type = ring, chain\n");
    ASSERT_EQ(scan.points(), 4u);
    EXPECT_EQ(scan.label(0), "model.u = 0, lattice.type = ring");
    EXPECT_EQ(scan.label(1), "model.u = 0, lattice.type = chain");
    EXPECT_EQ(scan.label(2), "model.u = 4, lattice.type = ring");
}

TEST(ScanPoints, WalkKeysInStep) {
    const Scan scan = defined(
        "[scan]\nmodel.u = 0, 4\nlattice.extents = 4; 6\nrun.seed = 1,2,3\ntogether = lattice.extents, model.u\n");
    ASSERT_EQ(scan.points(), 6u);
    EXPECT_EQ(scan.label(0), "lattice.extents = 4, model.u = 0, run.seed = 1");
    EXPECT_EQ(scan.label(5), "lattice.extents = 6, model.u = 4, run.seed = 3");
    EXPECT_THAT(scan.averaged, ElementsAre("run.seed"));
    EXPECT_THAT(wrong("[scan]\nmodel.u = 0, 4\nrun.seed = 1,2,3\ntogether = run.seed, model.u\n"),
                HasSubstr("run.seed has 3 values and model.u has 2"));
    EXPECT_THAT(wrong("[scan]\nmodel.u = 0, 4\ntogether = model.u, model.v\n"), HasSubstr("model.v is not scanned"));
}

TEST(ScanPoints, AreTheLinesOfATable) {
    const std::string path = ::testing::TempDir() + "scan_table.txt";
    std::ofstream(path) << "# two columns\nmodel.u lattice.extents\n\n1 4,4\n2 6,6  # larger\n";
    const Scan scan = defined("[scan]\nfile = " + path + "\nrun.seed = 1,2\n");
    ASSERT_EQ(scan.points(), 4u);
    EXPECT_EQ(scan.label(3), "run.seed = 2, model.u = 2, lattice.extents = 6,6");
    std::ofstream(path) << "model.u run.seed\n1\n";
    EXPECT_THAT(wrong("[scan]\nfile = " + path + "\n"), HasSubstr("scan_table.txt:2: the line has 1 value for 2 keys"));
    EXPECT_THAT(wrong("[scan]\nfile = /none\n"), HasSubstr("cannot be opened"));
}

TEST(ScanPoints, OfTheCommandLineReplaceThoseOfTheFile) {
    EXPECT_EQ(defined("[scan]\nmodel.u = 0, 4\n", nullptr, {{"scan.model.u", "1,2,3"}}).points(), 3u);
    EXPECT_EQ(defined("[model]\n", nullptr, {{"scan.model.u", "1,2,3"}}).points(), 3u);
    EXPECT_EQ(defined("[model]\nu = 3\n", nullptr, {{"scan.model.u", "1,2,3"}}).points(), 3u);
    EXPECT_THAT(wrong("[scan]\nmodel.u = 0, 4\n", {{"model.u", "1"}}), HasSubstr("--scan.model.u=1 does"));
    EXPECT_THAT(wrong("[model]\nu = 3\n[scan]\nmodel.u = 0, 4\n"), HasSubstr("is given here and in [scan]"));
}

TEST(ScanPoints, HaveSeedsOfTheirOwnIfAsked) {
    const Scan scan = defined("[run]\nseed = 7\n[scan]\nmodel.u = 0, 4, 5\nseeds = different\n");
    EXPECT_EQ(scan.label(2), "model.u = 5, run.seed = 9");
    EXPECT_TRUE(scan.averaged.empty());
    EXPECT_EQ(scan::from_text(scan::to_text(scan), keys()).label(1), "model.u = 4, run.seed = 8");
    EXPECT_THAT(wrong("[scan]\nrun.seed = 0, 4\nseeds = different\n"), HasSubstr("says nothing here"));
}

TEST(ScanPoints, OfOtherSeedsHaveTheirOwnRandomNumbers) {
    const std::string seeds = "[scan]\nmodel.disorder-seed = 1, 2\n", same = "draw the same random numbers";
    EXPECT_THAT(wrong(seeds), HasSubstr(same));
    EXPECT_THAT(wrong(seeds + "run.seed = 1, 2\naverage = model.disorder-seed\n"), HasSubstr(same));
    for (const char* given :
         {"average = none\n", "run.seed = 1, 2\n", "run.seed = 1, 2\ntogether = model.disorder-seed, run.seed\n"})
        EXPECT_EQ(wrong(seeds + given), "") << given;
    EXPECT_EQ(wrong("[run]\nseed = 7\n" + seeds + "seeds = different\n"), "");
    EXPECT_EQ(wrong("[scan]\nmodel.u = 0, 4\nmodel.disorder-seed = 1\n"), "");
}

TEST(ScanPoints, RefuseWhatIsNoQuestionOfPhysics) {
    EXPECT_THAT(wrong("[scan]\nmodle.u = 0, 4\n"),
                HasSubstr("modle.u is not a key of this application. Did you mean model.u?"));
    EXPECT_THAT(wrong("[scan]\noutput.name = a; b\n"), HasSubstr("is the same for all points"));
    EXPECT_THAT(wrong("[scan]\nlattice.file = a, b\n"), HasSubstr("names a file"));
    EXPECT_THAT(wrong("[scan]\nrun.seed = 1:99999:1\nmodel.u = 1,2,3\n"), HasSubstr("299997 points"));
}

TEST(ScanPoints, SurviveTheirText) {
    const Scan scan = defined(
        "[scan]\nmodel.u = 0, 4\nlattice.extents = 4,4; 6,6\nrun.seed = 1,2,3\ntogether = model.u, lattice.extents\n");
    const Scan back = scan::from_text(scan::to_text(scan), keys());
    ASSERT_EQ(back.points(), scan.points());
    for (std::size_t p = 0; p < scan.points(); ++p) EXPECT_EQ(back.label(p), scan.label(p));
    EXPECT_EQ(back.averaged, scan.averaged);
    EXPECT_THROW(scan::from_text("axis\nvalues\t1\t2\n", keys()), Error);
}

TEST(ScanPoints, StartFromTheirNeighbours) {
    const Scan scan = defined("[scan]\nmodel.u = 0, 4, 5\nrun.seed = 1,2\nstart = previous\n");  // seeds are averaged
    const Scan back = scan::from_text(scan::to_text(scan), keys());
    for (const Scan& s : {scan, back}) {
        EXPECT_EQ(s.previous(1), std::nullopt);
        EXPECT_EQ(s.previous(3), 1u);
        EXPECT_EQ(s.next(3), 5u);
        EXPECT_EQ(s.next(5), std::nullopt);
        EXPECT_EQ(s.place_in_chain(5), 2u);
    }
    EXPECT_EQ(defined("[scan]\nmodel.u = 0, 4\n").next(0), std::nullopt);
    const Scan sizes = defined("[scan]\nlattice.extents = 4; 6\nmodel.u = 0, 4, 5\nstart = previous\n");
    EXPECT_EQ(sizes.previous(3), std::nullopt);
    EXPECT_EQ(sizes.previous(4), 3u);
    EXPECT_THAT(wrong("[scan]\nmodel.u = 0, 4\nlattice.extents = 4; 6\nstart = previous\n"),
                HasSubstr("lattice.extents decides what a state is"));
    EXPECT_THAT(wrong("[scan]\nrun.seed = 0, 4\nstart = previous\n"), HasSubstr("needs a key in [scan]"));
}

PointRecord record(std::vector<double> energy, std::vector<double> list = {}) {
    PointRecord r;
    r.state = PointState::finished;
    r.quantities.push_back({"energy", "J", "Energy.", std::move(energy)});
    if (!list.empty()) r.quantities.push_back({"list", "1", "List.", std::move(list)});
    return r;
}

TEST(ScanQuantities, AreFilledUpWithNaN) {
    PointRecord open;
    const std::vector<ScanQuantity> merged = merged_quantities({record({1}, {1, 2}), open, record({3}, {4, 5, 6})});
    ASSERT_EQ(merged.size(), 2u);
    EXPECT_EQ(merged[1].width, 3u);
    EXPECT_TRUE(std::isnan(merged[0].over_points.value[1]));
    EXPECT_TRUE(std::isnan(merged[1].over_points.value[2]));
    EXPECT_EQ(merged[1].over_points.value[8], 6);
}

TEST(ScanAverage, IsTheMeanWithItsStandardError) {
    const Scan scan = defined("[scan]\nrun.seed = 1,2,3,4\nmodel.u = 0, 4\n");  // u varies fastest
    std::vector<PointRecord> points(8);
    const double of_zero[] = {1, 2, 4, 5};
    for (std::size_t s = 0; s < 4; ++s) {
        points[2 * s] = record({of_zero[s]});
        if (s == 2) points[2 * s + 1] = record({7});
    }
    const ScanAverages averages = average_replicas(scan, points);
    EXPECT_THAT(averages.first_point, ElementsAre(0, 1));
    EXPECT_THAT(averages.replicas, ElementsAre(4, 1));
    EXPECT_DOUBLE_EQ(averages.quantities[0].over_points.value[0], 3);
    // deviations -2, -1, 1, 2: variance 10 / 3 of a value, 10 / 12 of the mean, and 3 of Student's t
    EXPECT_DOUBLE_EQ(averages.quantities[0].over_points.error[0], std::sqrt(10.0 / 12 * 3));
    EXPECT_EQ(averages.quantities[0].over_points.value[1], 7);
    EXPECT_TRUE(std::isnan(averages.quantities[0].over_points.error[1]));
    const Scan seeds = defined("[scan]\nrun.seed = 1:100:1\n");
    EXPECT_EQ(average_replicas(seeds, std::vector<PointRecord>(100, record({0.1}))).quantities[0].over_points.error[0],
              0);
}

/// Mean square of deviation / error of averages over seeds of two kinds, whose effects have the standard deviations `disorder` and
/// `thermal`, and their combination `both`.
double mean_square_pull(double disorder, double thermal, double both, const std::string& more) {
    const Scan scan = defined("[scan]\nmodel.disorder-seed = 1:8:1\nrun.seed = 1:6:1\n" + more);
    std::mt19937 engine(1);
    std::normal_distribution<double> normal;
    double squares = 0;
    constexpr int times = 2000;
    for (int i = 0; i < times; ++i) {
        std::map<std::string, double> effect;
        std::vector<PointRecord> points;
        for (std::size_t p = 0; p < scan.points(); ++p) {
            double value = both * normal(engine);
            const std::vector<std::string> seeds = scan.values(p);
            for (std::size_t k = 0; k < 2; ++k)
                value +=
                    effect.try_emplace(std::to_string(k) + seeds[k], (k == 0 ? disorder : thermal) * normal(engine))
                        .first->second;
            points.push_back(record({value}));
        }
        const Quantity q = average_replicas(scan, points).quantities[0].over_points;
        squares += q.value[0] * q.value[0] / (q.error[0] * q.error[0]);
    }
    return squares / times;
}

TEST(ScanAverage, KnowsThatReplicasShareSeeds) {
    EXPECT_NEAR(mean_square_pull(1, 0, 0.1, ""), 1, 0.15);
    EXPECT_NEAR(mean_square_pull(0, 1, 0.1, ""), 1, 0.2);
    EXPECT_NEAR(mean_square_pull(1, 1, 1, ""), 0.9, 0.25);
    EXPECT_NEAR(mean_square_pull(0, 0, 1, ""), 0.6, 0.2);  // the larger one of two errors is too large
}

TEST(ScanAverage, HasNoErrorWhereAReplicaKnowsNone) {
    const Scan scan = defined("[scan]\nrun.seed = 1,2,3,4\n");
    std::vector<PointRecord> points = {record({1}), record({2}), record({3}), record({4})};
    const auto error = [&] { return average_replicas(scan, points).quantities[0].over_points.error[0]; };
    for (PointRecord& point : points) point.quantities[0].error = {0.5};
    EXPECT_DOUBLE_EQ(error(), std::sqrt(5.0 / 12 * 3));
    points[1].quantities[0].error = {std::nan("")};  // too few observations, for example
    EXPECT_DOUBLE_EQ(error(), std::sqrt(5.0 / 12 * 3));
    points[1].remark = "It may not be in equilibrium.";
    EXPECT_TRUE(std::isnan(error()));
    points[1].quantities[0].error = {0.5};
    EXPECT_DOUBLE_EQ(error(), std::sqrt(5.0 / 12 * 3));
}

/// A correlation length that is absent where it is below its noise: the mean of those that are not would be too large.
TEST(ScanAverage, IsAbsentWhereAReplicaHasNoValue) {
    const Scan scan = defined("[scan]\nrun.seed = 1,2,3,4,5\n");
    std::vector<PointRecord> points = {record({1}, {3, 4}), record({2}, {5, 6}), record({3}, {7, 8}),
                                       record({4}, {9, 10}), PointRecord()};  // the last one is open
    EXPECT_EQ(average_replicas(scan, points).quantities[1].over_points.value[1], 7);
    points[2] = record({3}, {7});
    const ScanAverages averages = average_replicas(scan, points);
    EXPECT_EQ(averages.quantities[0].over_points.value[0], 2.5);
    EXPECT_EQ(averages.quantities[1].over_points.value[0], 6);
    EXPECT_TRUE(std::isnan(averages.quantities[1].over_points.value[1]));
    EXPECT_TRUE(std::isnan(averages.quantities[1].over_points.error[1]));
    points[2] = record({3});
    EXPECT_TRUE(std::isnan(average_replicas(scan, points).quantities[1].over_points.value[0]));
}

TEST(ScanAverage, HasNoErrorOfFewerThanFour) {
    const auto error = [](const std::string& keys) {
        const Scan scan = defined("[scan]\n" + keys);
        std::vector<PointRecord> points;
        for (std::size_t p = 0; p < scan.points(); ++p) points.push_back(record({static_cast<double>(p * p)}));
        return average_replicas(scan, points).quantities[0].over_points.error[0];
    };
    EXPECT_TRUE(std::isnan(error("run.seed = 1,2\n")));
    EXPECT_TRUE(std::isnan(error("run.seed = 1,2,3\n")));
    EXPECT_GT(error("run.seed = 1,2,3,4\n"), 0);
    // twelve replicas, but three seeds of the disorder
    EXPECT_TRUE(std::isnan(error("model.disorder-seed = 1,2,3\nrun.seed = 1,2,3,4\n")));
    EXPECT_GT(error("model.disorder-seed = 1,2,3,4\nrun.seed = 1,2,3,4\n"), 0);
    EXPECT_GT(error("model.disorder-seed = 1\nrun.seed = 1,2,3,4\n"), 0);  // a single value is no average
}

TEST(ScanRecord, TravelsWithAllItsDigits) {
    std::vector<scan::PointOutcome> both = {{17, record({1.0 / 3, std::nan("")}, {-0.0, 1e300})}, {18, record({2})}};
    scan::PointOutcome& sent = both[0];
    sent.record.state = PointState::unconverged;
    sent.record.exit_code = 5;
    sent.record.sentence = "no";
    sent.record.state_hash = "0123456789abcdef";
    sent.record.steps = 12;
    sent.record.timers.push_back({"step", 0.5, 0.75, 3});
    sent.record.performance.push_back({"rate", 2, "1/s", "Rate."});
    sent.record.quantities[0] = std::move(sent.record.quantities[0]).over("site", "other-site", 2);
    sent.record.series = Series({{"a", "1", "A.", Role::coordinate}, member_column("b", "site", {3, -1}, "J", "B.")});
    sent.record.series.assign({1, 2, 3, 4});
    const std::vector<std::byte> bytes = scan::pack(both);
    const std::vector<scan::PointOutcome> all = scan::unpack(bytes);
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[1].point, 18u);
    EXPECT_EQ(all[1].record.quantities[0].value[0], 2);
    const scan::PointOutcome& got = all[0];
    EXPECT_EQ(got.point, 17u);
    EXPECT_EQ(got.record.state, PointState::unconverged);
    EXPECT_EQ(got.record.exit_code, 5);
    EXPECT_EQ(got.record.sentence + got.record.state_hash, "no0123456789abcdef");
    EXPECT_EQ(got.record.steps, 12u);
    EXPECT_EQ(got.record.quantities[0].value[0], 1.0 / 3);
    EXPECT_TRUE(std::isnan(got.record.quantities[0].value[1]));
    EXPECT_EQ(got.record.quantities[1].unit + got.record.timers[0].name, "1step");
    EXPECT_EQ(got.record.timers[0].seconds_most, 0.75);
    EXPECT_EQ(got.record.performance[0].meaning, "Rate.");
    EXPECT_EQ(got.record.series.rows(), 2u);
    EXPECT_EQ(got.record.quantities[0].axes, (std::vector<std::string>{"site", "other-site"}));
    EXPECT_EQ(got.record.quantities[0].row_length, 2u);
    EXPECT_EQ(got.record.series.columns()[0].role, Role::coordinate);
    const Column& member = got.record.series.columns()[1];
    EXPECT_EQ(member.name + " " + member.array + " " + member.axis + " " + member.label, "b-3--1 b site 3,-1");
    EXPECT_EQ(member.unit, "J");
    EXPECT_EQ(got.record.series.row(1)[0], 3);
    EXPECT_THROW(scan::unpack(std::vector<std::byte>(11)), Error);
    EXPECT_THROW(scan::unpack({bytes.begin(), bytes.end() - 1}), Error);
    EXPECT_TRUE(scan::unpack(std::vector<std::byte>(8)).empty());
}

}  // namespace
}  // namespace strata
