// SPDX-License-Identifier: BSD-3-Clause
// JSON that the program prints: members stay in the order in which they are set, and jobs/README.md describes every
// layout.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "strata/scan.hpp"

namespace strata::io {

using Json = nlohmann::ordered_json;

/// Version of the layouts of all objects, their member `layout`. It changes where a member changes its name or meaning,
/// not where one is added.
constexpr int layout_version = 1;

/// The number; null if it is not finite.
Json number(double value);
/// The value of a key as a number if it is one, else as text.
Json typed(const std::string& text);
/// Adds `parameters`, the values of the keys that have one in all points, and for a scan `scan`, lists of the values of
/// the others at all points.
void put_keys(Json& json, const Config& config, const Scan& scan);
/// A list of the lines of a text.
Json lines(const std::string& text);
/// The text of an object; bytes that are not UTF-8 are replaced.
std::string dumped(const Json& json);

}  // namespace strata::io
