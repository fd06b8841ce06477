// SPDX-License-Identifier: BSD-3-Clause
// `strata show --json`: jobs/README.md describes the layout, on which scripts rely.
#include "io/json.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "io/result_file.hpp"
#include "io/scan_file.hpp"

namespace strata::io {

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json typed(const std::string& text) {
    std::int64_t integer = 0;
    double real = 0;
    if (parse_integer(text, integer)) return integer;
    if (parse_real(text, real)) return real;
    return text;
}

void put_keys(Json& json, const Config& config, const Scan& scan) {
    const std::vector<ScanKey> scanned = scan.keys();
    for (const Config::Value& value : config.values())
        if (std::ranges::none_of(scanned, [&](const ScanKey& k) { return k.key.name == value.key.name; }))
            json["parameters"][value.key.name] = typed(value.text);
    for (std::size_t p = 0; p < scan.points() && !scan.empty(); ++p) {
        const std::vector<std::string> values = scan.values(p);
        for (std::size_t k = 0; k < scanned.size(); ++k) json["scan"][scanned[k].key.name].push_back(typed(values[k]));
    }
}

Json lines(const std::string& text) {
    Json list = Json::array();
    std::istringstream from(text);
    for (std::string line; std::getline(from, line);) list.push_back(line);
    return list;
}

std::string dumped(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace); }

namespace {

/// A number if there is exactly one value, else a list.
Json numbers(const std::vector<double>& values) {
    if (values.size() == 1) return number(values[0]);
    Json list = Json::array();
    for (double value : values) list.push_back(number(value));
    return list;
}

bool any_known(const std::vector<double>& values) {
    for (double value : values)
        if (std::isfinite(value)) return true;
    return false;
}

/// Names of the axes of a list, and the length of the last one where there are two.
void put_axes(const Quantity& q, Json& entry) {
    if (!q.axes.empty()) entry["axes"] = q.axes;
    if (q.axes.size() > 1) entry["row_length"] = q.row_length;
}

}  // namespace

std::string to_json(const Report& report) {
    Json json;
    json["layout"] = layout_version;
    json["application"] = report.config.application();
    json["version"] = report.version;
    json["complete"] = report.complete;
    json["exit_code"] = report.exit_code ? Json(*report.exit_code) : Json(nullptr);
    if (!report.sentence.empty()) json["sentence"] = report.sentence;
    json["steps"] = report.steps;
    json["seconds"] = report.seconds;
    json["ranks"] = report.ranks;
    json["threads"] = report.threads;
    json["backend"] = report.backend;
    put_keys(json, report.config, {});
    json["observables"] = Json::object();
    for (const Quantity& q : report.quantities) {
        Json& entry = json["observables"][q.name];
        put_axes(q, entry);
        entry["value"] = numbers(q.value);
        if (any_known(q.error)) entry["error"] = numbers(q.error);
        if (any_known(q.tau)) entry["tau"] = numbers(q.tau);
        if (any_known(q.reference)) entry["reference"] = numbers(q.reference);
    }
    if (!report.remark.empty()) json["remark"] = report.remark;
    json["timers"] = Json::object();
    for (const PhaseTime& phase : report.timers) json["timers"][phase.name] = phase.seconds;
    json["performance"] = Json::object();
    for (const Figure& figure : report.performance) json["performance"][figure.name] = number(figure.value);
    json["state_hash"] = report.state_hash;
    return dumped(json);
}

std::string to_json(const ScanReport& report) {
    Json json;
    json["layout"] = layout_version;
    json["application"] = report.config.application();
    json["version"] = report.version;
    json["complete"] = report.complete;
    json["points"] = report.points.size();
    json["seconds"] = report.seconds;
    json["ranks"] = report.ranks;
    json["threads"] = report.threads;
    put_keys(json, report.config, report.scan);
    for (const PointRecord& point : report.points) {
        json["exit_code"].push_back(point.state == PointState::open ? Json(nullptr) : Json(point.exit_code));
        json["state_hash"].push_back(point.state_hash);
    }
    json["observables"] = Json::object();
    const auto rows = [](const std::vector<double>& values, std::size_t width) {
        Json list = Json::array();
        for (std::size_t i = 0; i < values.size(); i += width)
            list.push_back(numbers({values.begin() + static_cast<std::ptrdiff_t>(i),
                                    values.begin() + static_cast<std::ptrdiff_t>(i + width)}));
        return list;
    };
    for (const ScanQuantity& q : merged_quantities(report.points)) {
        Json& entry = json["observables"][q.over_points.name];
        put_axes(q.over_points, entry);
        entry["value"] = rows(q.over_points.value, q.width);
        if (any_known(q.over_points.error)) entry["error"] = rows(q.over_points.error, q.width);
        if (any_known(q.over_points.tau)) entry["tau"] = rows(q.over_points.tau, q.width);
        if (any_known(q.over_points.reference)) entry["reference"] = rows(q.over_points.reference, q.width);
    }
    return dumped(json);
}

}  // namespace strata::io
