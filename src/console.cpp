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

void print_end(const RunOptions& options, const Report& report) {
    const auto colour = cli::stdout_is_terminal() ? cli::Colour::on : cli::Colour::off;
    std::printf("%s%s", options.verbosity == Verbosity::full ? "\n" : "", cli::result_table(report, colour).c_str());
    if (options.verbosity == Verbosity::table_only) return;
    std::printf("\n%s\n", cli::timer_table(report).c_str());
    std::printf("Files\n");
    for (const std::string& path : {options.result_path(), options.checkpoint_path()})
        if (io::exists(path)) std::printf("  %s\n", path.c_str());
    std::printf("state_hash %s\n", report.state_hash.c_str());
    if (report.complete)
        std::printf("Done: %llu steps.\n", static_cast<unsigned long long>(report.steps));
    else
        std::printf("Stopped cleanly after %llu of %llu steps. Go on with: strata resume %s\n",
                    static_cast<unsigned long long>(report.steps), static_cast<unsigned long long>(report.total_steps),
                    options.checkpoint_path().c_str());
}

}  // namespace strata
