// SPDX-License-Identifier: BSD-3-Clause
// Texts of --help and of `strata keys`.
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

/// The keys whose names or meanings contain the word, in any case.
std::vector<Key> keys_about(const std::string& word, std::vector<Key> keys);

/// The table of keys of one application, by section, followed by the job file `example` if it is not empty.
std::string key_table(const std::string& application, const std::vector<Key>& keys, const std::string& example);

}  // namespace strata::cli
