// SPDX-License-Identifier: BSD-3-Clause
// Errors that tests expect.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "strata/error.hpp"

namespace strata {

/// Sentence of the error that a call throws, which must have this code; empty if the call throws none.
template <class Kind = Error, class Call>
std::string error_of(ExitCode code, Call call) {
    try {
        call();
    } catch (const Kind& error) {
        EXPECT_EQ(error.code(), code) << error.what();
        return error.what();
    }
    return {};
}

}  // namespace strata
