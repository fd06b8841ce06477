// SPDX-License-Identifier: BSD-3-Clause
// The files of a run: their names, and when those of an earlier run may be removed.
#pragma once

#include <cstdint>
#include <string>

#include "cli/input_errors.hpp"
#include "run.hpp"
#include "strata/config.hpp"

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

/// Throws Error(does_not_fit) unless the checkpoints that will be kept, and the one being written, fit on the disk now.
void check_disk(const RunOptions& options, std::uint64_t checkpoint_bytes);

}  // namespace strata
