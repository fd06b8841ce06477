// SPDX-License-Identifier: BSD-3-Clause
// The files of a run: their names, and when those of an earlier run may be removed.
#pragma once

#include <cstdint>
#include <string>

#include "cli/input_errors.hpp"
#include "run.hpp"
#include "strata/config.hpp"
#include "strata/memory.hpp"

namespace strata {

/// Path of the files of a run without endings: output.directory and output.name, or the name of the job file. Throws
/// Error(bad_input) for a name whose result file would be named like the checkpoint of another run.
std::string stem_of(const Config& config, const std::string& job_path);

/// NAME of NAME.checkpoint.h5 or NAME.checkpoint.1.h5, with its directory. Throws Error(bad_input) for other names.
std::string stem_of_checkpoint(const std::string& path);

std::string directory_of(const std::string& stem);

/// True if two stems name the same files.
bool same_files(const std::string& a, const std::string& b);

/// Names that cannot be those of files.
void check_names(const Config& config, cli::InputErrors& errors);

/// Throws Error(bad_input) if files of an earlier run exist and output.overwrite does not allow to remove them.
void refuse_existing(const RunOptions& options);
/// Removes the result and the checkpoints of an earlier run. For the moment when the new run is ready to begin.
void remove_existing(const RunOptions& options);
/// Removes temporary files that a killed run of this name has left. The lock must be held.
void remove_leftovers(const RunOptions& options);

/// How many ranks have their scratch files in one place: those of a node, or all of them.
struct RanksOnDisk {
    int of_node = 1, all = 1;
};

/// Throws Error(does_not_fit) unless the checkpoints that will be kept, the one being written, and the scratch files of
/// the ranks fit on the disk now. The disk of the output is that of all ranks; another one is taken to be the node's.
void check_disk(const RunOptions& options, const MemoryPrediction& needed, const RanksOnDisk& ranks);

}  // namespace strata
