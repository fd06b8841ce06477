// SPDX-License-Identifier: BSD-3-Clause
// Jobs of a density-matrix renormalization from their text, as the program reads them, and the errors of wrong ones.
#pragma once

#include <string>
#include <vector>

#include "cli/job.hpp"
#include "dmrg/config.hpp"
#include "strata/error.hpp"

namespace strata::dmrg {

struct ReadJob {
    Config config;
    std::vector<std::string> errors;
};

/// The job with `text` in the file a.ini, with the errors of its keys, or else those that validate() finds.
inline ReadJob read_job(const std::string& text) {
    std::vector<Key> all = keys();
    for (const auto& more : {cli::optional_keys(), cli::common_keys()}) all.insert(all.end(), more.begin(), more.end());
    cli::InputErrors errors;
    const cli::JobFile job = cli::parse_job("a.ini", "application = dmrg\n" + text, errors);
    ReadJob result{cli::resolve("dmrg", job, {}, all, errors), {}};
    result.errors = errors.empty() ? validate(result.config) : errors.sentences();
    return result;
}

/// The values of a job without errors; the first error is thrown.
inline DmrgConfig dmrg_job(const std::string& text) {
    const ReadJob job = read_job(text);
    if (!job.errors.empty()) throw Error(ExitCode::bad_input, job.errors[0]);
    return resolve_config(job.config);
}

}  // namespace strata::dmrg
