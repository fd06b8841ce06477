// SPDX-License-Identifier: BSD-3-Clause
// A key that says nothing in a job must not be given there: the user would believe that it changed the result. The
// sentence names the whole condition and the first other key whose value does not satisfy it.
#include "cli/applicability.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace strata::cli {
namespace {

bool holds(const Config& config, const Condition& condition) {
    const std::string& text = config.value(condition.key).text;
    if (!condition.values.empty()) return std::ranges::count(condition.values, text) != 0;
    double number = 0;
    return parse_real(text, number) && number >= condition.minimum && number <= condition.maximum;
}

std::string text_of(const Condition& condition) {
    if (!condition.values.empty()) return condition.key + " = " + joined(condition.values);
    char range[64];
    if (condition.minimum == std::numeric_limits<double>::min())
        std::snprintf(range, sizeof range, " > 0");
    else if (condition.minimum == condition.maximum)
        std::snprintf(range, sizeof range, " = %.15g", condition.minimum);
    else if (std::isinf(condition.maximum))
        std::snprintf(range, sizeof range, " >= %.15g", condition.minimum);
    else if (std::isinf(condition.minimum))
        std::snprintf(range, sizeof range, " <= %.15g", condition.maximum);
    else
        std::snprintf(range, sizeof range, " from %.15g to %.15g", condition.minimum, condition.maximum);
    return condition.key + range;
}

/// The condition that fails in the list that holds longest; nullptr if all of some list hold, or there is no list.
const Condition* first_failing(const Config& config, const Key& key) {
    const Condition* failing = nullptr;
    std::ptrdiff_t longest = -1;
    for (const std::vector<Condition>& all : key.conditions) {
        const auto failed = std::ranges::find_if(all, [&](const Condition& c) { return !holds(config, c); });
        if (failed == all.end()) return nullptr;
        if (failed - all.begin() <= longest) continue;
        longest = failed - all.begin();
        failing = &*failed;
    }
    return failing;
}

}  // namespace

std::string condition_text(const Key& key) {
    std::string text;
    for (const std::vector<Condition>& all : key.conditions) {
        if (!text.empty()) text += ", or ";
        for (std::size_t i = 0; i < all.size(); ++i) text += (i == 0 ? "" : " and ") + text_of(all[i]);
    }
    return text;
}

bool applies(const Config& config, const Key& key) { return first_failing(config, key) == nullptr; }

std::string misuse(const Config& config, const Key& key) {
    const Condition* failing = first_failing(config, key);
    if (failing == nullptr) return {};
    return config.cite(key.name) + " belongs to " + condition_text(key) + "; " + failing->key + " is " +
           config.value(failing->key).text + " here.";
}

void check_applicability(const Config& config, InputErrors& errors) {
    for (const Config::Value& v : config.values()) {
        const bool given = config.given(v.key.name);
        if (given && !applies(config, v.key)) errors.add(misuse(config, v.key));
        if (!given && !v.key.demand.empty() && applies(config, v.key))
            errors.add(v.key.name + " is missing: " + v.key.demand);
    }
}

}  // namespace strata::cli
