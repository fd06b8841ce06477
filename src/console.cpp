// SPDX-License-Identifier: BSD-3-Clause
// Output of a run as plain lines; tables and their formats are in cli/table.
#include "console.hpp"

#include <cstdio>

#include "cli/progress.hpp"
#include "cli/table.hpp"
#include "io/files.hpp"
#include "io/provenance.hpp"
#include "strata/memory.hpp"

namespace strata {

std::string counted(int count, const std::string& singular) {
    return std::to_string(count) + " " + singular + (count == 1 ? "" : "s");
}

void print_head(const Job& job, const Application& application, const Placement& placement, int ranks,
                const RunOptions& options) {
    std::printf("strata %s  %s\n", io::program_version().c_str(), job.entry->name.c_str());
    for (const std::string& line : application.description()) std::printf("  %s\n", line.c_str());
    std::printf("  %s x %s on %s, %s\n", counted(ranks, "rank").c_str(), counted(options.threads, "thread").c_str(),
                counted(placement.nodes, "node").c_str(), application.backend().c_str());
    const MemoryPrediction memory = application.memory();
    std::printf("  memory %s per rank, and %s for the series on rank 0; %s free on this node\n",
                human_bytes(memory.host_bytes()).c_str(), human_bytes(options.recording.bytes()).c_str(),
                human_bytes(available_memory()).c_str());
    if (memory.device_bytes() != 0)
        std::printf("  device memory %s per rank\n", human_bytes(memory.device_bytes()).c_str());
    const std::string warning = oversubscription(placement, options.threads);
    if (!warning.empty()) std::printf("  warning: %s\n", warning.c_str());
    std::fflush(stdout);
}

void print_devices(const DeviceBinding& device, const std::vector<std::string>& lines) {
    for (const std::string& line : lines) std::printf("  %s\n", line.c_str());
    const std::string warning = shared_device(device);
    if (!warning.empty()) std::printf("  warning: %s\n", warning.c_str());
    if (!device.remark.empty()) std::printf("  %s\n", device.remark.c_str());
    if (lines.size() > 1)
        std::printf("  device memory goes to other ranks %s\n",
                    device.route == DeviceRoute::direct ? "through MPI directly" : "through pinned host memory");
}

std::string stopped_text(std::uint64_t done, std::uint64_t all, const std::string& what, const std::string& file) {
    return "Stopped cleanly after " + std::to_string(done) + " of " + std::to_string(all) + " " + what +
           ". Go on with: strata resume " + file;
}

void print_end(const RunOptions& options, const Report& report) {
    const auto colour = cli::stdout_is_terminal() ? cli::Colour::on : cli::Colour::off;
    const bool whole = options.verbosity == Verbosity::full;
    std::printf("%s%s", whole ? "\n" : "", cli::result_table(report, colour).c_str());
    if (whole) {
        std::printf("\n%s\n", cli::timer_table(report).c_str());
        std::printf("Files\n");
        for (const std::string& path : {options.result_path(), options.checkpoint_path()})
            if (io::exists(path)) std::printf("  %s\n", path.c_str());
        std::printf("state_hash %s\n", report.state_hash.c_str());
    }
    if (!report.complete)
        std::fprintf(whole ? stdout : stderr, "%s\n",
                     stopped_text(report.steps, report.total_steps, "steps", options.checkpoint_path()).c_str());
    else if (whole)
        std::printf("Done: %llu steps.\n", static_cast<unsigned long long>(report.steps));
}

}  // namespace strata
