// SPDX-License-Identifier: BSD-3-Clause
// Output of a scan as plain lines; its table is in cli/scan_table.
#include "scan_console.hpp"

#include <cstdio>

#include "cli/progress.hpp"
#include "cli/scan_table.hpp"
#include "console.hpp"
#include "io/provenance.hpp"
#include "strata/memory.hpp"

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

void print_scan_head(const Job& job, const ScanLayout& layout, const Machine& machine, const ScanReport& report) {
    std::printf("strata %s  %s\n", io::program_version().c_str(), job.entry->name.c_str());
    std::printf("  %s\n", points_text(job.scan).c_str());
    const int left = report.ranks - layout.groups.size * layout.groups.count;
    std::printf("  %s x %s on %s: %s of %s%s\n", counted(report.ranks, "rank").c_str(),
                counted(machine.threads, "thread").c_str(), counted(machine.placement.nodes, "node").c_str(),
                counted(layout.groups.count, "group").c_str(), counted(layout.groups.size, "rank").c_str(),
                left == 0 ? "" : (", " + counted(left, "rank") + " left over").c_str());
    std::printf(
        "  memory %s per rank at point %zu, the largest, and %s for the records on rank 0; %s free on this node\n",
        human_bytes(layout.memory.host_bytes()).c_str(), layout.largest, human_bytes(layout.records_bytes()).c_str(),
        human_bytes(available_memory()).c_str());
    if (!machine.no_device.empty()) std::printf("  No GPU is used: %s.\n", machine.no_device.c_str());
    const std::string warning = oversubscription(machine.placement, machine.threads);
    if (!warning.empty()) std::printf("  warning: %s\n", warning.c_str());
    if (const std::size_t done = report.done(); done > 0)
        std::printf("  resuming after %zu of %zu points\n", done, report.points.size());
    std::fflush(stdout);
}

void print_scan_end(const RunOptions& options, const ScanReport& report) {
    const auto colour = cli::stdout_is_terminal() ? cli::Colour::on : cli::Colour::off;
    std::printf("%s%s", options.verbosity == Verbosity::full ? "\n" : "", cli::scan_table(report, colour).c_str());
    const bool complete = report.done() == report.points.size(), whole = options.verbosity == Verbosity::full;
    if (whole) std::printf("\nFiles\n  %s\n", options.result_path().c_str());
    if (!complete)
        std::fprintf(whole ? stdout : stderr, "%s\n",
                     stopped_text(report.done(), report.points.size(), "points", options.result_path()).c_str());
    else if (whole)
        std::printf("Done: %zu points in %s.\n", report.points.size(), cli::human_time(report.seconds).c_str());
}

}  // namespace strata
