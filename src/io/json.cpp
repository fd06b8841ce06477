// SPDX-License-Identifier: BSD-3-Clause
// `strata show --json`: jobs/README.md describes the layout, on which scripts rely.
#include "io/json.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <sstream>

#include "io/axes.hpp"
#include "io/study_file.hpp"

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
        if (!value.key.stands_for_own_names() &&
            std::ranges::none_of(scanned, [&](const ScanKey& k) { return k.key.name == value.key.name; }))
            json["parameters"][value.key.name] = typed(value.text);
    for (std::size_t p = 0; p < scan.points(); ++p) {
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

bool is_one(const Study& study) { return study.scan.empty(); }

/// The value of a single point, or the list of those of all points of a scan.
Json at_points(const Study& study, const std::function<Json(const PointRecord&)>& value) {
    if (is_one(study)) return value(study.records.front());
    Json list = Json::array();
    for (const PointRecord& point : study.records) list.push_back(value(point));
    return list;
}

void put_text(Json& json, const char* name, const Study& study, std::string PointRecord::*text) {
    if (std::ranges::any_of(study.records, [text](const PointRecord& point) { return !(point.*text).empty(); }))
        json[name] = at_points(study, [text](const PointRecord& point) { return Json(point.*text); });
}

/// Numbers of named items of the points: null where a point of a scan does not have the item.
template <class Item>
Json by_name(const Study& study, std::vector<Item> PointRecord::*items, double Item::*value) {
    Json all = Json::object();
    for (std::size_t p = 0; p < study.records.size(); ++p)
        for (const Item& item : study.records[p].*items) {
            Json& entry = all[item.name];
            if (is_one(study)) {
                entry = number(item.*value);
                continue;
            }
            if (entry.is_null()) entry = std::vector<Json>(study.records.size());
            entry[p] = number(item.*value);
        }
    return all;
}

/// Value, error, tau and reference of a quantity, with its axes and the length of the last one where there are two.
Json observable(const Study& study, const ScanQuantity& q) {
    const Quantity& all = q.over_points;
    Json entry;
    if (!all.axes.empty()) entry["axes"] = all.axes;
    if (all.axes.size() > 1) entry["row_length"] = all.row_length;
    for (const QuantityPart& part : quantity_parts) {
        const std::vector<double>& values = all.*part.list;
        if (part.list != &Quantity::value && !std::ranges::any_of(values, [](double v) { return std::isfinite(v); }))
            continue;
        if (is_one(study)) {
            entry[part.name] = numbers(values);
            continue;
        }
        Json& list = entry[part.name] = Json::array();
        for (auto row = values.begin(); row != values.end(); row += static_cast<std::ptrdiff_t>(q.width))
            list.push_back(numbers({row, row + static_cast<std::ptrdiff_t>(q.width)}));
    }
    return entry;
}

}  // namespace

std::string to_json(const Study& study) {
    Json json;
    json["layout"] = layout_version;
    json["application"] = study.config.application();
    json["version"] = study.version;
    json["complete"] = study.complete();
    if (!is_one(study)) json["points"] = study.records.size();
    json["exit_code"] = at_points(
        study, [](const PointRecord& point) { return point.exit_code ? Json(*point.exit_code) : Json(nullptr); });
    put_text(json, "sentence", study, &PointRecord::sentence);
    json["steps"] = at_points(study, [](const PointRecord& point) { return Json(point.steps); });
    json["seconds"] = is_one(study) ? study.records.front().seconds : study.seconds;
    json["ranks"] = study.ranks;
    json["threads"] = study.threads;
    json["backend"] = at_points(study, [](const PointRecord& point) { return Json(point.backend); });
    put_keys(json, study.config, study.scan);
    json["observables"] = Json::object();
    for (const ScanQuantity& q : merged_quantities(study.records))
        json["observables"][q.over_points.name] = observable(study, q);
    put_text(json, "remark", study, &PointRecord::remark);
    json["timers"] = by_name(study, &PointRecord::timers, &PhaseTime::seconds);
    json["performance"] = by_name(study, &PointRecord::performance, &Figure::value);
    json["state_hash"] = at_points(study, [](const PointRecord& point) { return Json(point.state_hash); });
    return dumped(json);
}

}  // namespace strata::io
