// SPDX-License-Identifier: BSD-3-Clause
// Job files have the INI syntax of Boost. They are checked line by line first, because Boost's own messages do not name
// the line.
#include "cli/job_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/program_options.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "strata/error.hpp"

namespace strata::cli {
namespace {

constexpr std::size_t max_line_bytes = 16384;

std::string without_comment(std::string_view line) { return trimmed(line.substr(0, line.find('#'))); }

std::string unquoted(const std::string& value) {
    const bool quoted = value.size() >= 2 && value.front() == '"' && value.back() == '"';
    return quoted ? value.substr(1, value.size() - 2) : value;
}

/// The syntax error of a line; empty if there is none, and for blank lines.
std::string line_error(std::string_view raw, const std::string& line) {
    if (raw.size() > max_line_bytes) return "a line has at most 16384 characters.";
    if (line.empty()) return {};
    if (line.front() == ';') return "comments begin with #, not with ';'.";
    if (line.front() == '[') {
        const bool closed = line.size() > 2 && line.back() == ']' && line.find(']') == line.size() - 1;
        return closed ? "" : "a section is written [name].";
    }
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos) return "expected key = value, found '" + printable(line) + "'.";
    if (trimmed(line.substr(0, equals)).empty()) return "the key before '=' is missing.";
    if (trimmed(line.substr(equals + 1)).empty()) return "the value after '=' is missing.";
    return {};
}

std::string cleaned(std::string text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
    std::erase(text, '\r');
    return text;
}

}  // namespace

std::string trimmed(std::string_view text) {
    const auto blank = [](char c) { return c == ' ' || c == '\t'; };
    while (!text.empty() && blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && blank(text.back())) text.remove_suffix(1);
    return std::string(text);
}

std::string read_text(const std::string& path, std::string& error) {
    // O_NONBLOCK: opening a FIFO without a writer must not hang
    const int file = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) {
        error = "cannot be opened: " + std::string(std::strerror(errno)) + ".";
        return {};
    }
    struct Close {
        int file;
        ~Close() { close(file); }
    } const closing{file};
    struct stat facts {};
    if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode))
        error = "is not a regular file.";
    else if (static_cast<std::size_t>(facts.st_size) > max_job_bytes)
        error = "is larger than 1 MiB, the most that is read.";
    std::string text(error.empty() ? static_cast<std::size_t>(facts.st_size) : 0, '\0');
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t got = read(file, text.data() + done, text.size() - done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) error = "cannot be read: " + std::string(std::strerror(errno)) + ".";
        if (got <= 0) break;
        done += static_cast<std::size_t>(got);
    }
    text.resize(done);
    return text;
}

std::string path_beside(const std::string& origin, const std::string& path) {
    const std::size_t colon = origin.rfind(':');
    if (colon == std::string::npos) return path;
    return (std::filesystem::path(origin.substr(0, colon)).parent_path() / path).string();
}

std::string read_job_text(const std::string& path) {
    std::string error;
    std::string text = read_text(path, error);
    if (text.starts_with("\x89HDF"))
        error = "is no text but an HDF5 file; strata show and strata plot read results, strata resume checkpoints.";
    else if (text.find('\0') != std::string::npos)
        error = "is no text: it holds a NUL.";
    if (!error.empty()) throw Error(ExitCode::bad_input, "The job file '" + printable(path) + "' " + error);
    return text;
}

JobFile parse_job(std::string name, std::string text, InputErrors& errors) {
    JobFile job{std::move(name), cleaned(std::move(text)), {}};
    std::string sound;  // the valid lines, for Boost; the others are reported and omitted
    std::vector<int> entry_lines;
    std::istringstream lines(job.text);
    int number = 0;
    for (std::string raw; std::getline(lines, raw);) {
        ++number;
        const std::string line = without_comment(raw);
        const std::string error = line_error(raw, line);
        if (!error.empty()) {
            errors.add(job.at(number) + error);
            if (errors.sentences().size() == 20) {
                errors.add("More lines like these follow; is this a job file?");
                return job;
            }
            continue;
        }
        if (!line.empty() && line.front() != '[') entry_lines.push_back(number);
        sound += line + '\n';
    }
    std::istringstream stream(sound);
    const boost::program_options::options_description no_keys_yet;
    const auto parsed = boost::program_options::parse_config_file(stream, no_keys_yet, true);
    for (std::size_t i = 0; i < parsed.options.size(); ++i)
        job.entries.push_back(
            {parsed.options[i].string_key, unquoted(parsed.options[i].value.at(0)), entry_lines.at(i)});
    return job;
}

}  // namespace strata::cli
