// SPDX-License-Identifier: BSD-3-Clause
// Jobs of an application from their text, as the program reads them, and their errors.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include "cli/job.hpp"
#include "cli/key_search.hpp"
#include "strata/error.hpp"

namespace strata {

struct ReadJob {
    Config config;
    std::vector<std::string> errors;

    /// The values of a job without errors; the first error is thrown.
    const Config& valid() const {
        if (!errors.empty()) throw Error(ExitCode::bad_input, errors[0]);
        return config;
    }
};

/// The job with `text` as the file a.ini of an application with these keys, with the errors of its keys, or if there
/// are none those of validate() of the application.
inline ReadJob parsed_job(const std::string& application, std::vector<Key> keys,
                          std::vector<std::string> (*validate)(const Config&), const std::string& text) {
    keys = cli::with_names_of_users(keys);
    for (const auto& more : {cli::optional_keys(), cli::common_keys()})
        keys.insert(keys.end(), more.begin(), more.end());
    cli::InputErrors errors;
    const cli::JobFile job = cli::parse_job("a.ini", "application = " + application + "\n" + text, errors);
    ReadJob result{cli::resolve(application, job, {}, keys, errors), {}};
    result.errors = errors.empty() ? validate(result.config) : errors.sentences();
    return result;
}

/// Writes a file for a key that takes one, and returns its path, which no other process uses.
inline std::string written(const std::string& text) {
    static int number = 0;
    const std::string path =
        testing::TempDir() + "input-" + std::to_string(getpid()) + "-" + std::to_string(number++) + ".txt";
    std::ofstream(path) << text;
    return path;
}

}  // namespace strata
