// SPDX-License-Identifier: BSD-3-Clause
// A job as applications read it: every key with its type, range and meaning, and the resolved values of one job.
// src/cli reads job files and makes this structure, which is identical on every rank.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

/// The value of a `file` is its path; the content is read once, when the job is resolved, and is part of the job. Those of
/// `terms` are several words, or one, which is the path of a file that has them.
enum class ValueType { integer, real, text, choice, yes_no, integers, reals, duration, file, terms };

/// Effect of a key. Only keys of the last three roles may change when a run is resumed. A key of the role `measurement`
/// does not change the state that a run ends with, only what is computed of it (strata measure).
enum class KeyRole { physics, measurement, length, output, backend };

/// True if a run and its continuation must have the same value.
constexpr bool is_fixed(KeyRole role) { return role == KeyRole::physics || role == KeyRole::measurement; }

/// A condition on the resolved value of another key.
struct Condition {
    std::string key;
    /// Allowed values, {""}: none; empty: a number, or a list of numbers, from `minimum` to `maximum`.
    std::vector<std::string> values = {};
    double minimum = -std::numeric_limits<double>::infinity();
    double maximum = std::numeric_limits<double>::infinity();
};

/// One key of a job file, the single source for parsing, `strata keys`, `--help` and the result file.
struct Key {
    std::string name;  ///< section.key
    ValueType type = ValueType::text;
    std::string default_value;  ///< as a user would type it; empty: none
    std::string unit;           ///< empty if dimensionless
    std::string meaning;        ///< one sentence
    KeyRole role = KeyRole::physics;
    /// Least value of a number or of each member of a list.
    double minimum = -std::numeric_limits<double>::infinity();
    double maximum = std::numeric_limits<double>::infinity();
    std::vector<std::string> choices = {};  ///< for ValueType::choice; words that an integer may be instead
    /// The key applies, and may be given, if all conditions of at least one of these lists hold; empty: always.
    std::vector<std::vector<Condition>> conditions = {};
    /// Older names, each with the end of the sentence by which it is refused; empty: it is now this key.
    std::vector<std::pair<std::string, std::string>> former_names = {};
    /// Default where another key has one of some values, in the place of default_value; empty: none.
    std::vector<std::pair<Condition, std::string>> other_defaults = {};
    /// Instruction for the user, for a key without default that must be given where it applies.
    std::string demand = {};
    /// Meaning of all other keys of its section, whose names are the user's own; empty: there are none.
    std::string own_meaning = {};

    /// Copy of this key that (also) applies if all conditions of `all` hold.
    Key when(std::vector<Condition> all) const;
    /// Copy of this key that must be given where it applies.
    Key required(std::string what_to_give) const;
    /// Copy of this key with another default where the condition holds.
    Key or_default(std::string value, Condition where) const;
    /// Copy of this key with a former name, which is refused with `instead`, the end of a sentence, or, if that is empty,
    /// with a reference to this key.
    Key renamed_from(std::string former, std::string instead = {}) const;
    /// Copy of this key in a section in which other names are the user's own, with values of the type `terms`.
    Key with_own_names(std::string meaning_of_others) const;
    /// SECTION.NAME, which stands for the names of the user's own and applies where this key does.
    Key own_names() const;
    bool stands_for_own_names() const { return name.ends_with(".NAME"); }
};

/// The resolved values of one job, which its copies share. Accessors throw Error(internal) for a key that was not declared
/// with that type.
class Config {
  public:
    struct Value {
        Key key;
        std::string text;           ///< as typed, without surrounding blanks and quotes
        std::string origin;         ///< "default", "command line", or "FILE:LINE"
        std::string content = {};   ///< content of the file that the value names
        std::string given_as = {};  ///< name of the key that gave the value, if it was another one

        bool names_file() const;
    };

    Config() = default;
    Config(const Config&) = default;  // and none that moves: what was moved from would have no values
    Config& operator=(const Config&) = default;
    Config(std::string application, std::vector<Value> values);

    const std::string& application() const { return application_; }
    /// All values, in the order in which the keys were declared.
    const std::vector<Value>& values() const { return *values_; }

    bool has(std::string_view key) const;    ///< true if declared
    bool given(std::string_view key) const;  ///< true if the job file or the command line sets it
    const Value& value(std::string_view key) const;

    std::int64_t integer(std::string_view key) const;  ///< 0 for a word instead of a number
    /// The integer of a key that takes no negative number.
    std::uint64_t count(std::string_view key) const { return static_cast<std::uint64_t>(integer(key)); }
    bool is_word(std::string_view key, std::string_view word) const { return value(key).text == word; }
    double real(std::string_view key) const;
    const std::string& text(std::string_view key) const;     ///< text or choice, or the path of a file
    const std::string& content(std::string_view key) const;  ///< content of a file
    bool boolean(std::string_view key) const;
    double seconds(std::string_view key) const;  ///< a duration such as 10min; infinity for "none"
    std::vector<std::int64_t> integers(std::string_view key) const;
    std::vector<double> reals(std::string_view key) const;

    /// "FILE:LINE: key = value" or "--key=value", as the beginning of a sentence about an error.
    std::string cite(std::string_view key) const;

  private:
    std::string application_;
    std::shared_ptr<const std::vector<Value>> values_ = std::make_shared<const std::vector<Value>>();
};

/// Parsers of the values in job files, used by the checks of src/cli and by Config: independent of the locale, no
/// partial match.
bool parse_integer(std::string_view text, std::int64_t& value);
bool parse_real(std::string_view text, double& value);
bool parse_duration(std::string_view text, double& seconds);  ///< 30s, 10min, 2h, 1d, 0, none
/// Members of a comma list; a member start:stop:step becomes its points start + i*step, stop included.
/// `error` is the reason if false is returned. At most 100000 members. Integers have no logarithmic ranges.
bool parse_reals(std::string_view text, std::vector<double>& values, std::string& error);
bool parse_integers(std::string_view text, std::vector<std::int64_t>& values, std::string& error);

}  // namespace strata
