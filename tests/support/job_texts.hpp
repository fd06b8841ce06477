// SPDX-License-Identifier: BSD-3-Clause
// Jobs of an application from their text, as the program reads them, and the errors of wrong ones.
#pragma once

#include <string>
#include <vector>

#include "cli/job.hpp"
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

/// The job with `text` in the file a.ini of an application with these keys, with their errors, or else those that
/// validate() of the application finds.
inline ReadJob parsed_job(const std::string& application, std::vector<Key> keys,
                          std::vector<std::string> (*validate)(const Config&), const std::string& text) {
    for (const auto& more : {cli::optional_keys(), cli::common_keys()})
        keys.insert(keys.end(), more.begin(), more.end());
    cli::InputErrors errors;
    const cli::JobFile job = cli::parse_job("a.ini", "application = " + application + "\n" + text, errors);
    ReadJob result{cli::resolve(application, job, {}, keys, errors), {}};
    result.errors = errors.empty() ? validate(result.config) : errors.sentences();
    return result;
}

}  // namespace strata
