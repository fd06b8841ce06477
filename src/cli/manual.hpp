// SPDX-License-Identifier: BSD-3-Clause
// The manual pages and the completion of bash, made from the tables of verbs, switches and keys.
#pragma once

#include <string>
#include <vector>

#include "cli/help.hpp"
#include "strata/config.hpp"

namespace strata::cli {

/// strata(1), as input of man.
std::string manual(const std::vector<ApplicationTitle>& applications, const std::string& version);

/// strata-APPLICATION(1) with its keys.
std::string manual_of(const ApplicationTitle& application, const std::vector<Key>& keys, const std::string& example,
                      const std::string& version);

struct ApplicationKeys {
    std::string name;
    std::vector<Key> keys;
};

/// A script of bash that completes verbs, switches, files, the keys of the application that the job file names, and the
/// words of keys that have a choice.
std::string completion(const std::vector<ApplicationKeys>& applications);

}  // namespace strata::cli
