// SPDX-License-Identifier: BSD-3-Clause
// Exit codes and sentences of exceptions, and exceptions of the threads of a loop.
#include "strata/failure.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "strata/parallel.hpp"

namespace strata {
namespace {

template <class Exception>
std::string told(const Exception& exception) {
    std::string text;
    try {
        throw exception;
    } catch (...) {
        with_failure([&](ExitCode code, const char* sentence) {
            text = std::to_string(static_cast<int>(code)) + " " + sentence;
        });
    }
    return text;
}

TEST(Failure, HasACodeAndASentence) {
    const std::string refused = "3 The system refused memory that was free when the run began.";
    EXPECT_EQ(told(Error(ExitCode::file, "No file.")), "4 No file.");
    EXPECT_EQ(told(std::bad_alloc()), refused);
    EXPECT_EQ(told(std::bad_array_new_length()), refused);
    EXPECT_EQ(told(std::system_error(EAGAIN, std::generic_category())).substr(0, 39),
              "3 The system refused a further thread (");
    EXPECT_EQ(told(std::system_error(EPERM, std::generic_category())).substr(0, 3), "70 ");
    EXPECT_EQ(told(std::logic_error("wrong")), "70 wrong");
    EXPECT_EQ(told(7).substr(0, 3), "70 ");
}

TEST(ForEachParallel, ThrowsOnceWhatItsThreadsThrow) {
    for (const int threads : {1, 3}) {
        std::vector<int> calls(100);
        const auto body = [&](std::uint64_t i) {
            ++calls[i];
            if (i % 10 == 3) throw Error(ExitCode::numerical, "odd");
        };
        EXPECT_THROW(for_each_parallel({0, 100}, body, threads), Error);
        EXPECT_EQ(calls, std::vector<int>(100, 1));
        EXPECT_NO_THROW(for_each_parallel({0, 3}, body, threads));
    }
}

}  // namespace
}  // namespace strata
