// SPDX-License-Identifier: BSD-3-Clause
// The command line: verbs, switches and overrides, and a sentence for everything else.
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
    std::vector<std::string> errors;
};

Parsed parsed(std::vector<const char*> words) {
    words.insert(words.begin(), "strata");
    InputErrors errors;
    Arguments arguments = parse_arguments(static_cast<int>(words.size()), words.data(), errors);
    return {arguments, errors.sentences()};
}

TEST(Arguments, VerbOperandAndOverrides) {
    const Parsed p = parsed({"run", "a.ini", "--run.sweeps=5", "--quiet", "--model.beta", "0.4"});
    EXPECT_THAT(p.errors, IsEmpty());
    EXPECT_EQ(p.arguments.verb, Verb::run);
    EXPECT_EQ(p.arguments.operand, "a.ini");
    EXPECT_TRUE(p.arguments.quiet);
    ASSERT_EQ(p.arguments.overrides.size(), 2u);
    EXPECT_EQ(p.arguments.overrides[1].key, "model.beta");
    EXPECT_EQ(p.arguments.overrides[1].value, "0.4");
}

TEST(Arguments, HelpAndVersionNeedNoVerb) {
    EXPECT_THAT(parsed({"--help"}).errors, IsEmpty());
    EXPECT_EQ(parsed({"--version"}).arguments.verb, Verb::version);
    EXPECT_TRUE(parsed({"run", "--help"}).arguments.verb_help);
}

TEST(Arguments, FaultsAreSentences) {
    EXPECT_THAT(parsed({}).errors, ElementsAre(HasSubstr("Say what to do")));
    EXPECT_THAT(parsed({"rnu", "a"}).errors, ElementsAre(HasSubstr("Did you mean run?")));
    EXPECT_THAT(parsed({"run"}).errors, ElementsAre(HasSubstr("needs a job file")));
    EXPECT_THAT(parsed({"run", "a", "b"}).errors, ElementsAre(HasSubstr("one word too many")));
    EXPECT_THAT(parsed({"run", "a", "--quite"}).errors, ElementsAre(HasSubstr("Did you mean --quiet?")));
    EXPECT_THAT(parsed({"run", "a", "--qui"}).errors.size(), 1u);  // prefixes of options are errors
    for (const char* wrong : {"--run.sweeps", "--run.sweeps="})
        EXPECT_THAT(parsed({"run", "a", wrong}).errors, ElementsAre(HasSubstr("write --run.sweeps=VALUE"))) << wrong;
    EXPECT_THAT(parsed({"run", "a", "--quiet=1"}).errors, ElementsAre(HasSubstr("takes no value")));
    for (const char* wrong : {"run.sweeps=3", "-run.sweeps=3"})
        EXPECT_THAT(parsed({"run", "a", wrong}).errors, ElementsAre(HasSubstr("Did you mean --run.sweeps=3?")))
            << wrong;
    EXPECT_THAT(parsed({"run", "a", "--run.sweeps=1#2"}).errors, ElementsAre(HasSubstr("'#'")));
    for (const char* wrong : {"--ranks=0", "--ranks=4,2", "--ranks=2,2", "--ranks=1,", "--ranks=1,x"})
        EXPECT_THAT(parsed({"plan", "a", wrong}).errors, ElementsAre(HasSubstr(wrong))) << wrong;
    EXPECT_THAT(parsed({"run", "a", "--machine=m.ini"}).errors, ElementsAre(HasSubstr("strata plan")));
    EXPECT_THAT(parsed({"run", "a", "-x"}).errors.size(), 1u);
}

TEST(Arguments, KeysAreJudgedWithTheJob) {
    const Parsed p = parsed({"run", "a", "--run.unknown", "1", "--a.b,c=2"});
    EXPECT_THAT(p.errors, IsEmpty());
    ASSERT_EQ(p.arguments.overrides.size(), 2u);
    EXPECT_EQ(p.arguments.overrides[0].key, "run.unknown");
}

TEST(Arguments, WhatAVerbWouldNotLookAtIsRefused) {
    for (const char* verb : {"show", "plot", "help"})
        EXPECT_THAT(parsed({verb, "a", "--run.task=spectrum"}).errors, ElementsAre(HasSubstr("takes no keys"))) << verb;
    EXPECT_THAT(parsed({"run", "a", "--ranks=4"}).errors, ElementsAre(HasSubstr("mpirun -n")));
    EXPECT_THAT(parsed({"run", "a", "--json"}).errors, ElementsAre(HasSubstr("strata show")));
    EXPECT_THAT(parsed({"plan", "a", "--ranks=1,2,4", "--machine=m.ini", "--csv"}).errors, IsEmpty());
    EXPECT_THAT(parsed({"keys"}).errors, IsEmpty());
    EXPECT_THAT(parsed({"keys", "--json"}).errors, IsEmpty());
    EXPECT_THAT(parsed({"plan", "a", "--json"}).errors, IsEmpty());
    EXPECT_THAT(parsed({"keys", "lanczos", "--csv"}).errors, ElementsAre(HasSubstr("--csv belongs to strata show")));
    EXPECT_THAT(parsed({"keys", "lanczos", "--run.task=spectrum"}).errors, IsEmpty());
    EXPECT_THAT(parsed({"keys", "--run.task=spectrum"}).errors, ElementsAre(HasSubstr("needs an application")));
    EXPECT_THAT(parsed({"keys", "lanczos", "--outputs", "--run.task=spectrum"}).errors,
                ElementsAre(HasSubstr("leave the keys out")));
    EXPECT_THAT(parsed({"help", "dmrg"}).errors, IsEmpty());
}

}  // namespace
}  // namespace strata::cli
