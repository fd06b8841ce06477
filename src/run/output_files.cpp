// SPDX-License-Identifier: BSD-3-Clause
// Files of a run. Files of an earlier run are removed only if output.overwrite permits it, and only when the new run is
// ready to begin.
#include "run/output_files.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>

#include "cli/job_file.hpp"
#include "comm/collectives.hpp"
#include "comm/placement.hpp"
#include "io/checkpoint_file.hpp"
#include "io/files.hpp"
#include "io/study_file.hpp"
#include "run/memory_check.hpp"
#include "strata/error.hpp"
#include "strata/memory.hpp"
#include "strata/printable.hpp"

namespace strata {
namespace {

constexpr const char *checkpoint_mark = ".checkpoint.", *point_mark = ".point-";
/// Bytes. Systems allow 255 and 4095 bytes; the rest is for the extensions of temporary files.
constexpr std::size_t max_name = 200, max_stem = 4000;

std::string without_ending(const std::string& path) { return path.substr(0, path.rfind('.')); }

std::string name_of(const std::string& stem) { return std::filesystem::path(stem).filename().string(); }

/// The number of a point; none for a text that is no number.
std::optional<std::uint64_t> point_number(std::string_view text) {
    std::int64_t point = 0;
    if (!parse_integer(text, point) || point < 0) return {};
    return static_cast<std::uint64_t>(point);
}

/// The point of the scan of this name to whose checkpoints a file belongs, finished or temporary ones.
std::optional<std::uint64_t> point_of_file(const std::string& file, const std::string& scan) {
    const std::string begin = scan + point_mark;
    const std::size_t mark = file.find(checkpoint_mark);
    if (!file.starts_with(begin) || mark == std::string::npos) return {};
    return point_number(std::string_view(file).substr(begin.size(), mark - begin.size()));
}

}  // namespace

void refuse_point_name(const std::string& stem) {
    const std::string name = name_of(stem);
    const std::size_t mark = name.rfind(point_mark);
    if (mark == std::string::npos || !point_number(std::string_view(name).substr(mark + std::strlen(point_mark))))
        return;
    const std::string scan = name.substr(0, mark);
    throw Error(ExitCode::bad_input, "Files named '" + cli::printable(name) + "' are those of a point of the scan '" +
                                         cli::printable(scan) + "', which removes them: choose another output.name, " +
                                         "or resume the scan itself, " + cli::printable(scan) + ".h5.");
}

std::string stem_of(const Config& config, const std::string& job_path) {
    std::string name = config.text("output.name");
    if (name.empty()) name = std::filesystem::path(job_path).stem().string();
    if ((name + ".h5").find(checkpoint_mark) != std::string::npos)
        throw Error(ExitCode::bad_input, "The name '" + cli::printable(name) +
                                             "' of the run must not contain '.checkpoint', by which checkpoints are " +
                                             "known; choose another output.name.");
    refuse_point_name(name);
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

std::string stem_of_point(const std::string& stem, std::uint64_t point) {
    return stem + point_mark + std::to_string(point);
}

std::vector<PointCheckpoint> point_checkpoints(const std::string& stem) {
    const std::string scan = name_of(stem);
    std::vector<PointCheckpoint> found;
    std::error_code missing;
    for (const auto& entry : std::filesystem::directory_iterator(directory_of(stem), missing)) {
        const std::string file = entry.path().filename().string();
        const std::optional<std::uint64_t> point = point_of_file(file, scan);
        if (point && file.ends_with(".h5")) found.push_back({*point, entry.path().string()});
    }
    return found;
}

std::string scan_named(const std::string& path) {
    if (io::is_scan(path)) return path;
    const std::size_t mark = path.rfind(checkpoint_mark);
    if (mark == std::string::npos || io::exists(path)) return {};
    const std::string result = path.substr(0, mark) + ".h5";
    return io::is_scan(result) ? result : std::string();
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
    const std::vector<PointCheckpoint> points = point_checkpoints(options.stem);
    if (existing.empty() && !points.empty())
        throw Error(ExitCode::bad_input, points.front().path + " exists, of a point of a scan whose file is gone. " +
                                             "Choose another output.name, or allow --output.overwrite=yes.");
    if (existing.empty()) return;
    const bool scan = io::is_scan(options.result_path());
    const bool resumable = scan || !io::existing_checkpoints(options.checkpoint_path()).empty();
    throw Error(ExitCode::bad_input, existing.front() + " exists. Choose another output.name" +
                                         (resumable ? ", " : " or ") + "allow --output.overwrite=yes" +
                                         (resumable ? ", or go on with: strata resume " +
                                                          (scan ? options.result_path() : options.checkpoint_path())
                                                    : "."));
}

void remove_existing(const RunOptions& options) {
    // oldest first, so that a kill in between leaves a checkpoint that resume finds
    std::vector<std::string> doomed = io::existing_checkpoints(options.checkpoint_path());
    std::ranges::reverse(doomed);
    for (const PointCheckpoint& point : point_checkpoints(options.stem)) doomed.push_back(point.path);
    doomed.push_back(options.result_path());
    for (const std::string& path : doomed) io::remove_file(path);
}

void remove_leftovers(const RunOptions& options) {
    io::remove_temporaries(options.result_path());
    io::remove_temporaries(options.checkpoint_path());
    // temporary files of the checkpoints of points that a killed scan was computing
    const std::string scan = name_of(options.stem), end = ".h5";
    std::set<std::string> unfinished;
    std::error_code missing;
    for (const auto& entry : std::filesystem::directory_iterator(directory_of(options.stem), missing)) {
        const std::string path = entry.path().string();
        if (point_of_file(entry.path().filename().string(), scan) && !path.ends_with(end))
            unfinished.insert(path.substr(0, path.rfind(end) + end.size()));
    }
    for (const std::string& path : unfinished) io::remove_temporaries(path);
}

void check_disk(const RunOptions& options, const MemoryPrediction& needed, const RanksOnDisk& ranks) {
    const bool writes = options.config.seconds("checkpoint.interval") != 0;
    const auto copies = writes ? options.config.count("checkpoint.keep") + 1 : 0;
    const std::uint64_t available = io::free_disk(options.result_path());
    // the series is in every checkpoint and in the result, and space for two more copies is kept for the replacement of
    // the result
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

io::LockFile claim_output(const Communicator& comm, const MemoryPrediction& needed, const RunOptions& options,
                          Claim claim) {
    io::LockFile lock;
    const RanksOnDisk ranks = {find_placement(comm).ranks_on_node, comm.size()};
    collectively(comm, [&] {
        if (!comm.is_root()) return;
        io::make_directory(directory_of(options.stem));
        lock = io::LockFile(options.stem);
        if (claim == Claim::fresh) refuse_existing(options);
        remove_leftovers(options);
        check_disk(options, needed, ranks);
    });
    return lock;
}

void make_way(const Communicator& comm, const RunOptions& options) {
    collectively(comm, [&] {
        if (comm.is_root()) remove_existing(options);
    });
}

}  // namespace strata
