// SPDX-License-Identifier: BSD-3-Clause
// What is wrong with the text of a value: its type, its range, and other notations in which people write numbers.
#include <algorithm>
#include <cctype>
#include <cmath>

#include "cli/job.hpp"
#include "strata/formatted.hpp"

namespace strata::cli {
namespace {

std::string number_text(double value) { return formatted("%.15g", value); }

std::string range_text(const Key& key) {
    const bool low = std::isfinite(key.minimum), high = std::isfinite(key.maximum);
    if (low && high) return "from " + number_text(key.minimum) + " to " + number_text(key.maximum);
    if (low) return "at least " + number_text(key.minimum);
    if (high) return "at most " + number_text(key.maximum);
    return "finite";
}

/// Hint for a text that people write for a number or a list, in other notations than those of job files; empty if it is
/// none of them.
std::string hint_of_number(std::string_view value) {
    const auto holds = [&](std::string_view part) { return value.find(part) != std::string_view::npos; };
    const auto between_digits = [&](char c) {
        for (std::size_t i = 1; i + 1 < value.size(); ++i)
            if (value[i] == c && std::isdigit(static_cast<unsigned char>(value[i - 1])) != 0 &&
                std::isdigit(static_cast<unsigned char>(value[i + 1])) != 0)
                return true;
        return false;
    };
    if (holds("\xE2\x88\x92") || holds("\xE2\x80\x93")) return " The minus sign is the character '-'.";
    if (holds("\xC2\xA0")) return " It holds a no-break space.";
    if (holds(";") || holds("//"))
        return " Comments begin with #, and points separated by semicolons belong to [scan].";
    if (holds("(")) return " A range is written start:stop:step.";
    if (holds("inf") || holds("Inf") || holds("INF")) return " Numbers are finite.";
    if (between_digits('x') || between_digits(' ')) return " Values of a list are separated by commas.";
    return {};
}

/// Hint for several values where one is expected: they can be the points of a scan.
std::string hint_of_points(const Key& key, const std::string& value) {
    std::vector<double> reals;
    std::string error;
    return parse_reals(value, reals, error) && reals.size() > 1
               ? " Several values are points of a scan: write " + key.name + " = " + printable(value) +
                     " in [scan]. Decimals have a point."
               : hint_of_number(value);
}

bool in_range(const Key& key, double value) { return value >= key.minimum && value <= key.maximum; }

template <class T>
std::string members_error(const Key& key, const std::vector<T>& values, const std::string& kind) {
    for (T value : values)
        if (!in_range(key, static_cast<double>(value))) return "each must be " + kind + " " + range_text(key) + ".";
    return {};
}

}  // namespace

std::string value_error(const Key& key, const std::string& value) {
    std::int64_t integer = 0;
    double real = 0;
    std::vector<double> reals;
    std::vector<std::int64_t> integers;
    std::string error;
    switch (key.type) {
        case ValueType::integer:
            if (std::ranges::find(key.choices, value) != key.choices.end()) return "";
            return parse_integer(value, integer) && in_range(key, static_cast<double>(integer))
                       ? ""
                       : "must be an integer " + range_text(key) +
                             (key.choices.empty() ? "" : ", or " + joined(key.choices)) + "." +
                             hint_of_points(key, value);
        case ValueType::real:
            return parse_real(value, real) && in_range(key, real)
                       ? ""
                       : "must be a number " + range_text(key) + "." + hint_of_points(key, value);
        case ValueType::duration:
            return parse_duration(value, real) ? "" : "must be a time such as 30s, 10min, 2h, 1d, or none.";
        case ValueType::yes_no: return value == "yes" || value == "no" ? "" : "must be yes or no.";
        case ValueType::choice:
            return std::ranges::find(key.choices, value) != key.choices.end()
                       ? ""
                       : "must be " + joined(key.choices) + "." + suggestion(value, key.choices);
        case ValueType::reals:
            return parse_reals(value, reals, error)
                       ? members_error(key, reals, "a number")
                       : "must be a list of numbers: " + error + "." + hint_of_number(value);
        case ValueType::integers:
            return parse_integers(value, integers, error)
                       ? members_error(key, integers, "an integer")
                       : "must be a list of integers: " + error + "." + hint_of_number(value);
        case ValueType::text:
        case ValueType::terms:
        case ValueType::file: break;
    }
    const bool control = std::ranges::any_of(value, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
    return control ? "must not hold control characters." : "";
}

}  // namespace strata::cli
