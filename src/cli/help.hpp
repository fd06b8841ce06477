// SPDX-License-Identifier: BSD-3-Clause
// What --help and `strata keys` print.
#pragma once

#include <string>
#include <vector>

#include "strata/config.hpp"

namespace strata::cli {

struct ApplicationTitle {
    std::string name;
    std::string title;
};

std::string usage(const std::vector<ApplicationTitle>& applications);

/// The table of keys of one application, by section; with a short job file that uses them if `example` is given.
std::string key_table(const std::string& application, const std::vector<Key>& keys, const std::string& example);

}  // namespace strata::cli
