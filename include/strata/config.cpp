// SPDX-License-Identifier: BSD-3-Clause
// Parsers of numbers, lists, ranges and times of job files: independent of the locale, without trailing characters, and
// with a bound on the length of lists. Config searches keys linearly by name, since jobs have few keys and steps read
// none.
#include "strata/config.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <type_traits>

#include "strata/error.hpp"

namespace strata {
namespace {

constexpr std::size_t max_members = 100000;
constexpr std::string_view too_many = "a list has at most 100000 members";

template <class T>
bool parse_whole(std::string_view text, T& value) {
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    return error == std::errc{} && stop == end;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t to = std::min(text.find(separator, from), text.size());
        parts.push_back(trimmed(text.substr(from, to - from)));
        from = to + 1;
    }
    return parts;
}

bool parse(std::string_view text, double& value) { return parse_real(text, value); }
bool parse(std::string_view text, std::int64_t& value) { return parse_integer(text, value); }

/// Appends the points start + i * step of start:stop:step; a real stop is included if it is within a millionth of a step.
template <class Number>
bool append_range(const std::vector<std::string_view>& parts, std::vector<Number>& values, std::string& error) {
    constexpr bool real = std::is_floating_point_v<Number>;
    Number start = 0, stop = 0, step = 0;
    if (parts.size() != 3 || !parse(parts[0], start) || !parse(parts[1], stop) || !parse(parts[2], step)) {
        error = real ? "a range is written start:stop:step or log:first:last:number"
                     : "a range of integers is written start:stop:step";
        return false;
    }
    const double steps = (static_cast<double>(stop) - static_cast<double>(start)) / static_cast<double>(step);
    if (step == 0 || steps < 0) {
        error = "the step must lead from start to stop";
        return false;
    }
    if (static_cast<double>(values.size()) + steps >= static_cast<double>(max_members)) {
        error = too_many;
        return false;
    }
    const auto last = static_cast<std::int64_t>(std::floor(steps + (real ? 1e-6 : 0)));
    for (std::int64_t i = 0; i <= last; ++i) values.push_back(start + static_cast<Number>(i) * step);
    return true;
}

/// Appends the values of log:FIRST:LAST:NUMBER, with equal ratios and both ends included.
bool append_geometric(const std::vector<std::string_view>& parts, std::vector<double>& values, std::string& error) {
    double first = 0, last = 0;
    std::int64_t number = 0;
    if (parts.size() != 4 || !parse_real(parts[1], first) || !parse_real(parts[2], last) ||
        !parse_integer(parts[3], number) || first <= 0 || last <= 0 || number < 2 ||
        number > static_cast<std::int64_t>(max_members)) {
        error = "a logarithmic range is written log:first:last:number, with first and last > 0 and 2 values or more";
        return false;
    }
    for (std::int64_t i = 0; i < number; ++i) {
        const double weight = static_cast<double>(i) / static_cast<double>(number - 1);
        values.push_back(i == 0            ? first
                         : i == number - 1 ? last
                                           : std::exp((1 - weight) * std::log(first) + weight * std::log(last)));
    }
    return true;
}

bool append_members(const std::vector<std::string_view>& parts, std::vector<double>& values, std::string& error) {
    return (parts[0] == "log" ? append_geometric : append_range<double>)(parts, values, error);
}
bool append_members(const std::vector<std::string_view>& parts, std::vector<std::int64_t>& values, std::string& error) {
    return append_range(parts, values, error);
}

template <class Number>
bool parse_list(std::string_view text, std::vector<Number>& values, std::string& error) {
    constexpr bool real = std::is_floating_point_v<Number>;
    values.clear();
    for (std::string_view member : split(text, ',')) {
        const std::vector<std::string_view> parts = split(member, ':');
        Number value = 0;
        if (parts.size() == 1 && parse(member, value)) {
            values.push_back(value);
        } else if (parts.size() == 1) {
            error = member.empty() ? "a member is missing"
                                   : "'" + std::string(member) + "' is not " + (real ? "a number" : "an integer");
            return false;
        } else if (!append_members(parts, values, error)) {
            return false;
        }
        if (values.size() > max_members) {
            error = too_many;
            return false;
        }
    }
    return true;
}

}  // namespace

Key Key::when(std::vector<Condition> all) const {
    Key key = *this;
    key.conditions.push_back(std::move(all));
    return key;
}

Key Key::required(std::string what_to_give) const {
    Key key = *this;
    key.demand = std::move(what_to_give);
    return key;
}

Key Key::or_default(std::string value, Condition where) const {
    Key key = *this;
    key.other_defaults.emplace_back(std::move(where), std::move(value));
    return key;
}

Key Key::renamed_from(std::string former, std::string instead) const {
    Key key = *this;
    key.former_names.emplace_back(std::move(former), std::move(instead));
    return key;
}

Key Key::with_own_names(std::string meaning_of_others) const {
    Key key = *this;
    key.own_meaning = std::move(meaning_of_others);
    return key;
}

Key Key::own_names() const {
    Key key = {name.substr(0, name.find('.')) + ".NAME", ValueType::terms, "", "", own_meaning, role};
    key.conditions = conditions;
    return key;
}

bool parse_integer(std::string_view text, std::int64_t& value) { return parse_whole(text, value); }

bool parse_real(std::string_view text, double& value) {
    if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
    return parse_whole(text, value) && std::isfinite(value);
}

bool parse_duration(std::string_view text, double& seconds) {
    if (text == "none") {
        seconds = std::numeric_limits<double>::infinity();
        return true;
    }
    struct Unit {
        std::string_view name;
        double seconds;
    };
    constexpr Unit units[] = {{"min", 60}, {"s", 1}, {"h", 3600}, {"d", 86400}};
    for (const Unit& unit : units)
        if (text.ends_with(unit.name)) {
            if (!parse_real(trimmed(text.substr(0, text.size() - unit.name.size())), seconds)) return false;
            seconds *= unit.seconds;
            return seconds >= 0;
        }
    return parse_real(text, seconds) && seconds >= 0;
}

bool parse_reals(std::string_view text, std::vector<double>& values, std::string& error) {
    return parse_list(text, values, error);
}

bool parse_integers(std::string_view text, std::vector<std::int64_t>& values, std::string& error) {
    return parse_list(text, values, error);
}

Config::Config(std::string application, std::vector<Value> values)
    : application_(std::move(application)), values_(std::make_shared<const std::vector<Value>>(std::move(values))) {}

bool Config::Value::names_file() const {
    const bool one_word = !text.empty() && text.find_first_of(" \t;") == std::string::npos;
    return key.type == ValueType::file ? !text.empty() : key.type == ValueType::terms && one_word;
}

bool Config::has(std::string_view key) const {
    return std::ranges::any_of(*values_, [&](const Value& v) { return v.key.name == key; });
}

const Config::Value& Config::value(std::string_view key) const {
    const auto found = std::ranges::find_if(*values_, [&](const Value& v) { return v.key.name == key; });
    if (found == values_->end())
        throw Error(ExitCode::internal, "The key " + std::string(key) + " was asked for but never declared.");
    return *found;
}

bool Config::given(std::string_view key) const { return value(key).origin != "default"; }

namespace {

const Config::Value& value_of(const Config& config, std::string_view key, std::initializer_list<ValueType> types) {
    const Config::Value& value = config.value(key);
    if (std::ranges::find(types, value.key.type) == types.end())
        throw Error(ExitCode::internal,
                    "The key " + std::string(key) + " was asked for as another type than declared.");
    return value;
}

const std::string& text_of(const Config& config, std::string_view key, std::initializer_list<ValueType> types) {
    return value_of(config, key, types).text;
}

}  // namespace

std::int64_t Config::integer(std::string_view key) const {
    std::int64_t number = 0;
    parse_integer(text_of(*this, key, {ValueType::integer}), number);
    return number;
}

double Config::real(std::string_view key) const {
    double number = 0;
    parse_real(text_of(*this, key, {ValueType::real}), number);
    return number;
}

const std::string& Config::text(std::string_view key) const {
    return text_of(*this, key, {ValueType::text, ValueType::choice, ValueType::file, ValueType::terms});
}

const std::string& Config::content(std::string_view key) const {
    return value_of(*this, key, {ValueType::file}).content;
}

bool Config::boolean(std::string_view key) const { return text_of(*this, key, {ValueType::yes_no}) == "yes"; }

double Config::seconds(std::string_view key) const {
    double number = 0;
    parse_duration(text_of(*this, key, {ValueType::duration}), number);
    return number;
}

std::vector<std::int64_t> Config::integers(std::string_view key) const {
    std::vector<std::int64_t> numbers;
    std::string error;
    parse_integers(text_of(*this, key, {ValueType::integers}), numbers, error);
    return numbers;
}

std::vector<double> Config::reals(std::string_view key) const {
    std::vector<double> numbers;
    std::string error;
    parse_reals(text_of(*this, key, {ValueType::reals}), numbers, error);
    return numbers;
}

std::string Config::cite(std::string_view key) const {
    const Value& v = value(key);
    const std::string& name = v.given_as.empty() ? v.key.name : v.given_as;
    if (v.origin == "command line") return "--" + name + "=" + v.text;
    return v.origin + ": " + name + " = " + v.text;
}

}  // namespace strata
