// SPDX-License-Identifier: BSD-3-Clause
// Definition of a scan. Every entry becomes an axis; keys that vary together share one, and so do the columns of a
// table.
#include "scan/definition.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <set>
#include <sstream>

#include "cli/key_search.hpp"
#include "strata/error.hpp"
#include "strata/formatted.hpp"

namespace strata::scan {
namespace {

constexpr const char* prefix = "scan.";

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t to = std::min(text.find(separator, from), text.size());
        parts.push_back(cli::trimmed(text.substr(from, to - from)));
        from = to + 1;
    }
    return parts;
}

bool is_whole(const Key& key) { return key.type == ValueType::integer || key.type == ValueType::integers; }
bool is_number(const Key& key) { return is_whole(key) || key.type == ValueType::real || key.type == ValueType::reals; }
/// True if a comma may be part of one value.
bool may_hold_commas(const Key& key) {
    return key.type == ValueType::integers || key.type == ValueType::reals || key.type == ValueType::text;
}

/// The number with 15 digits, so that the point at 0.3 of 0:1:0.1 is 0.3 and not the nearest double of 3 * 0.1.
std::string digits_of(double value, bool whole) {
    char text[40];
    std::snprintf(text, sizeof text, whole ? "%.0f" : "%.15g", value);
    double rounded = 0;
    if (whole || !parse_real(text, rounded)) return text;
    return {text, std::to_chars(text, text + sizeof text, rounded).ptr};
}

/// Values of one member of a list: a range of numbers or a single value.
std::vector<std::string> members_of(const Key& key, const std::string& text, std::string& error) {
    if (text.empty()) {
        error = "a value is missing";
        return {};
    }
    if (!is_number(key) || text.find(':') == std::string::npos || text.find(',') != std::string::npos) return {text};
    std::vector<double> reals;
    if (!parse_reals(text, reals, error)) return {};
    const bool logarithmic = text.starts_with("log:");  // integers are rounded, and equal neighbours listed once
    std::vector<std::string> values;
    for (const double value : reals) {
        if (is_whole(key) && value != std::trunc(value) && !logarithmic) error = "its values must be integers";
        const std::string digits = digits_of(value, is_whole(key));
        if (!logarithmic || values.empty() || values.back() != digits) values.push_back(digits);
    }
    return values;
}

/// The reason why a key cannot be scanned, as the end of a sentence; empty if it can.
std::string refusal(const Key& key) {
    if (key.type == ValueType::file) return "names a file, whose content is part of the job; give one job per file.";
    if (key.type == ValueType::terms)
        return "defines a result, which all points of a job have; give every definition a name of its own.";
    const bool of_job = key.role == KeyRole::output || key.role == KeyRole::backend || key.name == "run.wall-time";
    return of_job ? "is the same for all points of a job; only keys that decide what is computed can be scanned." : "";
}

/// Name of an entry in error messages.
std::string place_of(const std::string& origin, const std::string& name) {
    return origin == "command line" ? "--scan." + name : origin + ": [scan] " + name;
}

/// The key of an entry; null, with an error, if it is unknown or cannot be scanned.
const Key* scanned_key(const std::string& name, const std::string& origin, const std::vector<Key>& keys,
                       cli::InputErrors& errors) {
    const std::optional<Key> key = cli::find_key(keys, name);
    const std::string why = key ? refusal(*key) : "is not a key of this application." + cli::key_suggestion(name, keys);
    if (why.empty()) return find_key(keys, name);
    errors.add(place_of(origin, cli::printable(name)) + " " + why);
    return nullptr;
}

/// Values of one entry; adds an error that names the first wrong value.
std::vector<std::string> checked_values(const Key& key, const std::string& text, const std::string& place,
                                        cli::InputErrors& errors) {
    std::string error;
    const std::vector<std::string> values = values_of(key, text, error);
    const std::size_t commas = static_cast<std::size_t>(std::ranges::count(text, ','));
    if (error.empty() && values.size() == 1 && commas > 0 && may_hold_commas(key) && !text.ends_with(';')) {
        std::string points = text;
        std::ranges::replace(points, ',', ';');
        error = "this is one value, a list of " + std::to_string(commas + 1) + " values. Write " + points + " for " +
                std::to_string(commas + 1) + " points, or " + text + "; for one.";
    }
    if (!error.empty()) errors.add(place + " = " + cli::printable(text) + ": " + error);
    return values;
}

/// The table of scan.file as one axis: names of keys in the first line, one point per further line.
ScanAxis table_axis(const std::string& path, const std::string& content, const std::vector<Key>& keys,
                    cli::InputErrors& errors) {
    ScanAxis axis;
    std::istringstream lines(content);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        std::istringstream words(line.substr(0, line.find('#')));
        const std::string origin = cli::printable(path) + ":" + std::to_string(number);
        std::vector<std::string> row;
        for (std::string word; words >> word;) row.push_back(word);
        if (row.empty()) continue;
        if (axis.keys.empty()) {
            if (row.size() == 1 && row[0].find(',') != std::string::npos) {
                errors.add(origin + ": columns of scan.file are separated by blanks, not by commas.");
                return {};
            }
            for (const std::string& name : row)
                if (const Key* key = scanned_key(name, origin, keys, errors)) axis.keys.push_back({*key, origin});
            if (axis.keys.size() != row.size()) return {};
            continue;
        }
        if (row.size() != axis.keys.size()) {
            const bool commas = row.size() == 1 && row[0].find(',') != std::string::npos;
            errors.add(origin + ": the line has " + counted(row.size(), "value") + " for " +
                       counted(axis.keys.size(), "key") +
                       (commas ? "; columns are separated by blanks, not by commas." : "."));
            return {};
        }
        for (std::size_t k = 0; k < row.size(); ++k) {
            std::string error;
            row[k] = cli::parsed_value(axis.keys[k].key, row[k], origin, error).text;
            if (!error.empty())
                errors.add(origin + ": " + axis.keys[k].key.name + " = " + cli::printable(row[k]) + " " + error);
        }
        axis.values.push_back(row);
    }
    if (axis.values.empty()) errors.add("scan.file = " + cli::printable(path) + " holds no points.");
    return axis;
}

/// Merges the axes of keys that vary together into the axis of the first name in `names`.
void join(std::vector<ScanAxis>& axes, const std::vector<std::string>& names, cli::InputErrors& errors) {
    ScanAxis* first = nullptr;
    for (const std::string& name : names) {
        const auto at = std::ranges::find_if(axes, [&](const ScanAxis& axis) {
            return std::ranges::any_of(axis.keys, [&](const ScanKey& k) { return k.key.name == name; });
        });
        if (at == axes.end()) {
            std::vector<std::string> scanned;
            for (const ScanAxis& axis : axes) scanned.push_back(axis.keys.front().key.name);
            errors.add("scan.together: " + cli::printable(name) + " is not scanned." + cli::suggestion(name, scanned));
            return;
        }
        if (first == nullptr) {
            first = &*at;
            continue;
        }
        if (at->values.size() != first->values.size()) {
            errors.add("scan.together: " + first->keys.front().key.name + " has " +
                       std::to_string(first->values.size()) + " values and " + name + " has " +
                       std::to_string(at->values.size()) + "; keys that are walked in step have as many.");
            return;
        }
        first->keys.insert(first->keys.end(), at->keys.begin(), at->keys.end());
        for (std::size_t i = 0; i < at->values.size(); ++i)
            first->values[i].insert(first->values[i].end(), at->values[i].begin(), at->values[i].end());
        const std::size_t kept = static_cast<std::size_t>(first - axes.data());
        axes.erase(at);
        first = &axes[kept];
    }
}

/// Names of the scanned keys over which results are averaged.
std::vector<std::string> averaged_keys(const Scan& scan, const std::string& text, cli::InputErrors& errors) {
    std::vector<std::string> scanned, averaged;
    for (const ScanKey& key : scan.keys()) scanned.push_back(key.key.name);
    if (text == "none") return {};
    if (text == "seeds" || text.empty()) {
        for (const std::string& name : scanned)
            if (name.ends_with("seed")) averaged.push_back(name);
        return averaged;
    }
    for (const std::string& name : split(text, ',')) {
        if (std::ranges::count(scanned, name) == 0)
            errors.add("scan.average: " + cli::printable(name) + " is not scanned." + cli::suggestion(name, scanned));
        averaged.push_back(name);
    }
    return averaged;
}

/// The value of a setting of [scan]: of the command line, else of the job file, else empty.
std::string setting(const std::string& name, const cli::JobFile& job, const std::vector<cli::Override>& overrides,
                    std::string* origin = nullptr) {
    std::string from = "command line", value;
    for (const cli::JobEntry& entry : job.entries)
        if (entry.key == prefix + name && value.empty()) {
            value = entry.value;
            from = job.name + ":" + std::to_string(entry.line);
        }
    for (const cli::Override& o : overrides)
        if (o.key == prefix + name) {
            value = o.value;
            from = "command line";
        }
    if (origin != nullptr) *origin = from;
    return value;
}

/// Gives every point its own seed: run.seed of the job plus the number of the point.
void number_seeds(Scan& scan, const cli::JobFile& job, const std::vector<cli::Override>& overrides,
                  const std::vector<Key>& keys, cli::InputErrors& errors) {
    const Key* key = find_key(keys, "run.seed");
    for (const ScanKey& scanned : scan.keys())
        if (key == nullptr || scanned.key.name == key->name) {
            errors.add(
                "scan.seeds = different says nothing here: the seeds of the points are those of [scan] run.seed.");
            return;
        }
    std::string text = key->default_value;
    for (const cli::JobEntry& entry : job.entries)
        if (entry.key == key->name) text = entry.value;
    for (const cli::Override& o : overrides)
        if (o.key == key->name) text = o.value;
    std::string wrong;
    if (!parse_integer(cli::parsed_value(*key, text, "", wrong).text, scan.first_seed) || !wrong.empty()) return;
    scan.seed = {{*key, "scan.seeds"}};
}

/// Refuses averages over seeds of another kind among points that draw from the same run.seed: their errors would be too
/// small.
void check_seeds(const Scan& scan, const std::vector<Key>& keys, cli::InputErrors& errors) {
    const auto averaged = [&](const std::string& name) { return std::ranges::count(scan.averaged, name) != 0; };
    if (find_key(keys, "run.seed") == nullptr || !scan.seed.empty() || averaged("run.seed")) return;
    for (const ScanAxis& axis : scan.axes)
        for (const ScanKey& k : axis.keys)
            if (k.key.name.ends_with("seed") && averaged(k.key.name) && axis.values.size() > 1)
                errors.add(place_of(k.origin, k.key.name) +
                           ": these points draw the same random numbers, those of run.seed, so that their scatter says "
                           "nothing about the error of their mean. Give scan.seeds = different, or scan run.seed, too "
                           "(scan.together walks both in step).");
}

/// Chains the points along the last axis without averaged keys.
void chain_points(Scan& scan, cli::InputErrors& errors) {
    const auto averaged = [&](const ScanKey& k) { return std::ranges::count(scan.averaged, k.key.name) != 0; };
    for (std::size_t a = scan.axes.size(); a-- > 0 && !scan.chained;)
        if (std::ranges::none_of(scan.axes[a].keys, averaged)) scan.chained = a;
    if (!scan.chained) {
        errors.add("scan.start = previous needs a key in [scan] whose points are not averaged (scan.average).");
        return;
    }
    for (const ScanKey& k : scan.axes[*scan.chained].keys)
        if (k.key.name.starts_with("lattice."))
            errors.add(place_of(k.origin, k.key.name) +
                       " decides what a state is, so that with scan.start = previous its points cannot start from each "
                       "other; list a key of [model] last.");
}

}  // namespace

const Key* find_key(const std::vector<Key>& keys, const std::string& name) {
    const auto found = std::ranges::find(keys, name, &Key::name);
    return found == keys.end() ? nullptr : &*found;
}

std::vector<std::string> values_of(const Key& key, const std::string& text, std::string& error) {
    const char separator = may_hold_commas(key) || text.find(';') != std::string::npos ? ';' : ',';
    std::vector<std::string> values;
    const std::size_t length = text.size() - (text.size() > 1 && text.ends_with(';') ? 1 : 0);  // a list of one value
    for (const std::string& member : split(std::string_view(text).substr(0, length), separator))
        for (const std::string& value : members_of(key, member, error)) {
            if (!error.empty()) break;
            std::string wrong;
            values.push_back(cli::parsed_value(key, value, "", wrong).text);
            if (!wrong.empty()) error = cli::printable(value) + " " + wrong;
            if (values.size() > max_points) error = "a scan has at most " + std::to_string(max_points) + " points";
        }
    if (!error.empty() && error.back() != '.' && error.back() != '?') error += ".";
    return values;
}

std::vector<Entry> take_entries(cli::JobFile& job, std::vector<cli::Override>& overrides, cli::InputErrors& errors) {
    const auto names_key = [](const std::string& name) {
        return name.starts_with(prefix) && name.find('.', std::string(prefix).size()) != std::string::npos;
    };
    const auto bare = [](const std::string& name) { return name.substr(std::string(prefix).size()); };
    std::vector<Entry> entries;
    for (const cli::JobEntry& line : job.entries) {
        if (!names_key(line.key)) continue;
        const std::string name = bare(line.key);
        if (std::ranges::find(entries, name, &Entry::key) != entries.end())
            errors.add(job.at(line.line) + "[scan] " + name + " is given twice.");
        const std::string place = job.at(line.line);
        entries.push_back({name, line.value, place.substr(0, place.size() - 2)});
    }
    for (const cli::Override& o : overrides) {
        if (!names_key(o.key)) continue;
        const auto at = std::ranges::find(entries, bare(o.key), &Entry::key);
        if (at != entries.end())
            *at = {at->key, o.value, "command line"};
        else
            entries.push_back({bare(o.key), o.value, "command line"});
    }
    std::erase_if(job.entries, [&](const cli::JobEntry& line) { return names_key(line.key); });
    std::erase_if(overrides, [&](const cli::Override& o) { return names_key(o.key); });
    for (const Entry& entry : entries) {
        if (entry.origin == "command line")  // the command line replaces the value of the file
            std::erase_if(job.entries, [&](const cli::JobEntry& line) { return line.key == entry.key; });
        for (const cli::JobEntry& line : job.entries)
            if (line.key == entry.key)
                errors.add(job.at(line.line) + entry.key + " is given here and in [scan]; it has its values there.");
        for (const cli::Override& o : overrides)
            if (o.key == entry.key)
                errors.add("--" + o.key + "=" + cli::printable(o.value) +
                           " does not replace the values in [scan]; --scan." + o.key + "=" + cli::printable(o.value) +
                           " does.");
    }
    return entries;
}

Scan define(const std::vector<Entry>& entries, const cli::JobFile& job, const std::vector<cli::Override>& overrides,
            const std::vector<Key>& keys, cli::InputErrors& errors) {
    Scan scan;
    for (const Entry& entry : entries) {
        const Key* key = scanned_key(entry.key, entry.origin, keys, errors);
        if (key == nullptr) continue;
        ScanAxis axis{{{*key, entry.origin}}, {}};
        for (const std::string& value : checked_values(*key, entry.value, place_of(entry.origin, entry.key), errors))
            axis.values.push_back({value});
        scan.axes.push_back(std::move(axis));
    }
    std::string origin;
    if (const std::string path = setting("file", job, overrides, &origin); !path.empty()) {
        std::string error;
        const std::string content = cli::read_text(cli::path_beside(origin, path), error);
        if (!error.empty())
            errors.add("scan.file = " + cli::printable(path) + " " + error);
        else
            scan.axes.push_back(table_axis(path, content, keys, errors));
    }
    if (!errors.empty() || scan.empty()) return scan;
    for (const std::string& group : split(setting("together", job, overrides), ';'))
        if (!group.empty()) join(scan.axes, split(group, ','), errors);
    std::set<std::string> seen;
    double points = 1;
    for (const ScanAxis& axis : scan.axes) points *= static_cast<double>(axis.values.size());
    for (const ScanKey& key : scan.keys())
        if (!seen.insert(key.key.name).second) errors.add(place_of(key.origin, key.key.name) + " is scanned twice.");
    if (points > static_cast<double>(max_points))
        errors.add("The scan has " + digits_of(points, true) + " points, and a job has at most " +
                   std::to_string(max_points) + ".");
    scan.averaged = averaged_keys(scan, setting("average", job, overrides), errors);
    if (setting("seeds", job, overrides) == "different") number_seeds(scan, job, overrides, keys, errors);
    if (errors.empty()) check_seeds(scan, keys, errors);
    if (setting("start", job, overrides) == "previous" && find_key(keys, "scan.start") != nullptr)
        chain_points(scan, errors);
    return scan;
}

Config config_of(const Config& base, const Scan& scan, std::size_t point) {
    std::vector<Config::Value> values = base.values();
    const std::vector<ScanKey> keys = scan.keys();
    const std::vector<std::string> here = scan.values(point);
    for (std::size_t k = 0; k < keys.size(); ++k)
        for (Config::Value& value : values)
            if (value.key.name == keys[k].key.name) {
                std::string error;
                value = cli::parsed_value(value.key, here[k], keys[k].origin, error);
            }
    return Config(base.application(), std::move(values));
}

}  // namespace strata::scan
