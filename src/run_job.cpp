// SPDX-License-Identifier: BSD-3-Clause
// The order matters: nothing of an earlier run is removed before the new one has its memory, its lock and its state.
#include "run_job.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "comm/collectives.hpp"
#include "comm/placement.hpp"
#include "console.hpp"
#include "io/checkpoint_file.hpp"
#include "io/files.hpp"
#include "io/lock_file.hpp"
#include "io/result_file.hpp"
#include "output_files.hpp"
#include "strata/error.hpp"

namespace strata {
namespace {

/// Exit code of a run whose steps are all made, or which was stopped; says what is missing. Collective.
int finish_code(const Communicator& comm, const Application& application, bool complete, const std::string& unsaved) {
    const std::string shortfall = application.shortfall();
    int code = complete && !shortfall.empty() ? static_cast<int>(ExitCode::numerical) : 0;
    if (!unsaved.empty()) code = static_cast<int>(ExitCode::file);
    broadcast(comm, code);  // the report is rank 0's
    if (comm.is_root() && code != 0)
        std::fprintf(stderr, "strata: %s\n", unsaved.empty() ? shortfall.c_str() : unsaved.c_str());
    return code;
}

int run_and_report(const Communicator& comm, Application& application, const RunOptions& options,
                   io::StoredCheckpoint* stored) {
    const Report report = run(comm, application, options, stored);
    if (comm.is_root() && options.verbosity != Verbosity::silent) print_end(options, report);
    return finish_code(comm, application, report.complete, report.unsaved);
}

/// Loads the newest checkpoint whose state is good too.
void restore(const Communicator& comm, Application& application, const Job& job, const std::string& path,
             io::StoredCheckpoint& stored, std::vector<std::string>& rejections) {
    for (;;) {
        try {
            std::vector<ArrayShape> shapes;
            for (const io::StoredArray& array : stored.arrays) shapes.push_back(array.shape);
            application.prepare_state(shapes);
            io::read_state(comm, stored, application.state());
            application.restored(stored.header.step);
            return;
        } catch (const CollectiveError& error) {
            rejections.emplace_back(error.what());
            if (comm.is_root()) std::fprintf(stderr, "strata: %s\n", error.what());
        }
        stored = io::open_checkpoint(comm, path, stored.age + 1, rejections);
        const Config before = cli::from_canonical_text(stored.header.job, all_keys(*job.entry));
        if (cli::physics_text(before) != cli::physics_text(job.config))
            throw CollectiveError(ExitCode::file,
                                  stored.path + " belongs to another job than the damaged checkpoint after it.");
    }
}

/// True if the result file is that of the restored state. One that is damaged, or was changed, is none, which is said.
/// On rank 0.
bool has_result(const RunOptions& options, const io::StoredCheckpoint& stored) {
    try {
        const Report report = io::read_result(options.result_path());
        return report.complete && report.steps == stored.header.step && report.state_hash == stored.header.state_hash;
    } catch (const Error& error) {
        std::fprintf(stderr, "strata: %s It is written again.\n", error.what());
        return false;
    }
}

/// True, and said, if all steps are made and their result is written; throws if there are more than were asked for.
/// For a restored application: before, some do not know how many steps they will make. Collective.
bool nothing_to_do(const Communicator& comm, const Application& application, const io::StoredCheckpoint& stored,
                   const RunOptions& options) {
    const std::uint64_t total = application.total_steps(), made = stored.header.step;
    if (total < made)
        throw CollectiveError(ExitCode::bad_input, stored.path + " has " + std::to_string(made) +
                                                       " steps already, more than the " + std::to_string(total) +
                                                       " asked for.");
    bool nothing = comm.is_root() && total == made && has_result(options, stored);
    broadcast(comm, nothing);
    if (nothing && comm.is_root())
        std::printf(
            "Nothing to do: all %llu steps are made. strata show %s has the results; --run.sweeps or the like makes "
            "more.\n",
            static_cast<unsigned long long>(made), options.result_path().c_str());
    return nothing;
}

enum class Claim { own, fresh };

/// Takes the lock of the run's files on rank 0, removes leftovers, and refuses fresh files that exist or a disk that is
/// too small. Collective.
io::LockFile claim_output(const Communicator& comm, const Application& application, const RunOptions& options,
                          Claim claim) {
    io::LockFile lock;
    const RanksOnDisk ranks = {find_placement(comm).ranks_on_node, comm.size()};
    collectively(comm, [&] {
        if (!comm.is_root()) return;
        io::make_directory(directory_of(options.stem));
        lock = io::LockFile(options.stem);
        if (claim == Claim::fresh) refuse_existing(options);
        remove_leftovers(options);
        check_disk(options, application.memory(), ranks);
    });
    return lock;
}

/// Removes the files of an earlier run, which output.overwrite allows. Collective.
void make_way(const Communicator& comm, const RunOptions& options) {
    collectively(comm, [&] {
        if (comm.is_root()) remove_existing(options);
    });
}

}  // namespace

int run_job(const Communicator& comm, const std::string& path, const std::vector<cli::Override>& overrides,
            const Invocation& invocation) {
    Job job;
    collectively(comm, [&] {
        if (comm.is_root()) job = read_job(path, overrides);
    });
    share_job(comm, job);
    std::string stem;
    collectively(comm, [&] { stem = stem_of(job.config, path); });
    const auto [options, application] = prepare(comm, job, stem, invocation);
    const io::LockFile lock = claim_output(comm, *application, options, Claim::fresh);
    application->allocate();
    make_way(comm, options);
    return run_and_report(comm, *application, options, nullptr);
}

int resume_job(const Communicator& comm, const std::string& path, const std::vector<cli::Override>& overrides,
               const Invocation& invocation) {
    std::vector<std::string> rejections;
    std::string origin;
    collectively(comm, [&] { origin = stem_of_checkpoint(path); });
    io::StoredCheckpoint stored = io::open_checkpoint(comm, path, 0, rejections);
    if (comm.is_root())
        for (const std::string& rejection : rejections) std::fprintf(stderr, "strata: %s\n", rejection.c_str());
    Job job;
    collectively(comm, [&] {
        if (comm.is_root()) job = job_of(stored.header, overrides);
    });
    share_job(comm, job);
    if (comm.is_root())
        for (const std::string& change : cli::changed_files(job.config))
            std::fprintf(stderr, "strata: %s\n", change.c_str());
    const bool renamed = std::ranges::any_of(
        overrides, [](const cli::Override& o) { return o.key == "output.directory" || o.key == "output.name"; });
    std::string stem = origin;
    if (renamed)
        collectively(comm,
                     [&] { stem = stem_of(job.config, std::filesystem::path(origin).filename().string() + ".ini"); });
    const auto [options, application] = prepare(comm, job, stem, invocation);
    // the files of the run that is resumed are its own, and no obstacle
    auto claim = comm.is_root() && same_files(origin, options.stem) ? Claim::own : Claim::fresh;
    broadcast(comm, claim);
    const io::LockFile lock = claim_output(comm, *application, options, claim);
    application->allocate();
    restore(comm, *application, job, path, stored, rejections);
    if (nothing_to_do(comm, *application, stored, options)) return finish_code(comm, *application, true, {});
    if (claim == Claim::fresh) make_way(comm, options);
    if (comm.is_root() && options.verbosity == Verbosity::full)
        std::printf("  resuming %s after %llu steps\n", stored.path.c_str(),
                    static_cast<unsigned long long>(stored.header.step));
    return run_and_report(comm, *application, options, &stored);
}

}  // namespace strata
