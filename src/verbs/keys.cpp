// SPDX-License-Identifier: BSD-3-Clause
// Both forms are made from the declarations of the keys, whose conditions and ranges JSON has as data. jobs/README.md
// describes its layout.
#include "verbs/keys.hpp"

#include <cmath>
#include <cstdio>
#include <limits>

#include "cli/applicability.hpp"
#include "cli/help.hpp"
#include "io/json.hpp"
#include "io/provenance.hpp"
#include "strata/error.hpp"
#include "strata/formatted.hpp"
#include "study/registry.hpp"

namespace strata {
namespace {

using io::Json;

const char* word_of(ValueType type) {
    switch (type) {
        case ValueType::integer: return "integer";
        case ValueType::real: return "number";
        case ValueType::text: return "text";
        case ValueType::choice:
        case ValueType::yes_no: return "choice";
        case ValueType::integers: return "integers";
        case ValueType::reals: return "numbers";
        case ValueType::duration: return "time";
        case ValueType::terms: return "terms";
        case ValueType::file: break;
    }
    return "file";
}

const char* word_of(KeyRole role) {
    switch (role) {
        case KeyRole::physics: return "physics";
        case KeyRole::measurement: return "measurement";
        case KeyRole::length: return "length";
        case KeyRole::output: return "output";
        case KeyRole::backend: break;
    }
    return "backend";
}

bool is_number(ValueType type) {
    using enum ValueType;
    return type == integer || type == real || type == integers || type == reals;
}

/// The bound of a range; null if there is none.
Json bound(double value) {
    const bool whole = std::abs(value) < 0x1p63 && value == std::floor(value);
    return whole ? Json(static_cast<std::int64_t>(value)) : io::number(value);
}

/// A range, which contains its ends; a lower end at the smallest positive number stands for all numbers above 0.
Json range(double minimum, double maximum) {
    const bool positive = minimum == std::numeric_limits<double>::min();
    return {{"lower", bound(positive ? 0 : minimum)},
            {"upper", bound(maximum)},
            {"lower_included", !positive},
            {"upper_included", true}};
}

Json to_json(const Condition& condition) {
    Json json = {{"key", condition.key}};
    if (condition.values.empty())
        json["range"] = range(condition.minimum, condition.maximum);
    else
        json["values"] = condition.values;
    return json;
}

Json to_json(const Key& key) {
    Json json;
    json["section"] = cli::section_of(key);
    json["name"] = key.name.substr(cli::section_of(key).size() + 1);
    json["type"] = word_of(key.type);
    json["range"] = is_number(key.type) ? range(key.minimum, key.maximum) : Json(nullptr);
    json["choices"] = key.type == ValueType::yes_no ? std::vector<std::string>{"yes", "no"} : key.choices;
    json["default"] = key.default_value.empty() ? Json(nullptr) : Json(key.default_value);
    json["required"] = !key.demand.empty();
    json["unit"] = key.unit;
    json["meaning"] = key.meaning;
    json["conditions"] = Json::array();
    for (const std::vector<Condition>& all : key.conditions) {
        Json list = Json::array();
        for (const Condition& condition : all) list.push_back(to_json(condition));
        json["conditions"].push_back(list);
    }
    json["role"] = word_of(key.role);
    json["changes_on_resume"] = !is_fixed(key.role);
    json["text"] = {
        {"type", cli::type_text(key)}, {"default", cli::default_text(key)}, {"condition", cli::condition_text(key)}};
    return json;
}

/// The word that keys have for one of other programs.
std::string other_word(const std::string& word) {
    constexpr std::pair<const char*, const char*> words[] = {{"restart", "checkpoint"}, {"resume", "checkpoint"}};
    const auto found = std::ranges::find(words, word, [](const auto& pair) { return std::string(pair.first); });
    return found == std::end(words) ? word : found->second;
}

/// The keys of an application that the arguments choose.
std::vector<Key> chosen_keys(const ApplicationEntry& entry, const cli::Arguments& arguments) {
    cli::InputErrors errors;
    const std::vector<Key> all = cli::keys_with(entry.name, arguments.overrides, all_keys(entry), errors);
    std::vector<Key> found = cli::keys_about(other_word(arguments.word), all);
    errors.throw_if_any();
    if (!found.empty()) return found;
    std::vector<std::string> names;
    for (const Key& key : all) names.push_back(key.name.substr(key.name.find('.') + 1));
    throw Error(ExitCode::bad_input, "No key of " + entry.name + " has '" + cli::printable(arguments.word) +
                                         "' in its name, meaning or choices." + cli::suggestion(arguments.word, names) +
                                         " For results: strata keys " + entry.name + " " +
                                         cli::printable(arguments.word) + " --outputs.");
}

std::string as_json(const std::vector<ApplicationEntry>& entries, const cli::Arguments& arguments) {
    Json json = {{"layout", io::layout_version}, {"version", io::program_version()}};
    for (const ApplicationEntry& entry : entries) {
        Json& application = json["applications"][entry.name];
        application["title"] = entry.title;
        for (const Key& key : cli::by_section(chosen_keys(entry, arguments)))
            application["keys"][key.name] = to_json(key);
    }
    return io::dumped(json) + "\n";
}

std::string as_text(const std::vector<ApplicationEntry>& entries, const cli::Arguments& arguments) {
    if (!arguments.operand.empty()) {
        const std::vector<Key> found = chosen_keys(entries.front(), arguments);
        const bool whole = arguments.word.empty() && arguments.overrides.empty();
        return cli::key_table(entries.front().name, found, whole ? entries.front().example : "");
    }
    std::string text;
    for (const ApplicationEntry& entry : entries)
        text += formatted("strata keys %-14s  %s\n", entry.name.c_str(), entry.title.c_str());
    return text;
}

}  // namespace

void print_keys(const cli::Arguments& arguments) {
    const std::vector<ApplicationEntry> entries =
        arguments.operand.empty() ? applications() : std::vector{find_application(arguments.operand)};
    const bool json = arguments.form == cli::Form::json;
    std::fputs((json ? as_json(entries, arguments) : as_text(entries, arguments)).c_str(), stdout);
}

}  // namespace strata
