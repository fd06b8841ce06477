// SPDX-License-Identifier: BSD-3-Clause
// Runs of small jobs inside the program: the same preparation and run loop as for the verb run.
#include "quiet_run.hpp"

namespace strata {

QuietRun run_quietly(const Communicator& comm, const std::string& name, const std::string& text,
                     std::vector<cli::Override> overrides, Invocation invocation) {
    overrides.push_back({"checkpoint.interval", "0"});
    Job job = read_job_from_text(name, text, overrides);
    if (!job.scan.empty()) job = job_of_point(job, 0);
    share_job(comm, job);
    invocation.verbosity = Verbosity::silent;
    auto [options, application] = prepare(comm, job, "", survey(comm, job, invocation.verbosity), invocation);
    application->allocate();
    Outcome outcome = run(comm, *application, options, nullptr);
    return {std::move(application), std::move(outcome)};
}

}  // namespace strata
