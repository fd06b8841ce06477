// SPDX-License-Identifier: BSD-3-Clause
#include "cli/arguments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Parsed {
    Arguments arguments;
    std::vector<std::string> faults;
};

Parsed parsed(std::vector<const char*> words) {
    words.insert(words.begin(), "strata");
    Faults faults;
    Arguments arguments =
        parse_arguments(static_cast<int>(words.size()), words.data(), {"run.sweeps", "model.beta"}, faults);
    return {arguments, faults.sentences()};
}

TEST(Arguments, VerbOperandAndOverrides) {
    const Parsed p = parsed({"run", "a.ini", "--run.sweeps=5", "--quiet", "--model.beta", "0.4"});
    EXPECT_THAT(p.faults, IsEmpty());
    EXPECT_EQ(p.arguments.verb, Verb::run);
    EXPECT_EQ(p.arguments.operand, "a.ini");
    EXPECT_TRUE(p.arguments.quiet);
    ASSERT_EQ(p.arguments.overrides.size(), 2u);
    EXPECT_EQ(p.arguments.overrides[1].key, "model.beta");
    EXPECT_EQ(p.arguments.overrides[1].value, "0.4");
}

TEST(Arguments, HelpAndVersionNeedNoVerb) {
    EXPECT_THAT(parsed({"--help"}).faults, IsEmpty());
    EXPECT_EQ(parsed({"--version"}).arguments.verb, Verb::version);
    EXPECT_TRUE(parsed({"run", "--help"}).arguments.verb_help);
}

TEST(Arguments, FaultsAreSentences) {
    EXPECT_THAT(parsed({}).faults, ElementsAre(HasSubstr("Say what to do")));
    EXPECT_THAT(parsed({"rnu", "a"}).faults, ElementsAre(HasSubstr("Did you mean run?")));
    EXPECT_THAT(parsed({"run"}).faults, ElementsAre(HasSubstr("needs a job file")));
    EXPECT_THAT(parsed({"run", "a", "b"}).faults, ElementsAre(HasSubstr("one word too many")));
    EXPECT_THAT(parsed({"run", "a", "--run.sweps=3"}).faults, ElementsAre(HasSubstr("Did you mean --run.sweeps?")));
    EXPECT_THAT(parsed({"run", "a", "--run.s=3"}).faults.size(), 1u);  // no guessing of prefixes
    EXPECT_THAT(parsed({"run", "a", "--run.sweeps"}).faults.size(), 1u);
    EXPECT_THAT(parsed({"run", "a", "--run.sweeps=1#2"}).faults, ElementsAre(HasSubstr("'#'")));
    EXPECT_THAT(parsed({"plan", "a", "--ranks=0"}).faults, ElementsAre(HasSubstr("--ranks=0")));
    EXPECT_THAT(parsed({"run", "a", "-x"}).faults.size(), 1u);
}

}  // namespace
}  // namespace strata::cli
