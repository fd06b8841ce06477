// SPDX-License-Identifier: BSD-3-Clause
// Result files: written and read back unchanged; damaged or foreign files are rejected.
#include "io/study_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <tuple>

#include "io/content_digest.hpp"
#include "io/files.hpp"
#include "io/hdf5.hpp"
#include "report/table.hpp"
#include "strata/error.hpp"
#include "strata/study.hpp"

namespace strata::io {
namespace {

Study some_study() {
    Study s;
    Key seed, name;
    seed.name = "run.seed";
    name.name = "output.name";
    s.config = Config("swendsen-wang", {{seed, "7", "default"}, {name, "ü", "a.ini:3"}});
    s.text = "application = swendsen-wang\n";
    s.version = "1.2.3";
    s.provenance = {{"version", "1.2.3"}, {"hosts", "a b"}};
    s.ranks = 3;
    s.threads = 2;
    PointRecord& r = s.records.emplace_back();
    r.backend = "cpu portable";
    r.steps = 10;
    r.total_steps = 20;
    r.quantities = {{"energy", "J", "per site", {-1.5, -1.25}, {0.1, 0.2}, {0.5, std::nan("")}, {}}};
    r.timers = {{"bonds", 1.5, 2.5, 10}};
    r.performance = {{"ns_per_site_update", 0.75, "ns", "words"}};
    r.state_hash = "0123456789abcdef";
    return s;
}

class ResultFile : public testing::Test {
  protected:
    const std::string path_ = testing::TempDir() + "strata_result_" + std::to_string(getpid()) + ".h5";
    void TearDown() override { std::remove(path_.c_str()); }
};

TEST_F(ResultFile, ReadsWhatWasWritten) {
    Series series({{"energy", "J", "e"}, {"m", "1", "m"}});
    series.append(std::vector<double>{1, 2});
    series.append(std::vector<double>{3, 4});
    Study sent = some_study();
    sent.records[0].series = series;
    write_study(path_, sent);
    const Study s = read_study(path_);
    const PointRecord& r = s.records.at(0);
    EXPECT_EQ(s.config.application(), "swendsen-wang");
    EXPECT_EQ(s.config.value("output.name").text, "ü");
    EXPECT_EQ(s.version, "1.2.3");
    EXPECT_EQ(s.text, sent.text);
    EXPECT_EQ(s.ranks, 3);
    EXPECT_EQ(r.state, PointState::open);
    EXPECT_EQ(r.backend, "cpu portable");
    EXPECT_EQ(r.quantities.at(0).value, (std::vector<double>{-1.5, -1.25}));
    EXPECT_EQ(r.quantities.at(0).error, (std::vector<double>{0.1, 0.2}));
    EXPECT_TRUE(r.quantities.at(0).reference.empty());
    EXPECT_EQ(r.timers.at(0).seconds_most, 2.5);
    EXPECT_EQ(r.performance.at(0).value, 0.75);
    EXPECT_EQ(r.state_hash, "0123456789abcdef");
}

/// Columns with five attributes each: the digest reads them in one order when they are written and when they are read.
TEST_F(ResultFile, KeepsAxes) {
    Study sent = some_study();
    sent.records[0].quantities = {Quantity{"times", "1", "t", {0, 1}}.coordinate_of("time"),
                                  Quantity{"pairs", "1", "p", {1, 2, 3, 4, 5, 6}}.over("site", "other-site", 3),
                                  Quantity{"energies", "J", "e", {1}}.over("state"), Quantity{"energy", "J", "e", {1}}};
    std::vector<Column> columns = {{"time", "1", "t", Role::coordinate}};
    for (std::int64_t i = 0; i < 7; ++i) columns.push_back(member_column("sz", "site", {i}, "1", "of a site"));
    sent.records[0].series = Series(columns);
    sent.records[0].series.append(std::vector<double>(8));
    write_study(path_, sent);
    const std::vector<Quantity> q = read_study(path_).records.at(0).quantities;
    EXPECT_EQ(q.at(0).role, Role::coordinate);
    EXPECT_EQ(q.at(0).axes, std::vector<std::string>{"time"});
    EXPECT_EQ(q.at(1).axes, (std::vector<std::string>{"site", "other-site"}));
    EXPECT_EQ(q.at(1).row_length, 3u);
    EXPECT_EQ(q.at(2).axes, std::vector<std::string>{"state"});
    EXPECT_TRUE(q.at(3).axes.empty());
    EXPECT_EQ(nlohmann::json::parse(to_json(sent))["observables"]["pairs"]["row_length"], 3);
}

TEST_F(ResultFile, KeepsTheVerdict) {
    write_study(path_, some_study());
    EXPECT_FALSE(read_study(path_).records.at(0).exit_code);  // of an incomplete run
    EXPECT_TRUE(nlohmann::json::parse(to_json(read_study(path_)))["exit_code"].is_null());
    for (const auto& [code, sentence, state] :
         {std::tuple{0, "", PointState::finished}, {5, "It has not converged.", PointState::unconverged}}) {
        Study study = some_study();
        conclude(study.records[0], sentence);
        write_study(path_, study);
        const Study read = read_study(path_);
        const PointRecord& r = read.records.at(0);
        EXPECT_EQ(r.exit_code, code);
        EXPECT_EQ(read.exit_code(), code);
        EXPECT_EQ(r.sentence, sentence);
        EXPECT_EQ(r.state, state);
        const auto json = nlohmann::json::parse(to_json(read));
        EXPECT_EQ(json["exit_code"], code);
        EXPECT_EQ(json.value("sentence", ""), sentence);
        EXPECT_EQ(report::result_table(r, report::Colour::off).find("not converged") != std::string::npos, code == 5);
    }
}

/// Layout version 2, without exit codes: every attribute is what version 3 writes for an incomplete run.
TEST_F(ResultFile, OfTheLayoutBeforeIsRead) {
    Study study = some_study();
    study.records[0].state = PointState::finished;
    write_study(path_, study);
    for (const int version : {2, 3, 1, 4}) {
        {
            const Handle file(H5Fopen(path_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), "open");
            for (const char* name : {"format_version", digest_name}) H5Adelete(file, name);
            write_attribute(file, "format_version", std::int64_t{version});
            write_attribute(file, digest_name, content_digest(file));
        }
        if (version == 2 || version == 3) {
            EXPECT_FALSE(read_study(path_).records.at(0).exit_code);
            EXPECT_TRUE(read_study(path_).complete());
        } else {
            EXPECT_THROW(read_study(path_), Error) << version;
        }
    }
}

TEST_F(ResultFile, WithListsOfDifferentLengthsIsRefused) {
    for (auto list : {&Quantity::error, &Quantity::tau, &Quantity::reference}) {
        Study study = some_study();
        (study.records[0].quantities[0].*list) = {1};
        write_study(path_, study);
        EXPECT_THROW(read_study(path_), Error);
    }
}

TEST_F(ResultFile, NothingElseIsLeftAndOthersAreRefused) {
    write_study(path_, some_study());
    for (const auto& entry : std::filesystem::directory_iterator(testing::TempDir()))
        EXPECT_EQ(entry.path().string().find(path_ + ".tmp"), std::string::npos);
    std::ofstream(path_) << "no HDF5";
    EXPECT_THROW(read_study(path_), Error);
    EXPECT_THROW(read_study("/nowhere/x.h5"), Error);
    EXPECT_THROW(write_study("/nowhere/x.h5", some_study()), Error);
}

/// A study with so many members per group that HDF5 stores them in trees.
Study large_study() {
    Study study = some_study();
    PointRecord& r = study.records[0];
    for (int i = 0; i < 40; ++i) {
        r.quantities.push_back({"quantity-" + std::to_string(i), "1", "a number", {0.5 * i}, {}, {}, {}});
        study.provenance.push_back({"fact-" + std::to_string(i), "known"});
    }
    return study;
}

TEST_F(ResultFile, IsShownAsItWasWrittenOrRefused) {
    Study study = large_study();
    Series& series = study.records[0].series = Series({{"energy", "J", "e"}});
    for (int i = 0; i < 5000; ++i) series.append(std::vector<double>{0.25 * i});
    write_study(path_, study);
    std::ifstream file(path_, std::ios::binary);
    const std::string good(std::istreambuf_iterator<char>(file), {}), shown = to_json(read_study(path_));
    std::mt19937 chance(3);
    int refused = 0;
    for (int i = 0; i < 400; ++i) {
        std::string damaged = good;
        std::size_t place = 0;
        do place = chance() % damaged.size();
        while (damaged[place] == 0);
        damaged[place] = static_cast<char>(damaged[place] ^ (1 << chance() % 8));
        if (i % 10 == 9) damaged.resize(place);
        std::ofstream(path_, std::ios::binary) << damaged;
        try {
            EXPECT_EQ(to_json(read_study(path_)), shown) << place;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::file);
            ++refused;
        }
    }
    EXPECT_GT(refused, 200);
}

TEST_F(ResultFile, EveryNumberIsUnderTheDigest) {
    Study study = some_study();
    PointRecord& record = study.records[0];
    record.series = Series({{"energy", "J", "e"}});
    record.series.append(std::vector<double>{12345.5});
    record.quantities.push_back({"gap", "J", "a number", {54321.5}, {0.015625}, {}, {}});
    write_study(path_, study);
    std::ifstream file(path_, std::ios::binary);
    const std::string good(std::istreambuf_iterator<char>(file), {});
    for (const double number : {12345.5, 54321.5, 0.015625}) {
        const std::size_t place = good.find(std::string(reinterpret_cast<const char*>(&number), sizeof number));
        ASSERT_NE(place, std::string::npos);
        std::string damaged = good;
        damaged[place + 6] = static_cast<char>(damaged[place + 6] ^ 1);
        std::ofstream(path_, std::ios::binary) << damaged;
        EXPECT_THROW(read_study(path_), Error) << number;
    }
}

TEST_F(ResultFile, TemporaryFilesFollowNoLink) {
    const std::string victim = path_ + ".victim", link = path_ + ".link";
    std::ofstream(victim) << "mine";
    std::filesystem::create_symlink(victim, link);
    EXPECT_THROW(probe_space(link, 100), Error);
    EXPECT_NE(temporary_name(path_), temporary_name(path_));
    EXPECT_EQ(std::filesystem::file_size(victim), 4U);
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    replace_text_file(link, "other");  // replaces the file, not the link
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_EQ(std::filesystem::file_size(victim), 5U);
    std::filesystem::remove(victim);
    std::filesystem::remove(link);
}

TEST(Json, HasTheNamesOfTheInterface) {
    const auto json = nlohmann::json::parse(to_json(some_study()));
    EXPECT_EQ(json["application"], "swendsen-wang");
    EXPECT_EQ(json["ranks"], 3);
    EXPECT_EQ(json["parameters"]["run.seed"], 7);
    EXPECT_EQ(json["observables"]["energy"]["value"][1], -1.25);
    EXPECT_TRUE(json["observables"]["energy"]["tau"][1].is_null());
    EXPECT_FALSE(json["observables"]["energy"].contains("reference"));
    EXPECT_EQ(json["timers"]["bonds"], 1.5);
    EXPECT_EQ(json["performance"]["ns_per_site_update"], 0.75);
    EXPECT_EQ(json["state_hash"], "0123456789abcdef");
}

/// Two points of a scan, the second one without results.
TEST(Json, OfAScanHasListsOverThePoints) {
    Study study = some_study();
    Key key;
    key.name = "model.beta";
    study.scan.axes = {{{{key, ""}}, {{"0.25"}, {"0.5"}}}};
    conclude(study.records[0], "It has not converged.");
    study.records.emplace_back();
    const auto json = nlohmann::json::parse(to_json(study));
    EXPECT_FALSE(json["complete"]);
    EXPECT_EQ(json["scan"]["model.beta"], (std::vector<double>{0.25, 0.5}));
    EXPECT_EQ(json["exit_code"].dump(), "[5,null]");
    EXPECT_EQ(json["sentence"], (std::vector<std::string>{"It has not converged.", ""}));
    EXPECT_EQ(json["steps"], (std::vector<int>{10, 0}));
    EXPECT_EQ(json["observables"]["energy"]["value"].dump(), "[[-1.5,-1.25],[null,null]]");
    EXPECT_EQ(json["timers"]["bonds"].dump(), "[1.5,null]");
    EXPECT_EQ(study.exit_code(), 5);
}

}  // namespace
}  // namespace strata::io
