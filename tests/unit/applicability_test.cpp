// SPDX-License-Identifier: BSD-3-Clause
// Keys that apply only with some values of other keys: refused elsewhere, and missing only where they apply.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/applicability.hpp"
#include "cli/job.hpp"
#include "dmrg/job/config.hpp"
#include "kronecker/job/config.hpp"
#include "lanczos/job/config.hpp"
#include "swendsen_wang/job/config.hpp"
#include "trotter/job/config.hpp"

namespace strata::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<Key> conditional_keys() {
    const Condition edges = {"lattice.type", {"file"}}, ring = {"lattice.type", {"ring", "chain"}};
    const Condition several = {"run.states", {}, 2}, one = {"run.states", {}, 1, 1}, few = {"run.states", {}, 2, 4};
    using enum ValueType;
    return {{"lattice.type", choice, "ring", "", "", KeyRole::physics, 0, 0, {"ring", "chain", "file"}},
            {"run.states", integer, "1", "", "", KeyRole::physics, 1, 1000},
            Key{"lattice.file", file, "", "", "", KeyRole::physics}.when({edges}).required("give a path."),
            Key{"run.block", integer, "1", "", "", KeyRole::length, 1, 64}.when({ring, several}),
            Key{"run.pairs", yes_no, "no", "", "", KeyRole::output}.when({ring, one}).when({edges, few})};
}

std::vector<std::string> errors_of(const std::string& text, const std::vector<Override>& overrides = {}) {
    InputErrors errors;
    resolve("x", parse_job("a.ini", "application = x\n" + text, errors), overrides, conditional_keys(), errors);
    return errors.sentences();
}

TEST(Applicability, KeysThatSayNothingAreRefused) {
    EXPECT_THAT(errors_of(""), IsEmpty());
    EXPECT_THAT(errors_of("[run]\nstates = 2\nblock = 1\n"), IsEmpty());
    EXPECT_THAT(errors_of("[run]\nstates = 02\n", {{"run.block", "3"}}), IsEmpty()) << "numbers, not texts";
    EXPECT_THAT(errors_of("[run]\nblock = 1\n"),
                ElementsAre("a.ini:3: run.block = 1 belongs to lattice.type = ring or chain and run.states >= 2; "
                            "run.states is 1 here."));
    EXPECT_THAT(errors_of("", {{"run.states", "5"}, {"run.pairs", "no"}, {"lattice.type", "chain"}}),
                ElementsAre("--run.pairs=no belongs to run.states = 1 where lattice.type = ring or chain; "
                            "run.states is 5 here."));
    EXPECT_THAT(errors_of("[lattice]\ntype = file\nfile = /dev/null\n[run]\nstates = 5\npairs = no\n"),
                ElementsAre("a.ini:7: run.pairs = no belongs to run.states from 2 to 4 where lattice.type = file; "
                            "run.states is 5 here."));
    EXPECT_THAT(errors_of("[lattice]\nfile = /dev/null\n[run]\nblock = 2\n"),
                ElementsAre(HasSubstr("lattice.type is ring here"), HasSubstr("run.states is 1 here")));
}

TEST(Applicability, AnyAlternativeWillDo) {
    const std::string file =
        "[lattice]\ntype = file\nfile = /dev/null\n";  // no regular file: reported if all else is valid
    EXPECT_THAT(errors_of(file, {{"run.states", "3"}, {"run.pairs", "yes"}}),
                ElementsAre(HasSubstr("not a regular file")));
    EXPECT_THAT(errors_of(file, {{"run.states", "5"}, {"run.pairs", "yes"}}),
                ElementsAre(HasSubstr("run.states is 5 here")));
}

TEST(Applicability, KeysThatMustBeGivenAreOnlyMissingWhereTheyApply) {
    EXPECT_THAT(errors_of("[lattice]\ntype = file\n"), ElementsAre("lattice.file is missing: give a path."));
    EXPECT_THAT(errors_of("[lattice]\ntype = chain\n"), IsEmpty());
}

TEST(Applicability, FaultyValuesAreToldAlone) {
    EXPECT_THAT(errors_of("[lattice]\ntype = rang\n[run]\nblock = 2\n"), ElementsAre(HasSubstr("rang")));
}

TEST(Applicability, ResumeLooksAtItsOwnCommandLineOnly) {
    const std::string stored = "application\tx\nlattice.type\tring\ta.ini:1\nrun.block\t2\ta.ini:2\n";
    const Config config = from_canonical_text(stored, conditional_keys());
    InputErrors errors;
    override_for_resume(config, {{"run.pairs", "yes"}}, errors);
    EXPECT_THAT(errors.sentences(), IsEmpty()) << "an old job keeps what it was given";
    override_for_resume(config, {{"run.block", "3"}}, errors);
    EXPECT_THAT(errors.sentences(), ElementsAre(HasSubstr("--run.block=3 belongs to")));
}

TEST(Applicability, OfAListThatIsGivenOrLeftOut) {
    const std::vector<Key> keys = {
        {"a.list", ValueType::reals, "", "", ""},
        Key{"a.with", ValueType::integer, "1", "", ""}.when({{"a.list", {}, std::numeric_limits<double>::min()}}),
        Key{"a.without", ValueType::integer, "1", "", ""}.when({{"a.list", {""}}})};
    const auto errors_of = [&](const std::string& given) {
        const Config config = from_canonical_text("application\tx\n" + given, keys);
        InputErrors errors;
        check_applicability(config, errors);
        return errors.sentences();
    };
    EXPECT_THAT(errors_of("a.list\t1,2\ta.ini:1\na.with\t2\ta.ini:2\n"), IsEmpty());
    EXPECT_THAT(errors_of("a.without\t2\ta.ini:2\n"), IsEmpty());
    EXPECT_THAT(errors_of("a.with\t2\ta.ini:2\n"),
                ElementsAre(HasSubstr("belongs to a.list > 0; a.list is left out here.")));
    EXPECT_THAT(errors_of("a.list\t1,2\ta.ini:1\na.without\t2\ta.ini:2\n"),
                ElementsAre(HasSubstr("belongs to a.list left out; a.list is 1,2 here.")));
}

/// Every condition must name a declared key and values that the key can have.
TEST(Applicability, ConditionsOfTheApplicationsCanHold) {
    for (std::vector<Key> keys :
         {lanczos::keys(), dmrg::keys(), trotter::keys(), swendsen_wang::keys(), kronecker::keys()}) {
        const std::vector<Key> common = common_keys();
        keys.insert(keys.end(), common.begin(), common.end());
        for (const Key& key : keys)
            for (const auto& all : key.conditions)
                for (const Condition& c : all) {
                    const auto other = std::ranges::find(keys, c.key, &Key::name);
                    ASSERT_NE(other, keys.end()) << key.name << " depends on " << c.key;
                    EXPECT_NE(c.key, key.name);
                    if (c.values == std::vector<std::string>{""}) {  // left out
                        EXPECT_EQ(other->default_value, "") << key.name;
                        continue;
                    }
                    const bool number = other->type == ValueType::integer || other->type == ValueType::real ||
                                        other->type == ValueType::reals;
                    EXPECT_TRUE(c.values.empty() ? number && c.maximum >= other->minimum && c.minimum <= other->maximum
                                                 : other->type == ValueType::choice || other->type == ValueType::yes_no)
                        << key.name;
                    for (const std::string& value : c.values) EXPECT_EQ(value_error(*other, value), "") << key.name;
                }
    }
}

}  // namespace
}  // namespace strata::cli
