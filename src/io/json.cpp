// SPDX-License-Identifier: BSD-3-Clause
// `strata show --json`: the layout is described in jobs/README.md, and scripts rely on it.
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/result_file.hpp"

namespace strata::io {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

/// One number as itself, several as a list.
Json numbers(const std::vector<double>& values) {
    if (values.size() == 1) return number(values[0]);
    Json list = Json::array();
    for (double value : values) list.push_back(number(value));
    return list;
}

/// A key's value as a number where it is one.
Json typed(const std::string& text) {
    std::int64_t integer = 0;
    double real = 0;
    if (parse_integer(text, integer)) return integer;
    if (parse_real(text, real)) return real;
    return text;
}

bool any_known(const std::vector<double>& values) {
    for (double value : values)
        if (std::isfinite(value)) return true;
    return false;
}

}  // namespace

std::string to_json(const Report& report) {
    Json json;
    json["application"] = report.config.application();
    json["version"] = report.version;
    json["complete"] = report.complete;
    json["steps"] = report.steps;
    json["seconds"] = report.seconds;
    json["ranks"] = report.ranks;
    json["threads"] = report.threads;
    json["backend"] = report.backend;
    for (const Config::Value& value : report.config.values()) json["parameters"][value.key.name] = typed(value.text);
    json["observables"] = Json::object();
    for (const Quantity& q : report.quantities) {
        Json& entry = json["observables"][q.name];
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
    return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace strata::io
