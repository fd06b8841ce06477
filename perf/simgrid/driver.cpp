// SPDX-License-Identifier: BSD-3-Clause
// Runs a job on simulated ranks without output files, and prints the simulated time of its steps and the state hash:
//   driver JOB.ini [--machine=FILE] [--here=SPEED] [--threads=T] [--scale=S] [--times=FILE] [--section.key=value ...]
// The first and the last step are not in the times. Rank 0 prints one line of name=value and one per phase.
#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "cli/job.hpp"
#include "comm/collectives.hpp"
#include "comm/session.hpp"
#include "io/checkpoint_file.hpp"
#include "simulation.hpp"
#include "strata/error.hpp"
#include "study/registry.hpp"

namespace strata {
namespace {

/// The job of the command line; switches of the simulation become its settings.
Config job_of(int argc, char** argv, const ApplicationEntry*& entry) {
    std::string path;
    std::vector<cli::Override> overrides;
    simulation::Settings& settings = simulation::settings();
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i], value = word.substr(word.find('=') + 1);
        if (word.starts_with("--machine="))
            settings.machine = prediction::read_machine(value);
        else if (word.starts_with("--threads="))
            settings.threads = std::stoi(value);
        else if (word.starts_with("--here="))
            settings.here = std::stod(value);
        else if (word.starts_with("--scale="))
            settings.scale = std::stod(value);
        else if (word.starts_with("--times="))
            settings.times = value;
        else if (word.starts_with("--"))
            overrides.push_back({word.substr(2, word.find('=') - 2), value});
        else
            path = word;
    }
    cli::InputErrors errors;
    const cli::JobFile job = cli::parse_job(path, cli::read_job_text(path), errors);
    std::vector<std::string> names;
    for (const ApplicationEntry& row : applications()) names.push_back(row.name);
    const std::string name = cli::application_of(job, overrides, names, errors);
    errors.throw_if_any();
    entry = &find_application(name);
    Config config = cli::resolve(name, job, overrides, all_keys(*entry), errors);
    if (errors.empty())
        for (const std::string& error : validate(*entry, config)) errors.add(error);
    errors.throw_if_any();
    simulation::charge_kernels();
    return config;
}

/// Time and messages of this rank since its start: seconds, seconds in MPI, messages, bytes, then the phases.
std::vector<double> totals(const Application& app) {
    const simulation::Traffic traffic = simulation::traffic();
    std::vector<double> all = {monotonic_seconds(), traffic.mpi_seconds, static_cast<double>(traffic.messages),
                               static_cast<double>(traffic.bytes)};
    for (const Timers::Phase& phase : app.timers().phases()) all.push_back(phase.seconds);
    return all;
}

/// Makes all steps; returns the totals of one step, the mean of all but the first and the last one, which begin and end
/// a run.
std::vector<double> advance(const Communicator& comm, Application& app) {
    std::vector<double> rows, start, end;
    std::uint64_t step = 0;
    for (; step < app.total_steps(); ++step) {
        if (step == 1) {
            check_mpi(MPI_Barrier(comm.raw()));
            start = totals(app);
        }
        end = totals(app);
        if (auto* growing = optional_of<Growing>(app)) growing->prepare_step(step);
        app.step(step);
        if (app.observes(step)) app.observe(rows);
    }
    if (step < 3)
        throw CollectiveError(ExitCode::bad_input, "The job has fewer than 3 steps: none is left to be timed.");
    start.resize(end.size());
    for (std::size_t i = 0; i < end.size(); ++i) end[i] = (end[i] - start[i]) / static_cast<double>(step - 2);
    return end;
}

int run(const Communicator& comm, int argc, char** argv) {
    // ranks share memory: the first one reads the job for all
    static const ApplicationEntry* entry = nullptr;
    static const Config config = job_of(argc, argv, entry);
    omp_set_num_threads(1);
    const std::unique_ptr<Application> app = entry->make(comm, config, 1, nullptr);
    app->allocate();
    app->initialise();
    const std::vector<double> own = advance(comm, *app);
    simulation::keep_times();
    if (simulation::traffic().kernels == 0)
        throw CollectiveError(ExitCode::bad_input,
                              "The kernels of this job have no rates: only cluster sweeps, passes and Lanczos steps in "
                              "double precision without lattice symmetries do.");
    const std::vector<double> all = gather(comm, std::span<const double>(own));
    const std::string hash = io::state_hash(comm, app->state());
    if (!comm.is_root()) return 0;
    std::vector<double> mean(own.size()), most(own.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        mean[i % own.size()] += all[i] / comm.size();
        most[i % own.size()] = std::max(most[i % own.size()], all[i]);
    }
    std::printf("RESULT us=%.1f mpi=%.1f messages=%.1f bytes=%.0f most_messages=%.1f most_bytes=%.0f hash=%s\n",
                1e6 * most[0], 1e6 * mean[1], mean[2], mean[3], most[2], most[3], hash.c_str());
    for (std::size_t i = 4; i < own.size(); ++i)
        if (most[i] > 0)
            std::printf("PHASE %-22s mean %10.1f us  most %10.1f us\n", app->timers().phases()[i - 4].name.c_str(),
                        1e6 * mean[i], 1e6 * most[i]);
    std::fflush(stdout);
    return 0;
}

}  // namespace
}  // namespace strata

int main(int argc, char** argv) {
    return strata::mpi_session(argc, argv,
                               [&](const strata::Communicator& comm) { return strata::run(comm, argc, argv); });
}
