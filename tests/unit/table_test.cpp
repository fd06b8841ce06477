// SPDX-License-Identifier: BSD-3-Clause
// Printed form of values with errors, units and columns.
#include "report/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "report/study_table.hpp"
#include "strata/memory.hpp"
#include "strata/printable.hpp"
#include "strata/scan.hpp"

namespace strata::report {
namespace {

TEST(ValueWithError, ShowsTwoDigitsOfTheError) {
    EXPECT_EQ(value_with_error(-1.414821, 0.000123), "-1.41482(12)");
    EXPECT_EQ(value_with_error(12345.6, 321.0), "12346(321)");
    EXPECT_EQ(value_with_error(3.0, 0.96), "3.00(96)");
    EXPECT_EQ(value_with_error(1.25, 0), "1.25");
    EXPECT_EQ(value_with_error(1.25, std::nan("")), "1.25");
    EXPECT_EQ(value_with_error(std::nan(""), 1), "-");
    EXPECT_EQ(value_with_error(-54.85080216305812, 0), "-54.85080216306");
    EXPECT_EQ(value_with_error(3.552713678801e-15, 0), "3.6e-15");  // rounding has no more digits
    EXPECT_EQ(value_with_error(0, 0), "0");
}

TEST(HumanTime, GrowsWithItsUnits) {
    EXPECT_EQ(human_time(0.83), "0.8 s");
    EXPECT_EQ(human_time(200), "3 min 20 s");
    EXPECT_EQ(human_time(7500), "2 h 05 min");
    EXPECT_EQ(human_time(97200), "1 d 03 h");
}

TEST(HumanBytes, UsesBinaryUnits) {
    EXPECT_EQ(human_bytes(512), "512 B");
    EXPECT_EQ(human_bytes(1536), "1.50 KiB");
    EXPECT_EQ(human_bytes(25ull << 30), "25.0 GiB");
}

TEST(AvailableMemory, IsKnownAndPositive) { EXPECT_GT(available_memory(), 1u << 20); }

TEST(ResultTable, ShowsDeviationFromTheExactValue) {
    PointRecord record;
    record.state = PointState::finished;
    record.quantities = {{"energy", "J", "", {-1.40}, {0.01}, {2.5}, {-1.42}}};
    EXPECT_THAT(result_table(record, Colour::off), testing::HasSubstr("+2.0 sigma"));
    record.quantities = {{"beta", "", "", {0.4, 0.5}}, {"energy", "J", "", {-1, -2}, {0.1, 0.1}}};
    const std::string scan = result_table(record, Colour::off);
    EXPECT_THAT(scan, testing::HasSubstr("-1.00(10)"));
    EXPECT_THAT(scan, testing::HasSubstr("-2.00(10)"));
}

/// Names and texts come from files of others.
TEST(ScanTable, HasNoControlCharacters) {
    Study study;
    Key key;
    key.name = "\033[1mk";
    study.scan.axes = {{{{key, ""}}, {{"\033[2mv"}}}};
    study.records.resize(1);
    study.records[0].state = PointState::unconverged;
    study.records[0].sentence = study.records[0].remark = "\033[3ms";
    study.records[0].quantities = {{"\033[4mq", "J", "", {1}, {0.5}}, {"\033[5mlist", "", "", {1, 2}, {1}}};
    for (const std::string& text : {study_csv(study), study_table(study, Colour::off)}) {
        EXPECT_EQ(text.find('\033'), std::string::npos) << text;
        EXPECT_THAT(text, testing::HasSubstr("\\x1b[4mq"));
    }
}

TEST(PrintedError, HasEscapedControlCharactersButTheEndsOfItsLines) {
    testing::internal::CaptureStderr();
    print_error("a\033[31m\rb\nc\xc2\x9b d");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "strata: a\\x1b[31m\\x0db\nc\xc2\\x9b d\n");
}

}  // namespace
}  // namespace strata::report
