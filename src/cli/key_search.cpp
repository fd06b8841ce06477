// SPDX-License-Identifier: BSD-3-Clause
// Names of the user's own have small letters, so that NAME is none, and no key that stands for them can be given.
#include "cli/key_search.hpp"

#include <algorithm>

#include "cli/input_errors.hpp"

namespace strata::cli {
namespace {

std::string section_of(const std::string& name) { return name.substr(0, name.find('.')); }

/// The declaration of the names of the user's own in the section of a name; null if it has none.
const Key* own_names_of(const std::vector<Key>& keys, const std::string& name) {
    const auto found = std::ranges::find_if(keys, [&](const Key& key) {
        return key.stands_for_own_names() && name.starts_with(section_of(key.name) + ".");
    });
    return found == keys.end() ? nullptr : &*found;
}

/// Whether the part of a name behind its section is one of the user's own.
bool is_own_name(const std::string& name) {
    const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
    const std::string own = name.substr(section_of(name).size() + 1);
    return !own.empty() && own[0] >= 'a' && own[0] <= 'z' && std::ranges::all_of(own, allowed);
}

}  // namespace

std::vector<Key> with_names_of_users(const std::vector<Key>& keys) {
    std::vector<Key> all;
    for (const Key& key : keys) {
        all.push_back(key);
        if (!key.own_meaning.empty()) all.push_back(key.own_names());
    }
    return all;
}

std::optional<Key> find_key(const std::vector<Key>& keys, const std::string& name) {
    for (const Key& key : keys)
        if (key.name == name && !key.stands_for_own_names()) return key;
    const Key* const declared = own_names_of(keys, name);
    if (declared == nullptr || !is_own_name(name)) return {};
    Key own = *declared;
    own.name = name;
    return own;
}

Config::Value& slot_of(std::vector<Config::Value>& values, const Key& key) {
    const auto name_of = [](const Config::Value& v) { return v.key.name; };
    const auto slot = std::ranges::find(values, key.name, name_of);
    if (slot != values.end()) return *slot;
    const auto declared = std::ranges::find(values, section_of(key.name) + ".NAME", name_of);
    return *values.insert(declared, {key, key.default_value, "default"});
}

std::string key_suggestion(const std::string& name, const std::vector<Key>& keys) {
    std::vector<std::string> names;
    const std::string typed = section_of(name);
    for (const Key& key : keys) {
        const std::string section = section_of(key.name);
        if (!key.stands_for_own_names())
            names.push_back(key.name);
        else if (typed.size() < name.size() && !nearest(typed, {section}).empty() && is_own_name(name))
            return " Did you mean " + section + name.substr(typed.size()) + "?";
    }
    return suggestion(name, names);
}

std::string unknown_key(const std::string& name, const std::string& application, const std::vector<Key>& keys) {
    for (const Key& key : keys)
        for (const auto& [former, instead] : key.former_names) {
            if (former != name) continue;
            if (!instead.empty()) return name + " " + instead;
            return name + " is now " + key.name + (key.choices.empty() ? "" : " = " + joined(key.choices)) + ".";
        }
    if (const Key* const own = own_names_of(keys, name); own != nullptr)
        return printable(name) + " is no name of your own in [" + section_of(own->name) +
               "]: such a name has small letters, digits and '-', and begins with a letter.";
    return printable(name) + " is not a key of " + application + "." + key_suggestion(name, keys);
}

}  // namespace strata::cli
