// SPDX-License-Identifier: BSD-3-Clause
// Nothing of an earlier run is touched unless asked for, and then not before the new run is ready to begin.
#include "output_files.hpp"

#include <algorithm>
#include <filesystem>

#include "cli/job_file.hpp"
#include "io/checkpoint_file.hpp"
#include "io/files.hpp"
#include "memory_check.hpp"
#include "strata/error.hpp"
#include "strata/memory.hpp"
#include "strata/printable.hpp"

namespace strata {
namespace {

constexpr const char* checkpoint_mark = ".checkpoint.";
/// Systems allow 255 and 4095 bytes; endings of temporary files come behind.
constexpr std::size_t max_name = 200, max_stem = 4000;

std::string without_ending(const std::string& path) { return path.substr(0, path.rfind('.')); }

}  // namespace

std::string stem_of(const Config& config, const std::string& job_path) {
    std::string name = config.text("output.name");
    if (name.empty()) name = std::filesystem::path(job_path).stem().string();
    if ((name + ".h5").find(checkpoint_mark) != std::string::npos)
        throw Error(ExitCode::bad_input, "The name '" + cli::printable(name) +
                                             "' of the run must not contain '.checkpoint', by which checkpoints are " +
                                             "known; choose another output.name.");
    std::string stem = (std::filesystem::path(config.text("output.directory")) / name).string();
    if (name.size() > max_name || stem.size() > max_stem)
        throw Error(ExitCode::bad_input, "The name '" + cli::printable(name) + "' in the directory '" +
                                             cli::printable(config.text("output.directory")) +
                                             "' is too long: names may have " + std::to_string(max_name) +
                                             " bytes, whole paths " + std::to_string(max_stem) + ".");
    return stem;
}

std::string stem_of_checkpoint(const std::string& path) {
    const std::size_t position = path.rfind(checkpoint_mark);
    if (position == std::string::npos)
        throw Error(ExitCode::bad_input,
                    "'" + cli::printable(path) + "' is not named like a checkpoint, NAME.checkpoint.h5." +
                        (path.ends_with(".h5")
                             ? " That of this result is " + printable(without_ending(path), 4096) + ".checkpoint.h5."
                             : ""));
    return path.substr(0, position);
}

std::string directory_of(const std::string& stem) {
    const std::string directory = std::filesystem::path(stem).parent_path().string();
    return directory.empty() ? "." : directory;
}

bool same_files(const std::string& a, const std::string& b) {
    std::error_code missing;
    return std::filesystem::path(a).filename() == std::filesystem::path(b).filename() &&
           std::filesystem::equivalent(directory_of(a), directory_of(b), missing);
}

void check_names(const Config& config, cli::InputErrors& errors) {
    const std::string& name = config.text("output.name");
    if (name.find('/') != std::string::npos || name == "." || name == "..")
        errors.add(config.cite("output.name") + " must be a plain file name; the place is output.directory.");
    if (config.text("output.directory").empty())
        errors.add("output.directory must not be empty; use . for the current directory.");
}

void refuse_existing(const RunOptions& options) {
    if (options.config.boolean("output.overwrite")) return;
    std::vector<std::string> existing = io::existing_checkpoints(options.checkpoint_path());
    if (io::exists(options.result_path())) existing.insert(existing.begin(), options.result_path());
    if (existing.empty()) return;
    throw Error(ExitCode::bad_input,
                existing.front() +
                    " exists. Choose another output.name, allow --output.overwrite=yes, or go on with: strata resume " +
                    options.checkpoint_path());
}

void remove_existing(const RunOptions& options) {
    // oldest first, so that what a kill leaves is a checkpoint that resume finds
    std::vector<std::string> doomed = io::existing_checkpoints(options.checkpoint_path());
    std::ranges::reverse(doomed);
    doomed.push_back(options.result_path());
    for (const std::string& path : doomed) io::remove_file(path);
}

void remove_leftovers(const RunOptions& options) {
    io::remove_temporaries(options.result_path());
    io::remove_temporaries(options.checkpoint_path());
}

void check_disk(const RunOptions& options, const MemoryPrediction& needed, const RanksOnDisk& ranks) {
    const bool writes = options.config.seconds("checkpoint.interval") != 0;
    const auto copies = writes ? static_cast<std::uint64_t>(options.config.integer("checkpoint.keep")) + 1 : 0;
    const std::uint64_t available = io::free_disk(options.result_path());
    // the series is in every checkpoint, in the result, and twice in the space that a new result is given beside it
    const std::uint64_t series = options.recording.series_bytes(), of_series = saturated_product(copies + 3, series);
    const std::uint64_t of_state = saturated_product(copies, needed.checkpoint_bytes);
    if (of_state <= available && of_series > available - of_state)
        throw Error(ExitCode::does_not_fit,
                    series_sentence(options.recording, of_series, available - of_state,
                                    "of disk in " + std::to_string(copies) + " checkpoints and the results beside " +
                                        options.result_path()));
    if (copies > 0 && needed.checkpoint_bytes > available / copies)
        throw Error(ExitCode::does_not_fit,
                    "A checkpoint takes " + human_bytes(needed.checkpoint_bytes) + " and " + std::to_string(copies) +
                        " must fit (checkpoint.keep and the one being written), but only " + human_bytes(available) +
                        " are free beside " + options.result_path() + ".");
    if (needed.scratch_bytes == 0) return;
    io::make_directory(needed.scratch_directory);
    const std::string scratch = needed.scratch_directory + "/scratch";
    const bool shared = io::on_same_disk(scratch, options.result_path());
    const auto sharing = static_cast<std::uint64_t>(shared ? ranks.all : ranks.of_node);
    const std::uint64_t checkpoints = shared ? saturated_sum(of_state, of_series) : 0, free = io::free_disk(scratch);
    if (checkpoints <= free && needed.scratch_bytes <= (free - checkpoints) / sharing) return;
    throw Error(ExitCode::does_not_fit,
                "Scratch files take " + human_bytes(needed.scratch_bytes) + " for each of " + std::to_string(sharing) +
                    (sharing == 1 ? " rank" : " ranks") +
                    (checkpoints > 0 ? " besides checkpoints of " + human_bytes(checkpoints) : "") + ", but only " +
                    human_bytes(free) + " are free in " + needed.scratch_directory + ".");
}

}  // namespace strata
