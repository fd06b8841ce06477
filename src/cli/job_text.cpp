// SPDX-License-Identifier: BSD-3-Clause
// A resolved job as one text, for broadcasts and checkpoints. One line per key, with fields separated by tabs: name,
// value, origin, and the content of a file. All bytes except printable ASCII are escaped, because the text is stored in
// the JSON header of a checkpoint. Texts of earlier versions have no line "escaped"; their fields are not escaped.
#include <algorithm>
#include <sstream>

#include "cli/job.hpp"
#include "cli/key_search.hpp"
#include "strata/error.hpp"

namespace strata::cli {
namespace {

Error misfit(const std::string& why) {
    return Error(ExitCode::file, "The stored job does not fit this program: " + why);
}

std::string escaped(std::string_view text) {
    constexpr const char* digits = "0123456789abcdef";
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\\')
            out += "\\\\";
        else if (c == '\n')
            out += "\\n";
        else if (c == '\t')
            out += "\\t";
        else if (byte < 0x20 || byte >= 0x7f)
            out += std::string("\\x") + digits[byte / 16] + digits[byte % 16];
        else
            out += c;
    }
    return out;
}

/// The byte of an escape "\xNN" whose first digit is text[at].
char hexadecimal(std::string_view text, std::size_t at) {
    unsigned byte = 0;
    for (std::size_t i = at; i < at + 2; ++i) {
        const std::size_t digit = i < text.size() ? std::string_view("0123456789abcdef").find(text[i]) : 16;
        if (digit > 15) throw misfit("a byte that was not written by it.");
        byte = 16 * byte + static_cast<unsigned>(digit);
    }
    return static_cast<char>(byte);
}

std::string unescaped(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\') {
            out += text[i];
            continue;
        }
        const char kind = ++i < text.size() ? text[i] : ' ';
        switch (kind) {
            case '\\': out += '\\'; break;
            case 'n': out += '\n'; break;
            case 't': out += '\t'; break;
            case 'x':
                out += hexadecimal(text, i + 1);
                i += 2;
                break;
            default: throw misfit("a byte that was not written by it.");
        }
    }
    return out;
}

std::vector<std::string> fields_of(const std::string& line) {
    std::vector<std::string> fields;
    for (std::size_t from = 0; from <= line.size();) {
        const std::size_t to = std::min(line.find('\t', from), line.size());
        fields.push_back(line.substr(from, to - from));
        from = to + 1;
    }
    return fields;
}

/// Why a key of earlier versions has left the program, as the end of a sentence; empty for any other name.
std::string reason_for_leaving(const std::string& name, const std::vector<Key>& keys) {
    for (const Key& key : keys)
        for (const auto& [former, instead] : key.former_names)
            if (former == name) return instead;
    return {};
}

Config::Value stored_value(const std::vector<std::string>& fields, const std::vector<Key>& keys) {
    const std::optional<Key> key = find_key(keys, fields[0]);
    if (!key || fields.size() < 3) throw misfit("the key " + printable(fields[0]) + " is unknown.");
    const std::string &value = fields[1], &origin = fields[2];
    const std::string error = value.empty() && origin == "default" ? "" : value_error(*key, value);
    if (!error.empty()) throw misfit(key->name + " = " + printable(value) + " " + error);
    Config::Value stored = {*key, value, origin};
    if (!stored.names_file()) return stored;
    if (fields.size() < 4)
        throw misfit(key->name + " = " + printable(value) + " was stored without the content of the file.");
    stored.content = fields[3];
    return stored;
}

}  // namespace

std::string canonical_text(const Config& config) {
    std::string text = "application\t" + config.application() + "\nescaped\tyes\n";
    for (const Config::Value& v : config.values()) {
        if (v.key.stands_for_own_names()) continue;
        text += v.key.name + "\t" + escaped(v.text) + "\t" + escaped(v.origin);
        text += v.names_file() ? "\t" + escaped(v.content) + "\n" : "\n";
    }
    return text;
}

Config from_canonical_text(std::string_view text, const std::vector<Key>& keys, FormerKeys former) {
    std::istringstream lines{std::string(text)};
    std::string application;
    bool has_escapes = false;
    std::vector<Config::Value> values;
    for (const Key& key : keys) values.push_back({key, key.default_value, "default"});
    for (std::string line; std::getline(lines, line);) {
        std::vector<std::string> fields = fields_of(line);
        if (fields.size() < 2) throw misfit("a line without a value.");
        if (has_escapes)
            for (std::string& field : fields) field = unescaped(field);
        if (fields[0] == "application") {
            application = fields[1];
        } else if (fields[0] == "escaped") {
            has_escapes = true;
        } else if (const std::string reason = reason_for_leaving(fields[0], keys); !reason.empty()) {
            const bool given = fields.size() < 3 || fields[2] != "default";
            if (given && former == FormerKeys::refused) throw misfit(fields[0] + " " + reason);
        } else {
            const Config::Value value = stored_value(fields, keys);
            slot_of(values, value.key) = value;
        }
    }
    return Config(application, std::move(values));
}

std::string physics_text(const Config& config) {
    std::string text = config.application() + "\n";
    for (const Config::Value& v : config.values())
        if (is_fixed(v.key.role)) text += v.key.name + "\t" + v.text + "\t" + escaped(v.content) + "\n";
    return text;
}

std::vector<std::string> changed_files(const Config& config) {
    std::vector<std::string> sentences;
    for (const Config::Value& v : config.values()) {
        if (!v.names_file()) continue;
        std::string error;
        const std::string now = read_text(path_beside(v.origin, v.text), error);
        if (!error.empty() || now != v.content)
            sentences.push_back(v.key.name + " = " + printable(v.text) + " " +
                                (error.empty() ? "has changed since the run began;" : "can no longer be read;") +
                                " the content that was stored then is used.");
    }
    return sentences;
}

std::uint64_t digest(std::string_view text) {
    std::uint64_t hash = 14695981039346656037u;
    for (unsigned char c : text) hash = (hash ^ c) * 1099511628211u;
    return hash;
}

}  // namespace strata::cli
