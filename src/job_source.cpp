// SPDX-License-Identifier: BSD-3-Clause
// A job is resolved where it is read, and travels as canonical text, which every rank resolves again and compares.
#include "job_source.hpp"

#include "cli/job_file.hpp"
#include "comm/collectives.hpp"
#include "io/provenance.hpp"
#include "output_files.hpp"
#include "strata/error.hpp"

namespace strata {

Job read_job_from_text(const std::string& name, const std::string& text, const std::vector<cli::Override>& overrides) {
    cli::InputErrors errors;
    const cli::JobFile file = cli::parse_job(name, text, errors);
    std::vector<std::string> names;
    for (const ApplicationEntry& entry : applications()) names.push_back(entry.name);
    const std::string application = cli::application_of(file, overrides, names, errors);
    if (application.empty()) errors.throw_if_any();
    Job job{&find_application(application), {}, file.text};
    job.config = cli::resolve(application, file, overrides, all_keys(*job.entry), errors);
    if (errors.empty())
        for (const std::string& error : validate(*job.entry, job.config)) errors.add(error);
    check_names(job.config, errors);
    errors.throw_if_any();
    return job;
}

Job read_job(const std::string& path, const std::vector<cli::Override>& overrides) {
    return read_job_from_text(path, cli::read_job_text(path), overrides);
}

/// The job a checkpoint was written for, with the overrides laid over it.
Job job_of(const io::CheckpointHeader& header, const std::vector<cli::Override>& overrides) {
    Job job{&find_application(header.application), {}, header.job_text};
    const Config before = cli::from_canonical_text(header.job, all_keys(*job.entry));
    if (before.application() != header.application)
        throw Error(ExitCode::file, "The checkpoint is one of " + cli::printable(header.application) +
                                        ", and its job one of " + cli::printable(before.application()) + ".");
    cli::InputErrors errors;
    job.config = cli::override_for_resume(before, overrides, errors);
    errors.throw_if_any();
    for (const std::string& error : validate(*job.entry, job.config)) errors.add(error);
    for (const std::string& error : job.entry->validate_resume(before, job.config)) errors.add(error);
    check_names(job.config, errors);
    errors.throw_if_any();
    return job;
}

void share_job(const Communicator& comm, Job& job) {
    std::string canonical = comm.is_root() ? cli::canonical_text(job.config) : "";
    broadcast(comm, canonical);
    broadcast(comm, job.text);
    collectively(comm, [&] {
        if (comm.is_root()) return;
        const std::size_t tab = canonical.find('\t');
        job.entry = &find_application(canonical.substr(tab + 1, canonical.find('\n') - tab - 1));
        job.config = cli::from_canonical_text(canonical, all_keys(*job.entry));
    });
    if (!same_on_all_ranks(comm, cli::digest(cli::canonical_text(job.config) + io::program_version())))
        throw CollectiveError(ExitCode::bad_input,
                              "The ranks do not hold the same job: is the same program started on all of them?");
}

}  // namespace strata
