// SPDX-License-Identifier: BSD-3-Clause
// Runs of small jobs inside the program: the same preparation and run loop as for the verb run.
#include "verbs/quiet_run.hpp"

#include "study/study_source.hpp"

namespace strata {

QuietRun run_quietly(const Communicator& comm, const std::string& name, const std::string& text,
                     std::vector<cli::Override> overrides, Invocation invocation) {
    overrides.push_back({"checkpoint.interval", "0"});
    Study study = point_of(read_job_from_text(name, text, overrides), 0);
    share_study(comm, study);
    invocation.verbosity = Verbosity::silent;
    auto [options, application] = prepare(comm, study, "", survey(comm, study, invocation.verbosity), invocation);
    application->allocate();
    QuietRun quiet;
    run(comm, *application, options, nullptr, quiet.record);
    quiet.application = std::move(application);
    return quiet;
}

}  // namespace strata
