// SPDX-License-Identifier: BSD-3-Clause
// A key that has no effect in a job must not be given there: the user would believe that it changed the result. The
// sentence names the condition and the first other key whose value does not satisfy it; of several alternatives it
// names the one of which the job satisfies most conditions. A condition on a key that does not apply itself fails.
#include "cli/applicability.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <span>

namespace strata::cli {
namespace {

/// Whether the value satisfies the condition.
bool is_satisfied(const Config& config, const Condition& condition) {
    const std::string& text = config.value(condition.key).text;
    if (!condition.values.empty()) return std::ranges::count(condition.values, text) != 0;
    std::vector<double> numbers;
    std::string error;
    return parse_reals(text, numbers, error) && !numbers.empty() && std::ranges::all_of(numbers, [&](double number) {
               return number >= condition.minimum && number <= condition.maximum;
           });
}

bool holds(const Config& config, const Condition& condition) {
    return is_satisfied(config, condition) && applies(config, config.value(condition.key).key);
}

std::string text_of(const Condition& condition) {
    if (condition.values == std::vector<std::string>{""}) return condition.key + " left out";
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

std::string text_of(std::span<const Condition> all) {
    std::string text;
    for (const Condition& condition : all) text += (text.empty() ? "" : " and ") + text_of(condition);
    return text;
}

/// The conditions up to the first that fails, of the list in which that is the latest; empty if all conditions of some
/// list hold, or if there is no list.
std::span<const Condition> up_to_failing(const Config& config, const Key& key) {
    std::span<const Condition> nearest;
    for (const std::vector<Condition>& all : key.conditions) {
        const auto failed = std::ranges::find_if(all, [&](const Condition& c) { return !holds(config, c); });
        if (failed == all.end()) return {};
        if (const std::span conditions(all.begin(), failed + 1); conditions.size() > nearest.size())
            nearest = conditions;
    }
    return nearest;
}

/// " belongs to CONDITIONS; KEY is VALUE here."
std::string reason_of(const Config& config, const Key& key) {
    const std::span<const Condition> nearest = up_to_failing(config, key);
    const Condition& failing = nearest.back();
    const Config::Value& value = config.value(failing.key);
    if (!applies(config, value.key)) return " belongs to " + failing.key + ", which" + reason_of(config, value.key);
    constexpr std::size_t most_listed = 8;
    if (failing.values.size() > most_listed)
        return " does not apply to " + failing.key + " = " + value.text + "; leave it out.";
    const bool chosen = key.conditions.size() > 1 && nearest.size() > 1;
    const std::string where =
        chosen ? text_of(failing) + " where " + text_of(nearest.first(nearest.size() - 1)) : condition_text(key);
    return " belongs to " + where + "; " + failing.key + " is " + (value.text.empty() ? "left out" : value.text) +
           " here.";
}

/// Whether the key fails only because another one is given where it does not apply, and is refused itself.
bool follows_from_another(const Config& config, const Key& key) {
    const Condition& failing = up_to_failing(config, key).back();
    return config.given(failing.key) && is_satisfied(config, failing);
}

}  // namespace

std::string condition_text(const Key& key) {
    std::string text;
    for (const std::vector<Condition>& all : key.conditions) text += (text.empty() ? "" : ", or ") + text_of(all);
    return text;
}

bool applies(const Config& config, const Key& key) { return up_to_failing(config, key).empty(); }

std::string misuse(const Config& config, const Key& key) {
    return applies(config, key) ? std::string() : config.cite(key.name) + reason_of(config, key);
}

void check_applicability(const Config& config, InputErrors& errors) {
    for (const Config::Value& v : config.values()) {
        const bool given = config.given(v.key.name);
        if (given && !applies(config, v.key) && !follows_from_another(config, v.key)) errors.add(misuse(config, v.key));
        if (!given && !v.key.demand.empty() && applies(config, v.key))
            errors.add(v.key.name + " is missing: " + v.key.demand);
    }
}

}  // namespace strata::cli
