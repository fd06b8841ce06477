// SPDX-License-Identifier: BSD-3-Clause
// Wrong jobs that Boost.Program_options alone would accept or explain badly.
#include "cli/job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <random>

#include "cli/applicability.hpp"
#include "strata/error.hpp"
#include "support/error_of.hpp"

namespace strata::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<Key> some_keys() {
    return {{"lattice.extents", ValueType::integers, "", "sites", "", KeyRole::physics, 2, 1e6},
            {"run.sweeps", ValueType::integer, "100", "", "", KeyRole::length, 1, 9e15},
            {"lattice.file", ValueType::file, "", "", "", KeyRole::physics},
            {"run.temperature", ValueType::real, "1", "", "", KeyRole::physics, 0},
            {"run.wall-time", ValueType::duration, "none", "", "", KeyRole::length},
            {"run.vectors", ValueType::yes_no, "no", "", "", KeyRole::output},
            {"run.scan", ValueType::reals, "1", "", "", KeyRole::physics},
            {"run.schedule", ValueType::integers, "", "", "", KeyRole::length, 2, 1e5},
            {"output.name", ValueType::text, "", "", "", KeyRole::output},
            Key{"backend.device", ValueType::choice, "auto", "", "", KeyRole::backend, 0, 0, {"auto", "cpu", "cuda"}}
                .renamed_from("backend.where")
                .renamed_from("backend.gone", "is no longer needed.")};
}

struct Resolved {
    Config config;
    std::vector<std::string> errors;
};

Resolved resolved(const std::string& text, const std::vector<Override>& overrides = {},
                  const std::vector<Key>& keys = some_keys()) {
    InputErrors errors;
    const JobFile job = parse_job("a.ini", "application = x\n" + text, errors);
    Config config = resolve("x", job, overrides, keys, errors);
    return {config, errors.sentences()};
}

/// Expects a single error with these words.
void expect_error(const Resolved& job, const std::string& words) {
    EXPECT_THAT(job.errors, ElementsAre(HasSubstr(words)));
}

TEST(Job, ValuesWithTheirOrigins) {
    const Resolved r = resolved("[run]\nsweeps = 5 # five\n[output]\nname = \"a b\"\n", {{"run.temperature", "2.5"}});
    EXPECT_THAT(r.errors, IsEmpty());
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
    InputErrors errors;
    const JobFile job = parse_job("a",
                                  "\xEF\xBB\xBF"
                                  "application = x\r\n[run]\r\n\tsweeps\t=\t7\t\r\n# ü\nscan = 1",
                                  errors);
    EXPECT_THAT(errors.sentences(), IsEmpty());
    const Config config = resolve("x", job, {}, some_keys(), errors);
    EXPECT_EQ(config.integer("run.sweeps"), 7);
    EXPECT_EQ(config.reals("run.scan"), std::vector<double>{1});
}

TEST(Job, UnknownKeyNamesPlaceAndNearest) {
    EXPECT_THAT(resolved("[run]\nsweps = 5\n").errors,
                ElementsAre("a.ini:3: run.sweps is not a key of x. Did you mean run.sweeps?"));
    expect_error(resolved("[Run]\nSweeps = 5\n"), "Did you mean run.sweeps?");
    expect_error(resolved("[lattice]\nsweeps = 5\n"), "Did you mean run.sweeps?");
}

TEST(Job, FormerNameOfAKeyIsRefusedWithTheNewOne) {
    EXPECT_THAT(resolved("[backend]\nwhere = cpu\n").errors,
                ElementsAre("a.ini:3: backend.where is now backend.device = auto, cpu or cuda."));
    expect_error(resolved("", {{"backend.where", "cpu"}}), "is now backend.device");
    InputErrors errors;
    override_for_resume(resolved("").config, {{"backend.where", "cpu"}}, errors);
    EXPECT_THAT(errors.sentences(), ElementsAre(HasSubstr("is now backend.device")));
    EXPECT_THAT(resolved("[backend]\ngone = 1\n").errors, ElementsAre("a.ini:3: backend.gone is no longer needed."));
    expect_error(resolved("[backend]\nwher = cpu\n"), "is not a key");
}

TEST(Job, KeyGivenTwiceNamesBothLines) {
    const Resolved r = resolved("[run]\nsweeps = 5\nsweeps = 6\n");
    EXPECT_THAT(r.errors, ElementsAre(testing::AllOf(HasSubstr("a.ini:4"), HasSubstr("a.ini:3"))));
    expect_error(resolved("", {{"run.sweeps", "1"}, {"run.sweeps", "2"}}), "twice");
}

TEST(Job, NumbersAreNumbers) {
    for (const char* bad : {"-5", "0", "1.5", "1e-3", "1e17", "nan", "inf", "1e400", "0x10", "5 5", "4/2", "10k",
                            "99999999999999999999", "9223372036854775808"})
        EXPECT_THAT(resolved(std::string("[run]\nsweeps = ") + bad + "\n").errors,
                    ElementsAre(HasSubstr("integer from 1 to")))
            << bad;
    for (const char* bad : {"-5", "nan", "inf", "1e400", "0x10", "5 5", "1,5", "--1", "+-1", "1/0", "1/", "/2", "1/2/3",
                            "-1/2", "1e300/1e-300"})
        EXPECT_THAT(resolved(std::string("[run]\ntemperature = ") + bad + "\n").errors,
                    ElementsAre(HasSubstr("number at least 0")))
            << bad;
    EXPECT_EQ(resolved("[run]\nsweeps = 4294967297\n").config.integer("run.sweeps"), 4294967297);
    EXPECT_EQ(resolved("[run]\ntemperature = +1e-3\n").config.real("run.temperature"), 1e-3);
}

/// 1e3 is an integer and 1/2 a number; the job stores plain digits, so that equal jobs are equal texts.
TEST(Job, NumbersMayBeWrittenAsPeopleDo) {
    for (const char* thousand : {"1000", "1e3", "1.0e3", "+1000", "1000."}) {
        const Config config = resolved("[run]\nsweeps = " + std::string(thousand) + "\n").config;
        EXPECT_EQ(config.integer("run.sweeps"), 1000) << thousand;
        EXPECT_EQ(config.value("run.sweeps").text, "1000") << thousand;
    }
    EXPECT_EQ(resolved("[run]\ntemperature = 3 / 2\n").config.real("run.temperature"), 1.5);
    EXPECT_EQ(resolved("[run]\ntemperature = 1/3\n").config.real("run.temperature"), 1.0 / 3);
    EXPECT_EQ(resolved("[run]\nscan = 1/2, 1/4:3/4:1/4\n").config.reals("run.scan"),
              (std::vector<double>{0.5, 0.25, 0.5, 0.75}));
    EXPECT_EQ(resolved("[lattice]\nextents = 1e2,4\n").config.integers("lattice.extents"),
              (std::vector<std::int64_t>{100, 4}));
    const Config config = resolved("[run]\ntemperature = 0.5\n").config;
    InputErrors errors;
    override_for_resume(config, {{"run.temperature", "1/2"}}, errors);
    EXPECT_THAT(errors.sentences(), IsEmpty()) << "the same number";
}

/// The suggestion for a wrong number is never another number, and for a wrong name only a key of this application.
TEST(Job, SuggestionsChangeNoPhysics) {
    std::vector<Key> keys = some_keys();
    keys.push_back({"model.spin", ValueType::choice, "0.5", "", "", KeyRole::physics, 0, 0, {"0.5", "1", "1.5"}});
    keys.push_back({"model.kind", ValueType::choice, "10", "", "", KeyRole::physics, 0, 0, {"10", "20"}});
    keys.push_back({"model.t", ValueType::real, "1", "", "", KeyRole::physics});
    const auto job = [&](const std::string& text) { return resolved(text, {}, keys); };
    EXPECT_EQ(job("[model]\nspin = 1/2\n").config.text("model.spin"), "0.5");
    EXPECT_EQ(job("[model]\nspin = 3/2\n").config.text("model.spin"), "1.5");
    EXPECT_EQ(job("[model]\nspin = 1.0\n").config.text("model.spin"), "1");
    for (const char* other : {"5/2", "2", "0.4", "-1"})
        EXPECT_THAT(job("[model]\nspin = " + std::string(other) + "\n").errors,
                    ElementsAre(testing::EndsWith("must be 0.5, 1 or 1.5.")))
            << other;
    EXPECT_THAT(job("[model]\nkind = 11\n").errors, ElementsAre(testing::EndsWith("must be 10 or 20.")));
    EXPECT_THAT(job("[model]\nh = 1\n").errors, ElementsAre("a.ini:3: model.h is not a key of x."));
    expect_error(job("[lattice]\nL = 8\n"), "Did you mean lattice.extents?");
    expect_error(job("[model]\nsize = 8\n"), "Did you mean lattice.extents?");
    expect_error(job("[run]\nmcs = 8\n"), "Did you mean run.sweeps?");
    expect_error(job("[backend]\ndevice = gpu\n"), "Did you mean cuda?");
}

TEST(Job, ListsAndRanges) {
    EXPECT_EQ(resolved("[run]\nscan = 2.0:2.6:0.05\n").config.reals("run.scan").size(), 13u);
    EXPECT_EQ(resolved("[run]\nscan = 1, 2:3:0.5 ,7\n").config.reals("run.scan"),
              (std::vector<double>{1, 2, 2.5, 3, 7}));
    EXPECT_EQ(resolved("[run]\nscan = 3:1:-1\n").config.reals("run.scan"), (std::vector<double>{3, 2, 1}));
    for (const char* bad : {"1,", ",", "1:2", "1:2:0", "1:2:-1", "0:1:1e-9", "1;2", "nan", "1:nan:1", "1:2:3:4"})
        EXPECT_THAT(resolved(std::string("[run]\nscan = ") + bad + "\n").errors.size(), 1u) << bad;
    expect_error(resolved("[lattice]\nextents = 4,1\n"), "each must be an integer from 2");
    expect_error(resolved("[lattice]\nextents = 4,x\n"), "'x' is not an integer");
}

TEST(Job, NoneWithdrawsAListThatWasGiven) {
    const std::string job = "[lattice]\nextents = 4,4\n[run]\nschedule = 10,20\n";
    EXPECT_FALSE(resolved(job, {{"run.schedule", "none"}}).config.given("run.schedule"));
    EXPECT_FALSE(resolved("[run]\nschedule = none\n").config.given("run.schedule"));
    EXPECT_THAT(resolved("[run]\nscan = none\n").errors.size(), 1u);  // a list with a default cannot be withdrawn
    InputErrors errors;
    const Config resumed = override_for_resume(resolved(job).config, {{"run.schedule", "none"}}, errors);
    EXPECT_THAT(errors.sentences(), IsEmpty());
    EXPECT_FALSE(resumed.given("run.schedule"));
    EXPECT_FALSE(from_canonical_text(canonical_text(resumed), some_keys()).given("run.schedule"));
    override_for_resume(resolved(job).config, {{"lattice.extents", "none"}}, errors);
    EXPECT_THAT(errors.sentences(), ElementsAre(HasSubstr("would change what the run computes")));
}

TEST(Job, DurationsChoicesAndYesNo) {
    EXPECT_EQ(resolved("[run]\nwall-time = 10min\n").config.seconds("run.wall-time"), 600);
    EXPECT_EQ(resolved("[run]\nwall-time = 1.5 h\n").config.seconds("run.wall-time"), 5400);
    EXPECT_EQ(resolved("[run]\nwall-time = 90\n").config.seconds("run.wall-time"), 90);
    EXPECT_TRUE(std::isinf(resolved("").config.seconds("run.wall-time")));
    for (const char* bad : {"10 parsec", "min", "-5s", "10 10s"})
        EXPECT_THAT(resolved(std::string("[run]\nwall-time = ") + bad + "\n").errors,
                    ElementsAre(HasSubstr("must be a time")))
            << bad;
    expect_error(resolved("[backend]\ndevice = gpu\n"), "auto, cpu or cuda");
    expect_error(resolved("[run]\nvectors = true\n"), "yes or no");
}

TEST(Job, LinesThatAreNoInifile) {
    expect_error(resolved("; comment\n"), "comments begin with #");
    expect_error(resolved("[run\n"), "written [name]");
    expect_error(resolved("[run]\nsweeps\n"), "expected key = value");
    expect_error(resolved("[run]\nsweeps =\n"), "value after '=' is missing");
    expect_error(resolved("[run]\n= 5\n"), "key before '=' is missing");
    expect_error(resolved("[run]\nsweeps = " + std::string(20000, '1') + "\n"), "at most 16384");
}

TEST(Job, AllFaultsAtOnce) {
    EXPECT_EQ(resolved("[run]\nsweeps = 0\ntemperature = x\nfoo = 1\n[backend]\ndevice = 3\n").errors.size(), 4u);
}

TEST(Job, ApplicationIsNamedOnce) {
    const auto application = [](const std::string& text) {
        InputErrors errors;
        application_of(parse_job("a.ini", text, errors), {}, {"swendsen-wang", "lanczos"}, errors);
        return errors.sentences();
    };
    EXPECT_THAT(application("application = lanczos\n"), IsEmpty());
    EXPECT_THAT(application("[run]\nsweeps = 1\n"), ElementsAre(HasSubstr("is missing")));
    EXPECT_THAT(application("application = lanzcos\n"), ElementsAre(HasSubstr("Did you mean lanczos?")));
    EXPECT_THAT(application("application = lanczos\napplication = lanczos\n"), ElementsAre(HasSubstr("twice")));
    EXPECT_THAT(application(""), ElementsAre(HasSubstr("is missing")));
    InputErrors errors;
    const JobFile file = parse_job("a.ini", "application = lanczos\n", errors);
    EXPECT_EQ(application_of(file, {{"application", "swendsen-wang"}}, {"swendsen-wang", "lanczos"}, errors),
              "swendsen-wang");
    EXPECT_THAT(errors.sentences(), IsEmpty());
    application_of(file, {{"application", "lanzcos"}}, {"swendsen-wang", "lanczos"}, errors);
    EXPECT_THAT(errors.sentences(), ElementsAre(HasSubstr("--application=lanzcos is not one of")));
}

TEST(Job, CanonicalTextIsTheWholeJob) {
    const Config config = resolved("[run]\nsweeps = 5\nscan = 1:2:0.5\n[output]\nname = a b\n").config;
    const Config again = from_canonical_text(canonical_text(config), some_keys());
    EXPECT_EQ(canonical_text(again), canonical_text(config));
    EXPECT_EQ(again.integer("run.sweeps"), 5);
    EXPECT_THROW(from_canonical_text("application\tx\nrun.sweeps\t-1\tdefault\n", some_keys()), Error);
    EXPECT_THROW(from_canonical_text("application\tx\nrun.other\t1\tdefault\n", some_keys()), Error);
}

TEST(Job, CanonicalTextHoldsAnyBytesInPrintableOnes) {
    std::mt19937 random(1);
    const std::vector<Key> keys = {some_keys()[1], some_keys()[2]};
    for (int length = 0; length < 300; ++length) {
        std::string content, origin;
        for (int i = 0; i < length; ++i) content += static_cast<char>(random());
        for (int i = 0; i < length % 7; ++i) origin += "\n\t\\x"[random() % 4];
        std::vector<Config::Value> values;
        for (const Key& key : keys) values.push_back({key, key.default_value, origin});
        values[1].text = "c:\\new\\table ü";
        values[1].content = content;
        const Config config("x", values);
        const std::string text = canonical_text(config);
        EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return c == '\n' || c == '\t' || (c >= 32 && c < 127); }));
        const Config again = from_canonical_text(text, keys);
        EXPECT_EQ(again.content("lattice.file"), content);
        EXPECT_EQ(again.text("lattice.file"), values[1].text);
        EXPECT_EQ(again.value("run.sweeps").origin, origin);
        EXPECT_EQ(canonical_text(again), text);
        const std::string physics = physics_text(config);
        values[1].content += " ";
        EXPECT_NE(physics_text(Config("x", values)), physics);
    }
    for (const char* torn : {"\\", "\\x4", "\\xg0", "\\a", "a\\"})
        EXPECT_THROW(from_canonical_text(std::string("application\tx\nescaped\tyes\nlattice.file\ta\tdefault\t") + torn,
                                         some_keys()),
                     Error)
            << torn;
}

/// Texts of old versions, without escapes and file contents.
TEST(Job, OldCanonicalTextsAreRead) {
    std::vector<Key> keys = some_keys();
    const Config config = from_canonical_text("application\tx\noutput.name\ta\\n\tc:\\x.ini:3\n", keys);
    EXPECT_EQ(config.text("output.name"), "a\\n");
    EXPECT_EQ(config.value("output.name").origin, "c:\\x.ini:3");
    EXPECT_THROW(from_canonical_text("application\tx\nlattice.file\tedges\ta.ini:3\n", some_keys()), Error);
    EXPECT_NO_THROW(from_canonical_text("application\tx\nlattice.file\t\tdefault\n", some_keys()));
}

/// A key that has left the program: its default means nothing, a value that was given is refused before a run goes on.
TEST(Job, KeysThatHaveLeftAreKnownInOldTexts) {
    const std::string job = "application\tx\nrun.sweeps\t7\ta.ini:1\n";
    EXPECT_EQ(from_canonical_text(job + "backend.gone\t1\tdefault\n", some_keys()).integer("run.sweeps"), 7);
    const std::string given = job + "backend.gone\t1\ta.ini:2\n";
    EXPECT_EQ(from_canonical_text(given, some_keys(), FormerKeys::left_out).integer("run.sweeps"), 7);
    EXPECT_THAT(error_of(ExitCode::file, [&] { from_canonical_text(given, some_keys()); }),
                HasSubstr("backend.gone is no longer needed."));
    EXPECT_THROW(from_canonical_text("application\tx\nbackend.where\tcpu\tdefault\n", some_keys()), Error);
}

TEST(Job, ResumeChangesNoPhysics) {
    const Config config = resolved("[run]\nsweeps = 5\ntemperature = 2\n").config;
    InputErrors errors;
    EXPECT_EQ(override_for_resume(config, {{"run.sweeps", "9"}}, errors).integer("run.sweeps"), 9);
    EXPECT_TRUE(errors.empty());
    override_for_resume(config, {{"run.temperature", "3"}, {"run.sweep", "1"}, {"run.sweeps", "x"}}, errors);
    EXPECT_THAT(errors.sentences(), ElementsAre(HasSubstr("would change what the run computes"),
                                                HasSubstr("Did you mean"), HasSubstr("integer")));
}

class JobFileOnDisk : public testing::Test {
  protected:
    const std::string path_ = testing::TempDir() + "strata_job_" + std::to_string(getpid());
    void TearDown() override { std::remove(path_.c_str()); }
    std::string error() const {
        return error_of(ExitCode::bad_input, [&] { read_job_text(path_); });
    }
};

TEST_F(JobFileOnDisk, OnlyShortRegularFilesAreRead) {
    EXPECT_THAT(error(), HasSubstr("No such file"));
    std::ofstream(path_) << "application = x\n";
    EXPECT_EQ(read_job_text(path_), "application = x\n");
    std::ofstream(path_) << std::string((1 << 20) + 1, '#');
    EXPECT_THAT(error(), HasSubstr("larger than 1 MiB"));
    std::remove(path_.c_str());
    ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
    EXPECT_THAT(error(), HasSubstr("not a regular file"));
    EXPECT_THROW(read_job_text("/"), Error);
}

TEST_F(JobFileOnDisk, FilesAreReadOnceAndKept) {
    const auto job = [&] { return resolved("[lattice]\nfile = " + path_ + "\n"); };
    EXPECT_THAT(job().errors,
                ElementsAre(testing::AllOf(HasSubstr("a.ini:3: lattice.file = "), HasSubstr("No such file"))));
    std::ofstream(path_) << "0 1 1.0\n";
    const Config config = job().config;
    EXPECT_EQ(config.content("lattice.file"), "0 1 1.0\n");
    EXPECT_THAT(changed_files(config), IsEmpty());
    std::ofstream(path_) << "0 1 0.2\n";
    EXPECT_THAT(changed_files(config), ElementsAre(HasSubstr("has changed")));
    const Config again = from_canonical_text(canonical_text(config), some_keys());
    EXPECT_EQ(again.content("lattice.file"), "0 1 1.0\n");
    InputErrors errors;
    const Config resumed = override_for_resume(config, {{"lattice.file", path_}}, errors);
    EXPECT_TRUE(errors.empty());
    EXPECT_EQ(resumed.content("lattice.file"), "0 1 1.0\n");
    std::ofstream(path_) << std::string((1 << 20) + 1, '#');
    expect_error(job(), "larger than 1 MiB");
    std::ofstream(path_) << std::string(3, '\0');
    expect_error(job(), "NUL");
    std::remove(path_.c_str());
    EXPECT_THAT(changed_files(config), ElementsAre(HasSubstr("can no longer be read")));
}

TEST(Nearest, FindsTyposAndMisplacedSections) {
    EXPECT_EQ(nearest("run.swseeps", {"run.seed", "run.sweeps"}), "run.sweeps");
    EXPECT_EQ(nearest("completely.different", {"run.seed", "run.sweeps"}), "");
}

}  // namespace
}  // namespace strata::cli
