// SPDX-License-Identifier: BSD-3-Clause
// Jobs of spin dynamics from their text, as the program reads them, and the errors of wrong ones.
#pragma once

#include <string>
#include <vector>

#include "cli/job.hpp"
#include "strata/error.hpp"
#include "trotter/config.hpp"

namespace strata::trotter {

inline std::vector<Key> job_keys() {
    std::vector<Key> all = keys();
    for (const auto& more : {cli::optional_keys(), cli::common_keys()}) all.insert(all.end(), more.begin(), more.end());
    return all;
}

struct ReadJob {
    Config config;
    std::vector<std::string> errors;
};

/// The job with `text` in the file a.ini, with the errors of its keys, or else those that validate() finds.
inline ReadJob read_job(const std::string& text) {
    cli::InputErrors errors;
    const cli::JobFile job = cli::parse_job("a.ini", "application = trotter\n" + text, errors);
    ReadJob result{cli::resolve("trotter", job, {}, job_keys(), errors), {}};
    result.errors = errors.empty() ? validate(result.config) : errors.sentences();
    return result;
}

/// The values of a job without errors; the first error is thrown.
inline TrotterConfig trotter_job(const std::string& text) {
    const ReadJob job = read_job(text);
    if (!job.errors.empty()) throw Error(ExitCode::bad_input, job.errors[0]);
    return resolve_config(job.config);
}

}  // namespace strata::trotter
