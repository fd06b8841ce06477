// SPDX-License-Identifier: BSD-3-Clause
// Plans from the forecasts of applications: the CPU at the rates of a reference machine, a GPU at those of an H100.
#include "verbs/plan.hpp"

#include <algorithm>

#include "prediction/prediction.hpp"
#include "report/table.hpp"
#include "run/console.hpp"
#include "strata/formatted.hpp"

namespace strata {
namespace {

/// The needs of a job without [scan].
Needs needs_of(const Forecast& forecast, BackendKind backend, const std::string& where, double seconds_per_step) {
    const MemoryPrediction& memory = forecast.memory;
    const Recording& recording = memory.recording;
    Needs needs;
    needs.backend = backend;
    needs.where = where;
    needs.checkpoint_bytes = saturated_sum(memory.checkpoint_bytes, recording.series_bytes());
    needs.result_bytes = recording.series_bytes();
    needs.scratch_bytes = memory.scratch_bytes;
    std::vector<MemoryPrediction::Item> host = memory.host;
    host.push_back({"series, on rank 0", recording.bytes()});
    std::vector<MemoryPrediction::Item> files = {{"checkpoint, of all ranks", needs.checkpoint_bytes},
                                                 {"series in the result", needs.result_bytes}};
    if (needs.scratch_bytes > 0) files.push_back({"scratch file of a rank", needs.scratch_bytes});
    needs.sizes = {
        {"host_memory", "host memory of the largest rank", host, saturated_sum(memory.host_bytes(), recording.bytes()),
         available_memory()},
        {"device_memory", "device memory of the largest rank", memory.device, memory.device_bytes()},
        {"disk", "disk", files},
    };
    needs.traffic = forecast.traffic();
    needs.steps = forecast.steps;
    needs.step_name = forecast.step_name;
    needs.seconds_per_step = seconds_per_step;
    needs.seconds = seconds_per_step * static_cast<double>(forecast.steps);
    if (seconds_per_step != 0)
        needs.time = {
            "time, to an order of magnitude",
            formatted("%llu %s x %.3g s = %s", static_cast<unsigned long long>(forecast.steps),
                      forecast.step_name.c_str(), seconds_per_step, report::human_time(needs.seconds).c_str())};
    return needs;
}

PointTimes times_of(const StudyLayout& layout) {
    PointTimes times;
    for (const double seconds : layout.seconds) {
        times.all += seconds;
        times.longest = std::max(times.longest, seconds);
        if (seconds == 0) ++times.unknown;
    }
    return times;
}

/// The needs of all points of a scan, on the CPU.
Needs needs_of(const Study& study, const StudyLayout& layout, const PointTimes& times, int ranks) {
    Needs needs;
    needs.checkpoint_bytes = layout.files.checkpoint_bytes;
    needs.result_bytes = layout.file_bytes();
    needs.scratch_bytes = layout.memory.scratch_bytes;
    needs.sizes = {
        {"host_memory",
         "host memory per rank at point " + std::to_string(layout.largest) + ", the largest (" +
             study.scan.label(layout.largest) + ")",
         layout.memory.host,
         layout.memory.host_bytes(),
         {},
         Sizes::Shown::total},
        {"device_memory", "device memory per rank", layout.memory.device, layout.memory.device_bytes()},
        {"records",
         "host memory on rank 0, for the records of all points",
         {},
         layout.records_bytes(),
         {},
         Sizes::Shown::total},
        {"disk", "disk", {{"checkpoints of all groups", needs.checkpoint_bytes}, {"result", needs.result_bytes}}},
    };
    if (times.unknown == layout.seconds.size()) return needs;
    // lower bound: the longest point, or the evenly divided sum of all points
    const double ranks_of_point = layout.groups.size;
    needs.seconds = std::max(times.all / (ranks_of_point * layout.groups.count), times.longest / ranks_of_point);
    needs.time = {
        "time, to an order of magnitude" +
            (times.unknown == 0 ? "" : ", without " + std::to_string(times.unknown) + " points of unknown cost"),
        report::human_time(times.all) + " for all points one after another on 1 rank, " +
            report::human_time(times.longest) + " for the longest",
        report::human_time(needs.seconds) + " on " + counted(ranks, "rank")};
    return needs;
}

void add_scan(Plan& plan, const Study& study) {
    plan.scan = lay_out(study, {plan.ranks, plan.threads}, BackendKind::cpu);
    const scan::Groups& groups = plan.scan->groups;
    const int left = plan.ranks - groups.size * groups.count;
    plan.description = {points_text(study.scan), counted(groups.count, "group") + " of " +
                                                     counted(groups.size, "rank") +
                                                     (left == 0 ? "" : ", " + counted(left, "rank") + " left over")};
    plan.times = times_of(*plan.scan);
    plan.needs = {needs_of(study, *plan.scan, plan.times, plan.ranks)};
}

}  // namespace

Plan plan_of(const Study& study, int ranks) {
    Plan plan;
    plan.ranks = ranks;
    plan.threads = std::max(1, static_cast<int>(study.config.integer("backend.threads")));
    if (!study.scan.empty()) {
        add_scan(plan, study);
        return plan;
    }
    const auto forecast = [&](BackendKind backend) {
        return study.entry->forecast(study.config, {ranks, plan.threads}, backend);
    };
    const std::string& device = study.config.text("backend.device");
    const bool on_cuda = device != "cpu" && study.entry->runs_on(BackendKind::cuda);
    if (device != "cuda" || !on_cuda) {
        const Forecast host = forecast(BackendKind::cpu);
        const double seconds =
            host.work ? predict(prediction::reference_machine(plan.threads), host.work(), ranks, plan.threads).seconds()
                      : host.seconds_per_step;
        plan.description = host.description;
        plan.needs.push_back(
            needs_of(host, BackendKind::cpu, "On the CPU, " + counted(plan.threads, "thread") + " per rank", seconds));
    }
    if (!on_cuda) return plan;
    plan.reason_for_cpu = study.entry->reason_for_cpu(study.config, ranks);
    if (!plan.reason_for_cpu.empty()) return plan;
    const Forecast on_device = forecast(BackendKind::cuda);
    if (plan.description.empty()) plan.description = on_device.description;
    plan.needs.push_back(needs_of(on_device, BackendKind::cuda, "On a GPU per rank, at the rates of an H100",
                                  on_device.seconds_per_step));
    return plan;
}

}  // namespace strata
