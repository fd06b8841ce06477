// SPDX-License-Identifier: BSD-3-Clause
// A ready job is described by the comment at its beginning.
#include "verbs/ready_jobs.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <sstream>
#include <vector>

#include "cli/job_file.hpp"
#include "strata/error.hpp"
#include "strata/formatted.hpp"
#include "study/registry.hpp"

namespace strata {
namespace {

/// Ready jobs by their names.
std::map<std::string, std::filesystem::path> ready_jobs() {
    std::map<std::string, std::filesystem::path> jobs;
    std::error_code ignored;
    for (const auto& file : std::filesystem::directory_iterator(jobs_folder(), ignored))
        if (file.path().extension() == ".ini") jobs[file.path().stem().string()] = file.path();
    return jobs;
}

/// The first sentence of the comment at the beginning of a job.
std::string description_of(const std::string& text) {
    std::istringstream lines(text);
    std::string all;
    for (std::string line; std::getline(lines, line) && line.starts_with("#");)
        if (line.find("SPDX") == std::string::npos) all += (all.empty() ? "" : " ") + cli::trimmed(line.substr(1));
    return all.substr(0, all.find(". "));
}

void print_list() {
    std::string text = "Applications, of which strata example APPLICATION prints a short job:\n";
    for (const ApplicationEntry& entry : applications())
        text += formatted("  %-24s  %s\n", entry.name.c_str(), entry.title.c_str());
    const auto jobs = ready_jobs();
    if (!jobs.empty()) text += "\nReady jobs, printed by their names:\n";
    for (const auto& [name, path] : jobs)
        text += formatted("  %-24s  %s\n", name.c_str(), description_of(cli::read_job_text(path)).c_str());
    std::fputs(text.c_str(), stdout);
}

/// Says on stderr where the files are that a job reads.
void name_files(const std::string& text, const std::filesystem::path& folder) {
    cli::InputErrors errors;
    for (const cli::JobEntry& entry : cli::parse_job("job", text, errors).entries) {
        std::error_code ignored;
        if (entry.value.ends_with(".txt") && std::filesystem::exists(folder / entry.value, ignored))
            std::fprintf(stderr, "This job reads %s, which is in %s.\n", entry.value.c_str(), folder.c_str());
    }
}

}  // namespace

std::filesystem::path jobs_folder() {
    std::error_code ignored;
    const std::filesystem::path folder = std::filesystem::canonical("/proc/self/exe", ignored).parent_path();
    for (const char* place : {"../share/strata/jobs", "../../../jobs"})
        if (std::filesystem::exists(folder / place / "plot.py", ignored))
            return std::filesystem::canonical(folder / place, ignored);
    return {};
}

void print_example(const std::string& name) {
    if (name.empty()) return print_list();
    for (const ApplicationEntry& entry : applications())
        if (entry.name == name) return static_cast<void>(std::fputs(entry.example.c_str(), stdout));
    const auto jobs = ready_jobs();
    const auto job = jobs.find(name.ends_with(".ini") ? name.substr(0, name.size() - 4) : name);
    if (job != jobs.end()) {
        const std::string text = cli::read_job_text(job->second);
        std::fputs(text.c_str(), stdout);
        return name_files(text, job->second.parent_path());
    }
    std::vector<std::string> names;
    for (const ApplicationEntry& entry : applications()) names.push_back(entry.name);
    for (const auto& [ready, path] : jobs) names.push_back(ready);
    throw Error(ExitCode::bad_input, "'" + cli::printable(name) + "' is no application and no ready job." +
                                         cli::suggestion(name, names) + " strata example lists them.");
}

}  // namespace strata
