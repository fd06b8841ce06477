// SPDX-License-Identifier: BSD-3-Clause
// Each row is one forecast and one prediction. Efficiency compares rank-seconds with those of the first row.
#include "verbs/plan_table.hpp"

#include <algorithm>

#include "io/json.hpp"
#include "io/provenance.hpp"
#include "prediction/prediction.hpp"
#include "report/table.hpp"
#include "run/console.hpp"
#include "strata/error.hpp"
#include "strata/formatted.hpp"
#include "study/registry.hpp"
#include "verbs/plan.hpp"

namespace strata {
namespace {

struct Row {
    int ranks = 0;
    std::string refusal;  ///< why there are no numbers; else empty
    prediction::Prediction time;
    std::uint64_t bytes = 0;  ///< memory of the largest rank
    std::uint64_t steps = 0;
    std::string step_name, limit;
};

Row row_of(const Study& study, int ranks, int threads, const prediction::Machine& machine) {
    Row row;
    row.ranks = ranks;
    const double on_node = std::min<double>(ranks, prediction::ranks_per_node(machine, threads));
    try {
        const Forecast forecast =
            study.entry->forecast(study.config, {ranks, threads, static_cast<int>(on_node)}, BackendKind::cpu);
        if (!forecast.work)
            throw Error(ExitCode::bad_input, "strata plan has no model of the time of " + study.entry->name +
                                                 " on several ranks; ask for one number without --machine.");
        row.time = prediction::predict(machine, forecast.work(), ranks, threads);
        row.bytes = forecast.memory.host_bytes();
        row.steps = forecast.steps;
        row.step_name = forecast.step_name;
        row.limit = static_cast<double>(row.bytes) * on_node > machine.memory ? "does not fit" : row.time.limit();
        if (row.time.nodes > machine.nodes)
            row.refusal = formatted("%.0f nodes are more than the %.0f of the machine", row.time.nodes, machine.nodes);
    } catch (const Error& error) {
        row.refusal = error.what();
    }
    return row;
}

/// Speed-up over the first row that has numbers, divided by the ratio of ranks.
double efficiency(const Row& row, const Row& first) {
    return first.time.seconds() * first.ranks / (row.time.seconds() * row.ranks);
}

constexpr double hour = 3600;  // seconds

double seconds_of(const Row& row) { return row.time.seconds() * static_cast<double>(row.steps); }
double core_hours(const Row& row, int threads) { return seconds_of(row) * row.ranks * threads / hour; }
double node_hours(const Row& row) { return seconds_of(row) * row.time.nodes / hour; }

std::string csv(const std::vector<Row>& rows, int threads, const Row& first) {
    std::string text =
        "ranks,threads,nodes,seconds_per_step,steps,core_hours,node_hours,efficiency,bytes_per_rank,computation,memory,"
        "imbalance,serial,latency,network,limit\n";
    for (const Row& r : rows) {
        if (!r.refusal.empty()) {
            text += formatted("%d,%d,,,,,,,,,,,,,,", r.ranks, threads) + report::csv_field(r.refusal) + "\n";
            continue;
        }
        const auto& t = r.time;
        text +=
            formatted("%d,%d,%.0f,%.6g,%llu,%.4g,%.4g,%.4f,%llu,%.4g,%.4g,%.4g,%.4g,%.4g,%.4g,%s\n", r.ranks, threads,
                      t.nodes, t.seconds(), static_cast<unsigned long long>(r.steps), core_hours(r, threads),
                      node_hours(r), efficiency(r, first), static_cast<unsigned long long>(r.bytes), t.computation,
                      t.memory, t.imbalance, t.serial, t.latency, t.network, r.limit.c_str());
    }
    return text;
}

io::Json to_json(const Row& row, int threads, const Row& first) {
    if (!row.refusal.empty()) return {{"ranks", row.ranks}, {"refusal", row.refusal}};
    return {{"ranks", row.ranks},
            {"refusal", nullptr},
            {"nodes", static_cast<std::uint64_t>(row.time.nodes)},
            {"bytes_per_rank", row.bytes},
            {"seconds_per_step", row.time.seconds()},
            {"seconds", seconds_of(row)},
            {"core_hours", core_hours(row, threads)},
            {"node_hours", node_hours(row)},
            {"efficiency", efficiency(row, first)},
            {"computation", row.time.computation},
            {"memory", row.time.memory},
            {"imbalance", row.time.imbalance},
            {"serial", row.time.serial},
            {"latency", row.time.latency},
            {"network", row.time.network},
            {"limit", row.limit}};
}

std::string json(const Study& study, const std::vector<Row>& rows, int threads, const Row& first,
                 const std::string& machine, const std::string& text) {
    io::Json json = {{"layout", io::layout_version},
                     {"version", io::program_version()},
                     {"application", study.entry->name},
                     {"machine", machine},
                     {"threads", threads},
                     {"steps", first.steps},
                     {"step_name", first.step_name}};
    io::put_keys(json, study.config, {});
    for (const Row& row : rows) json["table"].push_back(to_json(row, threads, first));
    json["text"] = io::lines(text);
    return io::dumped(json) + "\n";
}

std::string lines(const std::vector<Row>& rows, int threads, const Row& first) {
    std::string text = formatted("  %9s %7s %12s %10s %10s %10s %10s %12s  %s\n", "ranks", "nodes", "s per step",
                                 "whole run", "core-hours", "node-hours", "efficiency", "per rank", "limited by");
    for (const Row& r : rows) {
        if (!r.refusal.empty()) {
            text += formatted("  %9d ", r.ranks) + r.refusal + "\n";
            continue;
        }
        text += formatted("  %9d %7.0f %12.4g %10s %10.3g %10.3g %9.0f%% %12s  %s\n", r.ranks, r.time.nodes,
                          r.time.seconds(), report::human_time(seconds_of(r)).c_str(), core_hours(r, threads),
                          node_hours(r), 100 * efficiency(r, first), human_bytes(r.bytes).c_str(), r.limit.c_str());
    }
    return text;
}

/// Prediction of a scan on one number of ranks.
struct ScanRow {
    int ranks = 0;
    std::string refusal;  ///< why there are no numbers; else empty
    scan::Groups groups;
    double seconds = 0, efficiency = 0;
    std::uint64_t bytes = 0;  ///< memory of the largest rank
};

ScanRow scan_row(const Study& study, int ranks) {
    ScanRow row;
    row.ranks = ranks;
    try {
        const Plan plan = plan_of(study, ranks);
        row.groups = plan.scan->groups;
        row.seconds = plan.needs.front().seconds;
        row.efficiency = row.seconds > 0 ? plan.times.all / (row.seconds * ranks) : 0;
        row.bytes = plan.scan->memory.host_bytes();
    } catch (const Error& error) {
        row.refusal = error.what();
    }
    return row;
}

std::string scan_csv(const std::vector<ScanRow>& rows, int threads) {
    std::string text = "ranks,threads,groups,ranks_of_group,seconds,core_hours,efficiency,bytes_per_rank,refusal\n";
    for (const ScanRow& r : rows)
        text += !r.refusal.empty() ? formatted("%d,%d,,,,,,,", r.ranks, threads) + report::csv_field(r.refusal) + "\n"
                                   : formatted("%d,%d,%d,%d,%.6g,%.4g,%.4f,%llu,\n", r.ranks, threads, r.groups.count,
                                               r.groups.size, r.seconds, r.seconds * r.ranks * threads / hour,
                                               r.efficiency, static_cast<unsigned long long>(r.bytes));
    return text;
}

std::string scan_lines(const std::vector<ScanRow>& rows, int threads) {
    std::string text = formatted("  %9s %16s %10s %10s %10s %12s\n", "ranks", "groups x ranks", "whole scan",
                                 "core-hours", "efficiency", "per rank");
    for (const ScanRow& r : rows)
        text += !r.refusal.empty()
                    ? formatted("  %9d ", r.ranks) + r.refusal + "\n"
                    : formatted("  %9d %16s %10s %10.3g %9.0f%% %12s\n", r.ranks,
                                formatted("%d x %d", r.groups.count, r.groups.size).c_str(),
                                report::human_time(r.seconds).c_str(), r.seconds * r.ranks * threads / hour,
                                100 * r.efficiency, human_bytes(r.bytes).c_str());
    return text;
}

std::string scan_json(const Study& study, const std::vector<ScanRow>& rows, int threads, const std::string& text) {
    io::Json json = {{"layout", io::layout_version},
                     {"version", io::program_version()},
                     {"application", study.entry->name},
                     {"threads", threads},
                     {"points", study.scan.points()}};
    io::put_keys(json, study.config, study.scan);
    for (const ScanRow& r : rows)
        json["table"].push_back(r.refusal.empty()
                                    ? io::Json{{"ranks", r.ranks},
                                               {"refusal", nullptr},
                                               {"groups", {{"count", r.groups.count}, {"ranks", r.groups.size}}},
                                               {"seconds", r.seconds},
                                               {"core_hours", r.seconds * r.ranks * threads / hour},
                                               {"efficiency", r.efficiency},
                                               {"bytes_per_rank", r.bytes}}
                                    : io::Json{{"ranks", r.ranks}, {"refusal", r.refusal}});
    json["text"] = io::lines(text);
    return io::dumped(json) + "\n";
}

}  // namespace

std::string scan_table(const Study& study, const std::vector<int>& ranks, cli::Form form) {
    const int threads = std::max(1, static_cast<int>(study.config.integer("backend.threads")));
    std::vector<ScanRow> rows;
    for (const int n : ranks.empty() ? std::vector<int>{1} : ranks) rows.push_back(scan_row(study, n));
    if (std::ranges::none_of(rows, [](const ScanRow& r) { return r.refusal.empty(); }))
        throw Error(ExitCode::bad_input, rows.front().refusal);
    if (form == cli::Form::csv) return scan_csv(rows, threads);
    const std::string text = formatted("%s, %s, %s per rank: to an order of magnitude\n", study.entry->name.c_str(),
                                       points_text(study.scan).c_str(), counted(threads, "thread").c_str()) +
                             scan_lines(rows, threads);
    return form == cli::Form::json ? scan_json(study, rows, threads, text) : text;
}

std::string plan_table(const Study& study, const std::vector<int>& ranks, const prediction::Machine& machine,
                       cli::Form form) {
    if (!study.scan.empty())
        throw Error(ExitCode::bad_input,
                    "The job is a scan, whose time is that of a schedule of its points; leave --machine out.");
    const int threads = std::max(1, static_cast<int>(study.config.integer("backend.threads")));
    std::vector<Row> rows;
    for (const int n : ranks.empty() ? std::vector<int>{1} : ranks) rows.push_back(row_of(study, n, threads, machine));
    const auto first = std::ranges::find_if(rows, [](const Row& r) { return r.refusal.empty(); });
    if (first == rows.end()) throw Error(ExitCode::bad_input, rows.front().refusal);
    if (form == cli::Form::csv) return csv(rows, threads, *first);
    const std::string text = formatted("%s on %s, %s per rank: about\n  %llu %s\n", study.entry->name.c_str(),
                                       machine.name.c_str(), counted(threads, "thread").c_str(),
                                       static_cast<unsigned long long>(first->steps), first->step_name.c_str()) +
                             lines(rows, threads, *first);
    return form == cli::Form::json ? json(study, rows, threads, *first, machine.name, text) : text;
}

}  // namespace strata
