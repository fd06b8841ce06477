// SPDX-License-Identifier: BSD-3-Clause
// Sites are those of the first Hamiltonian, so that the type of the model and the spin have no second value. Types,
// ranges and conditions of a key are those of the key of [model], and sentences about a value name the key that gave it.
#include "models/other_model.hpp"

#include <algorithm>

#include "strata/formatted.hpp"

namespace strata {
namespace {

constexpr std::string_view model_section = "model.";

/// The name that a key of [model] has in the section; empty for other keys.
std::string name_in(const std::string& section, const std::string& name) {
    if (!name.starts_with(model_section) || name == "model.type" || name == "model.spin") return {};
    return section + "." + name.substr(model_section.size());
}

bool is_given(const Config& config, const std::string& name) {
    return !name.empty() && config.has(name) && config.given(name);
}

}  // namespace

std::vector<Key> other_model_keys(const std::string& section, const ModelOffer& offer, const Condition& where,
                                  const std::string& whose) {
    std::vector<Key> keys;
    for (const Key& of_model : model_keys(offer)) {
        const std::string name = name_in(section, of_model.name);
        if (name.empty()) continue;
        Key key = of_model;
        key.name = name;
        key.meaning = of_model.name + " of " + whose + "; default: the value of " + of_model.name + ".";
        key.default_value = key.demand = {};
        key.former_names.clear();
        key.other_defaults.clear();
        if (key.conditions.empty()) key.conditions.emplace_back();
        for (std::vector<Condition>& all : key.conditions) all.insert(all.begin(), where);
        keys.push_back(std::move(key));
    }
    return keys;
}

bool has_other_model(const Config& config, const std::string& section) {
    return std::ranges::any_of(config.values(),
                               [&](const Config::Value& v) { return is_given(config, name_in(section, v.key.name)); });
}

Config with_other_model(const Config& config, const std::string& section) {
    std::vector<Config::Value> values = config.values();
    for (Config::Value& value : values) {
        const std::string name = name_in(section, value.key.name);
        if (!is_given(config, name)) continue;
        Key key = value.key;
        value = config.value(name);
        value.key = std::move(key);
        value.given_as = name;
    }
    return {config.application(), std::move(values)};
}

Config with_model_value(const Config& config, const std::string& key, double number) {
    std::vector<Config::Value> values = config.values();
    for (Config::Value& value : values)
        if (value.key.name == key) value.text = formatted("%.17g", number);
    return {config.application(), std::move(values)};
}

}  // namespace strata
