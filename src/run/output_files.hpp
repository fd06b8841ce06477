// SPDX-License-Identifier: BSD-3-Clause
// Files of a run: names, locks, free disk space, and the removal of files of an earlier run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/input_errors.hpp"
#include "comm/communicator.hpp"
#include "io/lock_file.hpp"
#include "run/run.hpp"
#include "strata/config.hpp"
#include "strata/memory.hpp"

namespace strata {

/// Path of the files of a run without extensions (the stem): output.directory and output.name, or the name of the job
/// file. Throws Error(bad_input) for a path that is too long, and for a name whose files would be named like a checkpoint
/// or like those of a point of a scan.
std::string stem_of(const Config& config, const std::string& job_path);

/// NAME of NAME.checkpoint.h5 or NAME.checkpoint.1.h5, with its directory. Throws Error(bad_input) for other names.
std::string stem_of_checkpoint(const std::string& path);

/// Throws Error(bad_input) for a stem that ends in .point- and a number: its files are those of a point of a scan, which
/// the scan overwrites and removes.
void refuse_point_name(const std::string& stem);

/// Directory of a stem; "." if it has none.
std::string directory_of(const std::string& stem);

/// Stem of the checkpoints of one point of a scan.
std::string stem_of_point(const std::string& stem, std::uint64_t point);

/// One checkpoint file of a point; a point may have several, of different ages.
struct PointCheckpoint {
    std::uint64_t point = 0;
    std::string path;
};

/// All checkpoint files of points of the scan with this stem. Reads the directory.
std::vector<PointCheckpoint> point_checkpoints(const std::string& stem);

/// The scan file denoted by the operand of `strata resume`: the path itself, or the scan result beside a checkpoint
/// that does not exist; empty if there is none.
std::string scan_named(const std::string& path);

/// True if two stems name the same files.
bool same_files(const std::string& a, const std::string& b);

/// Adds errors for values of output.name and output.directory that are not file names.
void check_names(const Config& config, cli::InputErrors& errors);

/// Throws Error(bad_input) if files of an earlier run, or of points of an earlier scan, exist and output.overwrite is no.
void refuse_existing(const RunOptions& options);
/// Removes the result and all checkpoints of an earlier run. Called when the new run is ready to begin.
void remove_existing(const RunOptions& options);
/// Removes temporary files that a killed run of this name has left. The lock must be held.
void remove_leftovers(const RunOptions& options);

/// Numbers of ranks whose scratch files share a disk: the ranks of one node, or all ranks.
struct RanksOnDisk {
    int of_node = 1, all = 1;
};

/// Throws Error(does_not_fit) unless the kept checkpoints, the one being written, the series and the scratch files of
/// the ranks fit on the disk now. If scratch files are on the disk of the output, those of all ranks count; another
/// disk is assumed to be local to the node.
void check_disk(const RunOptions& options, const MemoryPrediction& needed, const RanksOnDisk& ranks);

/// Claim::own: the files belong to the run that is resumed; Claim::fresh: a new run, whose files must not exist.
enum class Claim { own, fresh };

/// Acquires the lock of the files of the run on rank 0, removes leftovers, and throws CollectiveError for fresh files
/// that exist or a disk that is too small. Collective.
io::LockFile claim_output(const Communicator& comm, const MemoryPrediction& needed, const RunOptions& options,
                          Claim claim);

/// Removes the files of an earlier run on rank 0; called when output.overwrite permits it. Collective.
void make_way(const Communicator& comm, const RunOptions& options);

}  // namespace strata
