// SPDX-License-Identifier: BSD-3-Clause
// Output of a study as plain lines; tables and their formats are in cli.
#include "run/console.hpp"

#include <cstdio>

#include "io/files.hpp"
#include "io/provenance.hpp"
#include "report/progress.hpp"
#include "report/study_table.hpp"

namespace strata {

std::string points_text(const Scan& scan) {
    std::string text = std::to_string(scan.points()) + (scan.points() == 1 ? " point: " : " points: ");
    for (std::size_t a = 0; a < scan.axes.size(); ++a) {
        if (a != 0) text += " x ";
        for (std::size_t k = 0; k < scan.axes[a].keys.size(); ++k)
            text += (k == 0 ? "" : " with ") + scan.axes[a].keys[k].key.name;
        text += " (" + std::to_string(scan.axes[a].values.size()) + ")";
    }
    return text;
}

void print_head(const std::string& application, const Placement& placement, int ranks, int threads, const Head& head) {
    std::printf("strata %s  %s\n", io::program_version().c_str(), application.c_str());
    for (const std::string& line : head.description) std::printf("  %s\n", line.c_str());
    std::printf("  %s x %s on %s%s\n", counted(ranks, "rank").c_str(), counted(threads, "thread").c_str(),
                counted(placement.nodes, "node").c_str(), head.division.c_str());
    std::printf("  memory %s per rank%s, and %s on rank 0; %s free on this node\n",
                human_bytes(head.memory.host_bytes()).c_str(), head.largest.c_str(), head.kept.c_str(),
                human_bytes(available_memory()).c_str());
    if (head.memory.device_bytes() != 0)
        std::printf("  device memory %s per rank\n", human_bytes(head.memory.device_bytes()).c_str());
    if (!head.no_device.empty()) std::printf("  No GPU is used: %s.\n", head.no_device.c_str());
    const std::string warning = oversubscription(placement, threads);
    if (!warning.empty()) std::printf("  warning: %s\n", warning.c_str());
    if (!head.resumed.empty()) std::printf("  resuming after %s\n", head.resumed.c_str());
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

namespace {

/// "Stopped cleanly after 3 of 9 steps. Go on with: strata resume FILE", by which batch scripts know a run that is to be
/// resumed.
std::string stopped_text(std::uint64_t done, std::uint64_t all, const std::string& what, const std::string& file) {
    return "Stopped cleanly after " + std::to_string(done) + " of " + std::to_string(all) + " " + what +
           ". Go on with: strata resume " + file;
}

}  // namespace

void print_end(const RunOptions& options, const Study& study) {
    const auto colour = report::stdout_is_terminal() ? report::Colour::on : report::Colour::off;
    const bool whole = options.verbosity == Verbosity::full, one = study.scan.empty();
    const PointRecord& first = study.records.front();
    std::printf("%s%s", whole ? "\n" : "", report::study_table(study, colour).c_str());
    if (whole) {
        std::printf("\n%sFiles\n", one ? (report::timer_table(first) + "\n").c_str() : "");
        for (const std::string& path : {options.result_path(), options.checkpoint_path()})
            if (io::exists(path)) std::printf("  %s\n", path.c_str());
        if (one) std::printf("state_hash %s\n", first.state_hash.c_str());
    }
    if (!study.complete())
        std::fprintf(whole ? stdout : stderr, "%s\n",
                     (one ? stopped_text(first.steps, first.total_steps, "steps", options.checkpoint_path())
                          : stopped_text(study.done(), study.records.size(), "points", options.result_path()))
                         .c_str());
    else if (whole && one)
        std::printf("Done: %llu steps.\n", static_cast<unsigned long long>(first.steps));
    else if (whole)
        std::printf("Done: %zu points in %s.\n", study.records.size(), report::human_time(study.seconds).c_str());
}

}  // namespace strata
