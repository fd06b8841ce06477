// SPDX-License-Identifier: BSD-3-Clause
// A job as the applications see it: every key with its type, range and meaning, and the values one job resolved to.
// No parser here: src/cli reads job files, this is what comes out and what every rank holds identically.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

/// The value of a `file` is its path; the content is read once, when the job is resolved, and is part of the job.
enum class ValueType { integer, real, text, choice, yes_no, integers, reals, duration, file };

/// What a key decides: only the last three may change when a run is resumed.
enum class KeyRole { physics, length, output, backend };

/// A demand on the resolved value of another key.
struct Condition {
    std::string key;
    std::vector<std::string> values = {};  ///< it is one of these; none: it is a number from `minimum` to `maximum`
    double minimum = -std::numeric_limits<double>::infinity();
    double maximum = std::numeric_limits<double>::infinity();
};

/// One key of a job file, the single source for parsing, `strata keys`, `--help` and the result file.
struct Key {
    std::string name;  ///< section.key
    ValueType type = ValueType::text;
    std::string default_value;  ///< as a user would type it; empty: none
    std::string unit;           ///< empty where dimensionless
    std::string meaning;        ///< one sentence
    KeyRole role = KeyRole::physics;
    double minimum = -std::numeric_limits<double>::infinity();  ///< of a number or of each member of a list
    double maximum = std::numeric_limits<double>::infinity();
    std::vector<std::string> choices = {};  ///< for ValueType::choice
    /// The key applies where all conditions of one of these lists hold, and may be given only there; none: everywhere.
    std::vector<std::vector<Condition>> conditions = {};
    std::string former_name = {};  ///< an older spelling, which is refused with this one named
    std::string demand = {};       ///< what to give, for a key without default that must be given where it applies

    /// This key, applying (also) where all of `all` hold.
    Key when(std::vector<Condition> all) const;
    /// This key, which must be given where it applies.
    Key required(std::string what_to_give) const;
    /// This key, which had another name before.
    Key renamed_from(std::string former) const;
};

/// The resolved values of one job. Accessors throw Error(internal) for a key that was not declared with that type.
class Config {
  public:
    struct Value {
        Key key;
        std::string text;          ///< as typed, without surrounding blanks and quotes
        std::string origin;        ///< "default", "command line", or "FILE:LINE"
        std::string content = {};  ///< of the file, for ValueType::file
    };

    Config() = default;
    Config(std::string application, std::vector<Value> values);

    const std::string& application() const { return application_; }
    /// All values, in the order in which the keys were declared.
    const std::vector<Value>& values() const { return values_; }

    bool has(std::string_view key) const;    ///< declared
    bool given(std::string_view key) const;  ///< set by the job file or the command line
    const Value& value(std::string_view key) const;

    std::int64_t integer(std::string_view key) const;
    double real(std::string_view key) const;
    const std::string& text(std::string_view key) const;     ///< also for choice, and the path of a file
    const std::string& content(std::string_view key) const;  ///< of a file
    bool boolean(std::string_view key) const;
    double seconds(std::string_view key) const;  ///< of a duration such as 10min; infinity for "none"
    std::vector<std::int64_t> integers(std::string_view key) const;
    std::vector<double> reals(std::string_view key) const;

    /// "FILE:LINE: key = value" or "--key=value", to begin a sentence about a error.
    std::string cite(std::string_view key) const;

  private:
    std::string application_;
    std::vector<Value> values_;
};

/// Numbers as job files write them, shared by the reader's checks and by Config: no locale, no partial match.
bool parse_integer(std::string_view text, std::int64_t& value);
bool parse_real(std::string_view text, double& value);
bool parse_duration(std::string_view text, double& seconds);  ///< 30s, 10min, 2h, 1d, 0, none
/// Members of a comma list; a member start:stop:step becomes its points start + i*step, stop included.
/// `error` says what is wrong when false is returned. At most 100000 members.
bool parse_reals(std::string_view text, std::vector<double>& values, std::string& error);
bool parse_integers(std::string_view text, std::vector<std::int64_t>& values, std::string& error);

}  // namespace strata
