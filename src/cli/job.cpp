// SPDX-License-Identifier: BSD-3-Clause
// Resolution of a job: finds the key of every entry that the parser (Boost.Program_options) has read. All errors are
// collected, so that a user can correct a job at once; conditions between several values are checked only if every
// single value is valid.
#include "cli/job.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>

#include "cli/applicability.hpp"
#include "cli/key_search.hpp"

namespace strata::cli {
namespace {

/// Plain digits of integers written as 1e4 or 1.0 and of real numbers written as 1/2; other texts are unchanged.
std::string plain_number(std::string_view text, bool whole) {
    const std::size_t slash = text.find('/');
    const std::string over = slash == std::string_view::npos ? "1" : trimmed(text.substr(slash + 1));
    std::int64_t integer = 0;
    double a = 0, b = 0;
    const bool stays =
        whole ? slash != std::string_view::npos || parse_integer(text, integer) : slash == std::string_view::npos;
    if (stays || !parse_real(trimmed(text.substr(0, slash)), a) || !parse_real(over, b) || b == 0)
        return std::string(text);
    const double value = a / b;
    constexpr double largest = 9007199254740992;  // 2^53: smaller integers are exact doubles
    char digits[32];
    if (whole && value == std::trunc(value) && std::abs(value) <= largest)
        return std::to_string(static_cast<std::int64_t>(value));
    if (whole || !std::isfinite(value)) return std::string(text);
    return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

/// The value of a key in plain form. A choice among numbers may be written in another form of its number.
std::string plain_value(const Key& key, const std::string& value) {
    const bool whole = key.type == ValueType::integer || key.type == ValueType::integers;
    if (key.type == ValueType::choice) {
        double typed = 0, known = 0;
        if (!parse_real(plain_number(value, false), typed)) return value;
        for (const std::string& choice : key.choices)
            if (parse_real(choice, known) && known == typed) return choice;
        return value;
    }
    if (!whole && key.type != ValueType::real && key.type != ValueType::reals) return value;
    std::string plain;
    for (std::size_t from = 0; from <= value.size();) {
        const std::size_t to = std::min(value.find_first_of(",:", from), value.size());
        plain += plain_number(trimmed(std::string_view(value).substr(from, to - from)), whole);
        if (to < value.size()) plain += value[to];
        from = to + 1;
    }
    return plain == value || !value_error(key, plain).empty() ? value : plain;
}

/// True if the value none withdraws an optional list, or what an earlier run was to measure; a key that must be given
/// is no such one.
bool is_withdrawn(const Key& key, const std::string& value) {
    const bool optional =
        key.type == ValueType::integers || key.type == ValueType::reals || key.role == KeyRole::measurement;
    return optional && key.demand.empty() && key.default_value.empty() && value == "none";
}

/// What a user who gave this path of a file probably meant; empty if it is a path.
std::string hint_of_path(const Config::Value& v) {
    if (v.key.type == ValueType::terms)
        return " A value of one word is the path of a file; terms are several words, such as 1 n 0.";
    if (!v.key.own_meaning.empty() && v.text.find(' ') != std::string::npos)
        return " " + v.key.name + " is the path of a file, and no name of your own; give the quantity another one.";
    return {};
}

/// Reads the files that the job names and stores their contents in the job, but for those that it has already.
void read_files(std::vector<Config::Value>& values, const Config& config, InputErrors& errors) {
    for (Config::Value& v : values) {
        if (!v.names_file() || !v.content.empty()) continue;
        std::string error;
        v.content = read_text(path_beside(v.origin, v.text), error);
        if (error.empty() && v.content.find('\0') != std::string::npos) error = "is no text: it holds a NUL.";
        if (!error.empty()) errors.add(config.cite(v.key.name) + " " + error + hint_of_path(v));
    }
}

}  // namespace

std::vector<Key> common_keys() {
    using enum ValueType;
    using enum KeyRole;
    // clang-format off
    return {
        {"run.seed", integer, "1", "", "Seed of all random numbers; the same seed gives the same bits.", physics, 0,
         9.2e18},
        {"run.wall-time", duration, "none", "time", "Stop cleanly before this much time has passed: 30s, 10min, 2h, 1d.",
         length},
        {"run.stall-warning", duration, "10min", "time",
         "Every rank names its step and phase when none was finished for so long; 0 never.", output},
        {"run.stall-abort", duration, "none", "time", "End the run when no step was finished for so long.", output},
        {"backend.device", choice, "auto", "", "Where kernels run; auto takes a GPU where one is usable.", backend, 0, 0,
         {"auto", "cpu", "cuda"}},
        {"backend.gpu-aware", choice, "auto", "",
         "Whether MPI is handed device memory: auto if it says that it can and a test message arrives; else staged.",
         backend, 0, 0, {"auto", "on", "off"}},
        {"backend.threads", integer, "0", "", "Threads per rank; 0: the cores it may use, or fewer if a lattice is small.", backend, 0, 4096},
        {"output.directory", text, "out", "", "Directory of all files of a run; made if missing.", output},
        {"output.name", text, "", "", "Stem of the file names; default: the job file's name.", output},
        {"output.overwrite", yes_no, "no", "", "Replace files of an earlier run of this name.", output},
        {"checkpoint.interval", duration, "10min", "time",
         "Time between checkpoints, which are also written where a part of the work ends (half a sweep of dmrg) if "
         "that takes little time; 0 writes none but on request.",
         output},
        {"checkpoint.keep", integer, "2", "", "Checkpoints kept, the newest included.", output, 1, 100},
        {"scan.together", text, "", "",
         "Keys of [scan] that are walked in step, a comma between them and ; between groups; others are combined.",
         physics},
        {"scan.file", file, "", "",
         "Table of points: a line with names of keys, then a line of values for every point; blanks between columns.",
         physics},
        {"scan.average", text, "seeds", "",
         "Keys of [scan] whose points are replicas, which are averaged: names, none, or seeds for those that end so.",
         physics},
        {"scan.seeds", choice, "same", "",
         "Whether all points draw the same random numbers, as the same disorder must, or each its own (run.seed plus its "
         "number): only then are errors of different points independent.",
         physics, 0, 0, {"same", "different"}},
        {"scan.ranks-per-point", integer, "0", "",
         "Ranks that compute a point together; 0 takes as few as its memory needs, and all ranks for few points.",
         backend, 0, 10000000},
    };
    // clang-format on
}

std::vector<Key> optional_keys() {
    using enum ValueType;
    using enum KeyRole;
    return {
        {"backend.precision",
         choice,
         "double",
         "",
         "Precision of the vectors; sums are always of doubles.",
         physics,
         0,
         0,
         {"double", "single"}},
        {"backend.simd",
         choice,
         "auto",
         "",
         "Instruction set of the CPU kernels; all give the same bits.",
         backend,
         0,
         0,
         {"auto", "avx512", "x86_64_v3", "portable"}},
        {"scan.start",
         choice,
         "initial",
         "",
         "What the points of [scan] start from: all from the start of the job, or each from the final state of the one "
         "before it along the last key that is not averaged, with random numbers of its own (annealing).",
         physics,
         0,
         0,
         {"initial", "previous"}},
    };
}

namespace {

/// Says of which other program a file without application looks to be; empty if of none.
std::string hint_of_program(const JobFile& job) {
    const auto has = [&](const char* key) { return std::ranges::count(job.entries, key, &JobEntry::key) != 0; };
    const char* program = has("LATTICE") || has("SWEEPS")                     ? "ALPS"
                          : has("nelec") || (has("method") && has("lattice")) ? "HPhi"
                                                                              : nullptr;
    if (program == nullptr) return {};
    return std::string(" This looks like a file of ") + program +
           "; the guides of the applications have its names in \"From other programs\".";
}

}  // namespace

std::string application_of(const JobFile& job, const std::vector<Override>& overrides,
                           const std::vector<std::string>& known, InputErrors& errors) {
    for (const Override& o : overrides) {
        if (o.key != "application") continue;
        if (std::ranges::find(known, o.value) != known.end()) return o.value;
        errors.add("--application=" + printable(o.value) + " is not one of " + joined(known) + "." +
                   suggestion(o.value, known));
        return {};
    }
    const JobEntry* first = nullptr;
    for (const JobEntry& entry : job.entries) {
        if (entry.key != "application") continue;
        if (first != nullptr)
            errors.add(job.at(entry.line) + "application is given twice, first in line " + std::to_string(first->line) +
                       ".");
        else
            first = &entry;
    }
    if (first == nullptr) {
        errors.add(job.name + ": the line 'application = " + joined(known) +
                   "' is missing; it belongs before the first [section]." + hint_of_program(job));
        return {};
    }
    if (std::ranges::find(known, first->value) == known.end()) {
        errors.add(job.at(first->line) + "application = " + printable(first->value) + " is not one of " +
                   joined(known) + "." + suggestion(first->value, known));
        return {};
    }
    return first->value;
}

Config::Value parsed_value(const Key& key, const std::string& typed, const std::string& origin, std::string& error) {
    if (is_withdrawn(key, typed)) return {key, "", "default"};
    Config::Value value{key, plain_value(key, typed), origin};
    error = value_error(key, value.text);
    return value;
}

namespace {

/// Sets the defaults that depend on values of other keys (Key::other_defaults), of the keys that `chosen` accepts.
template <class Chosen>
void set_other_defaults(std::vector<Config::Value>& values, const Chosen& chosen) {
    for (Config::Value& value : values)
        for (const auto& [where, text] : value.key.other_defaults) {
            const auto other = std::ranges::find(values, where.key, [](const Config::Value& v) { return v.key.name; });
            if (value.origin == "default" && other != values.end() &&
                std::ranges::count(where.values, other->text) > 0 && chosen(value.key))
                value.text = text;
        }
}

/// A value for every key: of the command line, else of the job file, else its default.
std::vector<Config::Value> values_of(const std::string& application, const JobFile& job,
                                     const std::vector<Override>& overrides, const std::vector<Key>& keys,
                                     InputErrors& errors) {
    std::vector<Config::Value> values;
    for (const Key& key : keys) values.push_back({key, key.default_value, "default"});
    const auto set = [&](const std::string& name, const std::string& value, const std::string& origin,
                         const std::string& place) {
        const std::optional<Key> key = find_key(keys, name);
        if (!key) {
            errors.add(place + unknown_key(name, application, keys));
            return;
        }
        Config::Value& slot = slot_of(values, *key);
        if (slot.origin != "default" && (origin == "command line") == (slot.origin == "command line")) {
            errors.add(place + name + " is given twice, first in " + slot.origin + ".");
            return;
        }
        std::string error;
        slot = parsed_value(*key, value, origin, error);
        if (!error.empty()) errors.add(place + name + " = " + printable(value) + " " + error);
    };
    for (const JobEntry& entry : job.entries) {
        if (entry.key == "application") continue;
        const std::string place = job.at(entry.line);
        set(entry.key, entry.value, place.substr(0, place.size() - 2), place);
    }
    for (const Override& o : overrides)
        if (o.key != "application") set(o.key, o.value, "command line", "--" + printable(o.key) + ": ");
    set_other_defaults(values, [](const Key&) { return true; });
    return values;
}

/// Adds an error for every override of a key that does not apply.
void check_overrides(const Config& config, const std::vector<Override>& overrides, InputErrors& errors) {
    for (const Override& o : overrides)
        if (const std::string error = misuse(config, config.value(o.key).key); !error.empty()) errors.add(error);
}

}  // namespace

Config resolve(const std::string& application, const JobFile& job, const std::vector<Override>& overrides,
               const std::vector<Key>& keys, InputErrors& errors) {
    std::vector<Config::Value> values = values_of(application, job, overrides, keys, errors);
    const Config config(application, values);
    if (errors.empty()) check_applicability(config, errors);
    if (errors.empty()) read_files(values, config, errors);
    return Config(application, std::move(values));
}

namespace {

/// Which keys of a stored job stay as they are, and the sentence against another value.
struct FixedKeys {
    std::function<bool(const Key&)> is_fixed;
    const char* what;  ///< what another value would change
    std::function<std::string(const Key&)> rule;
};

/// The values of a stored job with those of `overrides`. Adds errors for unknown keys, values and fixed keys.
std::vector<Config::Value> overridden(const Config& job, const std::vector<Override>& overrides, const FixedKeys& fixed,
                                      InputErrors& errors) {
    std::vector<Config::Value> values = job.values();
    std::vector<Key> keys;
    for (const Config::Value& v : values) keys.push_back(v.key);
    for (const Override& o : overrides) {
        const std::optional<Key> key = find_key(keys, o.key);
        if (!key) {
            errors.add("--" + unknown_key(o.key, job.application(), keys));
            continue;
        }
        Config::Value* const slot = &slot_of(values, *key);
        std::string error;
        const Config::Value value = parsed_value(slot->key, o.value, "command line", error);
        if (!error.empty()) errors.add("--" + o.key + "=" + printable(o.value) + " " + error);
        if (fixed.is_fixed(slot->key) && value.text != slot->text)
            errors.add("--" + o.key + "=" + printable(o.value) + " would change " + fixed.what + " (it was " +
                       (slot->text.empty() ? "not given" : slot->text) + "); " + fixed.rule(slot->key));
        slot->text = value.text;
        slot->origin = value.origin;
    }
    return values;
}

}  // namespace

Config override_for_resume(const Config& job, const std::vector<Override>& overrides, InputErrors& errors) {
    const FixedKeys fixed = {
        [](const Key& key) { return is_fixed(key.role); }, "what the run computes",
        [](const Key& key) {
            return std::string("resume may change only length, output and backend keys.") +
                   (key.role == KeyRole::measurement ? " strata measure computes more of the final state." : "");
        }};
    const Config config(job.application(), overridden(job, overrides, fixed, errors));
    if (errors.empty()) check_overrides(config, overrides, errors);
    return config;
}

Config override_for_measurement(const Config& job, const std::vector<Override>& overrides, InputErrors& errors) {
    const auto says_what = [&](const Key& key) { return key.role == KeyRole::measurement || !applies(job, key); };
    const auto says_how = [](const Key& key) {
        return key.role == KeyRole::output || key.role == KeyRole::backend || key.name == "run.wall-time";
    };
    std::vector<std::string> measuring;
    for (const Config::Value& v : job.values())
        if (v.key.role == KeyRole::measurement && applies(job, v.key)) measuring.push_back(v.key.name);
    if (measuring.empty()) {
        errors.add("strata measure is not possible for " + job.application() +
                   ", whose results do not follow from its last state. Run the job with the new keys.");
        return job;
    }
    const std::string may_change = "measure may change " + joined(measuring) + ".";
    const FixedKeys fixed = {[&](const Key& key) { return !says_what(key) && !says_how(key); },
                             "the state that is measured", [&](const Key&) { return may_change; }};
    std::vector<Config::Value> values = overridden(job, overrides, fixed, errors);
    const Config with_old(job.application(), values);
    bool asks = false;
    for (Config::Value& value : values) {
        const bool typed = std::ranges::count(overrides, value.key.name, &Override::key) > 0;
        if (!typed && !applies(with_old, value.key)) value = {value.key, value.key.default_value, "default"};
        if (!typed || !says_what(value.key) || says_how(value.key)) continue;
        asks = true;
        value.content.clear();  // the file is read
    }
    if (!asks && errors.empty()) errors.add("measure needs a key that says what to compute; " + may_change);
    if (!errors.empty()) return Config(job.application(), std::move(values));
    set_other_defaults(values, [&](const Key& key) { return !applies(job, key); });
    const Config config(job.application(), values);
    check_applicability(config, errors);
    if (errors.empty()) read_files(values, config, errors);
    return Config(job.application(), std::move(values));
}

std::vector<Key> keys_with(const std::string& application, const std::vector<Override>& overrides,
                           std::vector<Key> keys, InputErrors& errors) {
    if (std::ranges::count(overrides, "application", &Override::key) > 0)
        errors.add("--application says nothing here: the application is a word, strata keys " + application + ".");
    const Config config(application, values_of(application, {}, overrides, keys, errors));
    if (errors.empty()) check_overrides(config, overrides, errors);
    if (!overrides.empty()) std::erase_if(keys, [&](const Key& key) { return !applies(config, key); });
    return keys;
}

}  // namespace strata::cli
