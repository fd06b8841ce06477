// SPDX-License-Identifier: BSD-3-Clause
// The key that a name means. In a section with names of the user's own (Key::with_own_names) every name means a key, whose
// declaration is that of SECTION.NAME; its value stands before the one of SECTION.NAME, which is always empty.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strata/config.hpp"

namespace strata::cli {

/// The keys, and behind each one of a section in which other names are the user's own that of SECTION.NAME.
std::vector<Key> with_names_of_users(const std::vector<Key>& keys);

/// The key of this name, declared or of the user's own; nothing if there is none.
std::optional<Key> find_key(const std::vector<Key>& keys, const std::string& name);

/// The value of a key that find_key() has found; one of the user's own is added with its default if it is not there.
Config::Value& slot_of(std::vector<Config::Value>& values, const Key& key);

/// " Did you mean KEY?" or "".
std::string key_suggestion(const std::string& name, const std::vector<Key>& keys);

/// Error for a name that is not a key: the former name of a key, no name for one of the user's own, or an unknown name.
std::string unknown_key(const std::string& name, const std::string& application, const std::vector<Key>& keys);

}  // namespace strata::cli
