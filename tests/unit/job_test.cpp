// SPDX-License-Identifier: BSD-3-Clause
// Every way of writing a job wrongly that Boost.Program_options alone would let pass or explain badly.
#include "cli/job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <fstream>

#include "strata/error.hpp"

namespace strata::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<Key> some_keys() {
    return {{"lattice.extents", ValueType::integers, "", "sites", "", KeyRole::physics, 2, 1e6},
            {"run.sweeps", ValueType::integer, "100", "", "", KeyRole::length, 1, 9e15},
            {"run.temperature", ValueType::real, "1", "", "", KeyRole::physics, 0},
            {"run.wall-time", ValueType::duration, "none", "", "", KeyRole::length},
            {"run.vectors", ValueType::yes_no, "no", "", "", KeyRole::output},
            {"run.scan", ValueType::reals, "1", "", "", KeyRole::physics},
            {"output.name", ValueType::text, "", "", "", KeyRole::output},
            {"backend.device", ValueType::choice, "auto", "", "", KeyRole::backend, 0, 0, {"auto", "cpu", "cuda"}}};
}

struct Resolved {
    Config config;
    std::vector<std::string> faults;
};

Resolved resolved(const std::string& text, const std::vector<Override>& overrides = {}) {
    Faults faults;
    const JobFile job = parse_job("a.ini", "application = x\n" + text, faults);
    Config config = resolve("x", job, overrides, some_keys(), faults);
    return {config, faults.sentences()};
}

TEST(Job, ValuesWithTheirOrigins) {
    const Resolved r = resolved("[run]\nsweeps = 5 # five\n[output]\nname = \"a b\"\n", {{"run.temperature", "2.5"}});
    EXPECT_THAT(r.faults, IsEmpty());
    EXPECT_EQ(r.config.integer("run.sweeps"), 5);
    EXPECT_EQ(r.config.text("output.name"), "a b");
    EXPECT_EQ(r.config.real("run.temperature"), 2.5);
    EXPECT_EQ(r.config.value("run.sweeps").origin, "a.ini:3");
    EXPECT_EQ(r.config.value("run.temperature").origin, "command line");
    EXPECT_FALSE(r.config.given("backend.device"));
}

TEST(Job, CommandLineWinsOverFile) {
    EXPECT_EQ(resolved("[run]\nsweeps = 5\n", {{"run.sweeps", "6"}}).config.integer("run.sweeps"), 6);
}

TEST(Job, MarksAndEndingsOfOtherSystems) {
    Faults faults;
    const JobFile job = parse_job("a",
                                  "\xEF\xBB\xBF"
                                  "application = x\r\n[run]\r\n\tsweeps\t=\t7\t\r\n# ü\nscan = 1",
                                  faults);
    EXPECT_THAT(faults.sentences(), IsEmpty());
    const Config config = resolve("x", job, {}, some_keys(), faults);
    EXPECT_EQ(config.integer("run.sweeps"), 7);
    EXPECT_EQ(config.reals("run.scan"), std::vector<double>{1});
}

TEST(Job, UnknownKeyNamesPlaceAndNearest) {
    EXPECT_THAT(resolved("[run]\nsweps = 5\n").faults,
                ElementsAre("a.ini:3: run.sweps is not a key of x. Did you mean run.sweeps?"));
    EXPECT_THAT(resolved("[Run]\nSweeps = 5\n").faults, ElementsAre(HasSubstr("Did you mean run.sweeps?")));
    EXPECT_THAT(resolved("[lattice]\nsweeps = 5\n").faults, ElementsAre(HasSubstr("Did you mean run.sweeps?")));
}

TEST(Job, KeyGivenTwiceNamesBothLines) {
    const Resolved r = resolved("[run]\nsweeps = 5\nsweeps = 6\n");
    EXPECT_THAT(r.faults, ElementsAre(testing::AllOf(HasSubstr("a.ini:4"), HasSubstr("a.ini:3"))));
    EXPECT_THAT(resolved("", {{"run.sweeps", "1"}, {"run.sweeps", "2"}}).faults, ElementsAre(HasSubstr("twice")));
}

TEST(Job, NumbersAreNumbers) {
    for (const char* bad : {"-5", "0", "1e3", "nan", "inf", "1e400", "0x10", "5 5", "5.", "99999999999999999999",
                            "9223372036854775808", "+5"})
        EXPECT_THAT(resolved(std::string("[run]\nsweeps = ") + bad + "\n").faults,
                    ElementsAre(HasSubstr("integer from 1 to")))
            << bad;
    for (const char* bad : {"-5", "nan", "inf", "1e400", "0x10", "5 5", "1,5", "--1", "+-1"})
        EXPECT_THAT(resolved(std::string("[run]\ntemperature = ") + bad + "\n").faults,
                    ElementsAre(HasSubstr("number at least 0")))
            << bad;
    EXPECT_EQ(resolved("[run]\nsweeps = 4294967297\n").config.integer("run.sweeps"), 4294967297);
    EXPECT_EQ(resolved("[run]\ntemperature = +1e-3\n").config.real("run.temperature"), 1e-3);
}

TEST(Job, ListsAndRanges) {
    EXPECT_EQ(resolved("[run]\nscan = 2.0:2.6:0.05\n").config.reals("run.scan").size(), 13u);
    EXPECT_EQ(resolved("[run]\nscan = 1, 2:3:0.5 ,7\n").config.reals("run.scan"),
              (std::vector<double>{1, 2, 2.5, 3, 7}));
    EXPECT_EQ(resolved("[run]\nscan = 3:1:-1\n").config.reals("run.scan"), (std::vector<double>{3, 2, 1}));
    for (const char* bad : {"1,", ",", "1:2", "1:2:0", "1:2:-1", "0:1:1e-9", "1;2", "nan", "1:nan:1", "1:2:3:4"})
        EXPECT_THAT(resolved(std::string("[run]\nscan = ") + bad + "\n").faults.size(), 1u) << bad;
    EXPECT_THAT(resolved("[lattice]\nextents = 4,1\n").faults,
                ElementsAre(HasSubstr("each must be an integer from 2")));
    EXPECT_THAT(resolved("[lattice]\nextents = 4,x\n").faults, ElementsAre(HasSubstr("'x' is not an integer")));
}

TEST(Job, DurationsChoicesAndYesNo) {
    EXPECT_EQ(resolved("[run]\nwall-time = 10min\n").config.seconds("run.wall-time"), 600);
    EXPECT_EQ(resolved("[run]\nwall-time = 1.5 h\n").config.seconds("run.wall-time"), 5400);
    EXPECT_EQ(resolved("[run]\nwall-time = 90\n").config.seconds("run.wall-time"), 90);
    EXPECT_TRUE(std::isinf(resolved("").config.seconds("run.wall-time")));
    for (const char* bad : {"10 parsec", "min", "-5s", "10 10s"})
        EXPECT_THAT(resolved(std::string("[run]\nwall-time = ") + bad + "\n").faults,
                    ElementsAre(HasSubstr("must be a time")))
            << bad;
    EXPECT_THAT(resolved("[backend]\ndevice = gpu\n").faults, ElementsAre(HasSubstr("auto, cpu or cuda")));
    EXPECT_THAT(resolved("[run]\nvectors = true\n").faults, ElementsAre(HasSubstr("yes or no")));
}

TEST(Job, LinesThatAreNoInifile) {
    EXPECT_THAT(resolved("; comment\n").faults, ElementsAre(HasSubstr("comments begin with #")));
    EXPECT_THAT(resolved("[run\n").faults, ElementsAre(HasSubstr("written [name]")));
    EXPECT_THAT(resolved("[run]\nsweeps\n").faults, ElementsAre(HasSubstr("expected key = value")));
    EXPECT_THAT(resolved("[run]\nsweeps =\n").faults, ElementsAre(HasSubstr("value after '=' is missing")));
    EXPECT_THAT(resolved("[run]\n= 5\n").faults, ElementsAre(HasSubstr("key before '=' is missing")));
    EXPECT_THAT(resolved(std::string("[run]\nsweeps = 5\0\n", 18)).faults, ElementsAre(HasSubstr("NUL")));
    EXPECT_THAT(resolved("[run]\nsweeps = " + std::string(20000, '1') + "\n").faults,
                ElementsAre(HasSubstr("at most 16384")));
}

TEST(Job, AllFaultsAtOnce) {
    EXPECT_EQ(resolved("[run]\nsweeps = 0\ntemperature = x\nfoo = 1\n[backend]\ndevice = 3\n").faults.size(), 4u);
}

TEST(Job, ApplicationIsNamedOnce) {
    const auto application = [](const std::string& text) {
        Faults faults;
        application_of(parse_job("a.ini", text, faults), {"swendsen-wang", "lanczos"}, faults);
        return faults.sentences();
    };
    EXPECT_THAT(application("application = lanczos\n"), IsEmpty());
    EXPECT_THAT(application("[run]\nsweeps = 1\n"), ElementsAre(HasSubstr("is missing")));
    EXPECT_THAT(application("application = lanzcos\n"), ElementsAre(HasSubstr("Did you mean lanczos?")));
    EXPECT_THAT(application("application = lanczos\napplication = lanczos\n"), ElementsAre(HasSubstr("twice")));
    EXPECT_THAT(application(""), ElementsAre(HasSubstr("is missing")));
}

TEST(Job, CanonicalTextIsTheWholeJob) {
    const Config config = resolved("[run]\nsweeps = 5\nscan = 1:2:0.5\n[output]\nname = a b\n").config;
    const Config again = from_canonical_text(canonical_text(config), some_keys());
    EXPECT_EQ(canonical_text(again), canonical_text(config));
    EXPECT_EQ(again.integer("run.sweeps"), 5);
    EXPECT_THROW(from_canonical_text("application\tx\nrun.sweeps\t-1\tdefault\n", some_keys()), Error);
    EXPECT_THROW(from_canonical_text("application\tx\nrun.other\t1\tdefault\n", some_keys()), Error);
}

TEST(Job, ResumeChangesNoPhysics) {
    const Config config = resolved("[run]\nsweeps = 5\ntemperature = 2\n").config;
    Faults faults;
    EXPECT_EQ(override_for_resume(config, {{"run.sweeps", "9"}}, faults).integer("run.sweeps"), 9);
    EXPECT_TRUE(faults.empty());
    override_for_resume(config, {{"run.temperature", "3"}, {"run.sweep", "1"}, {"run.sweeps", "x"}}, faults);
    EXPECT_THAT(faults.sentences(), ElementsAre(HasSubstr("would change what the run computes"),
                                                HasSubstr("Did you mean"), HasSubstr("integer")));
}

class JobFileOnDisk : public testing::Test {
  protected:
    const std::string path_ = testing::TempDir() + "strata_job_" + std::to_string(getpid());
    void TearDown() override { std::remove(path_.c_str()); }
    std::string fault() const {
        try {
            read_job_text(path_);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::bad_input);
            return error.what();
        }
        return "";
    }
};

TEST_F(JobFileOnDisk, OnlyShortRegularFilesAreRead) {
    EXPECT_THAT(fault(), HasSubstr("No such file"));
    std::ofstream(path_) << "application = x\n";
    EXPECT_EQ(read_job_text(path_), "application = x\n");
    std::ofstream(path_) << std::string((1 << 20) + 1, '#');
    EXPECT_THAT(fault(), HasSubstr("larger than 1 MiB"));
    std::remove(path_.c_str());
    ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
    EXPECT_THAT(fault(), HasSubstr("not a regular file"));
    EXPECT_THROW(read_job_text("/"), Error);
}

TEST(Nearest, FindsTyposAndMisplacedSections) {
    EXPECT_EQ(nearest("run.swseeps", {"run.seed", "run.sweeps"}), "run.sweeps");
    EXPECT_EQ(nearest("completely.different", {"run.seed", "run.sweeps"}), "");
}

}  // namespace
}  // namespace strata::cli
