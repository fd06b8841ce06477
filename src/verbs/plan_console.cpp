// SPDX-License-Identifier: BSD-3-Clause
// Output of plans; jobs/README.md describes the layout of the JSON. Bytes are whole numbers there and an unknown time is
// null.
#include "verbs/plan_console.hpp"

#include <cstdio>

#include "io/json.hpp"
#include "io/provenance.hpp"
#include "run/console.hpp"
#include "strata/formatted.hpp"
#include "verbs/plan.hpp"
#include "verbs/plan_table.hpp"

namespace strata {
namespace {

using io::Json;

std::string lines_of(const Sizes& sizes) {
    const auto line = [](const std::string& name, std::uint64_t bytes) {
        return formatted("    %-26s %12s", name.c_str(), human_bytes(bytes).c_str());
    };
    if (sizes.shown == Sizes::Shown::total)
        return "  " + sizes.heading + "\n    " + human_bytes(sizes.total.value_or(0)) + "\n";
    if (sizes.items.empty()) return {};
    std::string text = "  " + sizes.heading + "\n";
    for (const MemoryPrediction::Item& item : sizes.items) text += line(item.name, item.bytes) + "\n";
    if (sizes.total)
        text += line("total", *sizes.total) +
                (sizes.free_on_node ? "   free on this node: " + human_bytes(*sizes.free_on_node) : "") + "\n";
    return text;
}

std::string as_text(const Study& study, const Plan& plan) {
    std::string text =
        "strata " + io::program_version() + "  " + study.entry->name + " on " + counted(plan.ranks, "rank") + "\n";
    const auto add = [&](const std::string& indent, const std::string& line) { text += indent + line + "\n"; };
    for (const std::string& line : plan.description) add("  ", line);
    for (const Needs& needs : plan.needs) {
        if (!needs.where.empty()) add("", needs.where);
        for (const Sizes& sizes : needs.sizes) text += lines_of(sizes);
        if (!needs.traffic.empty()) add("  ", "traffic");
        for (const std::string& line : needs.traffic) add("    ", line);
        for (const std::string& line : needs.time) add(&line == needs.time.data() ? "  " : "    ", line);
    }
    if (!plan.reason_for_cpu.empty()) add("", "No GPU is used: " + plan.reason_for_cpu + ".");
    return text;
}

/// A time; null if it is unknown.
Json seconds(double value) { return value == 0 ? Json(nullptr) : io::number(value); }

Json to_json(const Sizes& sizes) {
    Json json = {{"heading", sizes.heading}, {"items", Json::array()}};
    for (const MemoryPrediction::Item& item : sizes.items)
        json["items"].push_back({{"name", item.name}, {"bytes", item.bytes}});
    if (sizes.total) json["total"] = *sizes.total;
    if (sizes.free_on_node) json["free_on_node"] = *sizes.free_on_node;
    return json;
}

Json to_json(const Needs& needs) {
    Json json;
    for (const Sizes& sizes : needs.sizes) json[sizes.name] = to_json(sizes);
    json["checkpoint_bytes"] = needs.checkpoint_bytes;
    json["result_bytes"] = needs.result_bytes;
    json["scratch_bytes"] = needs.scratch_bytes;
    json["traffic"] = needs.traffic;
    if (!needs.step_name.empty()) {
        json["steps"] = needs.steps;
        json["step_name"] = needs.step_name;
        json["seconds_per_step"] = seconds(needs.seconds_per_step);
    }
    json["seconds"] = seconds(needs.seconds);
    return json;
}

/// Adds the points, the groups, and the times on one rank.
void put_scan(Json& json, const StudyLayout& layout, const PointTimes& times) {
    json["points"] = layout.seconds.size();
    json["groups"] = {{"count", layout.groups.count}, {"ranks", layout.groups.size}};
    json["largest_point"] = layout.largest;
    json["seconds_of_points"] = Json::array();
    for (const double each : layout.seconds) json["seconds_of_points"].push_back(seconds(each));
    json["seconds_on_one_rank"] = seconds(times.all);
    json["seconds_of_longest"] = seconds(times.longest);
}

std::string as_json(const Study& study, const Plan& plan, const std::string& text) {
    Json json = {{"layout", io::layout_version},
                 {"version", io::program_version()},
                 {"application", study.entry->name},
                 {"ranks", plan.ranks},
                 {"threads", plan.threads}};
    io::put_keys(json, study.config, study.scan);
    if (plan.scan) put_scan(json, *plan.scan, plan.times);
    json["description"] = plan.description;
    json["backends"] = Json::object();
    for (const Needs& needs : plan.needs)
        json["backends"][needs.backend == BackendKind::cuda ? "cuda" : "cpu"] = to_json(needs);
    json["reason_for_cpu"] = plan.reason_for_cpu.empty() ? Json(nullptr) : Json(plan.reason_for_cpu);
    json["text"] = io::lines(text);
    return io::dumped(json) + "\n";
}

}  // namespace

void print_plan(const cli::Arguments& arguments) {
    const Study study = read_job(arguments.operand, arguments.overrides);
    std::string text;
    const bool table = arguments.plan_ranks.size() > 1 || arguments.form == cli::Form::csv;
    if (table && !study.scan.empty() && arguments.machine.empty()) {
        text = scan_table(study, arguments.plan_ranks, arguments.form);
    } else if (table || !arguments.machine.empty()) {
        const prediction::Machine machine =
            arguments.machine.empty() ? prediction::this_machine() : prediction::read_machine(arguments.machine);
        text = plan_table(study, arguments.plan_ranks, machine, arguments.form);
    } else {
        const Plan plan = plan_of(study, arguments.plan_ranks.empty() ? 1 : arguments.plan_ranks.front());
        text = as_text(study, plan);
        if (arguments.form == cli::Form::json) text = as_json(study, plan, text);
    }
    std::fputs(text.c_str(), stdout);
}

}  // namespace strata
