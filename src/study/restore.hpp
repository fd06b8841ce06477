// SPDX-License-Identifier: BSD-3-Clause
// Restores the state of an application from a checkpoint.
#pragma once

#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "io/checkpoint_file.hpp"
#include "strata/application.hpp"
#include "study/study_source.hpp"

namespace strata {

/// True if a checkpoint was written by this job, whatever its length, output and backend keys. Throws Error(file) for keys
/// that this program does not have.
bool is_of_job(const io::StoredCheckpoint& stored, const Study& study);

/// Loads `stored`, or if its state is damaged the newest older checkpoint of `path` with a good state; prints on stderr
/// why a checkpoint was rejected. Updates `stored` to the checkpoint that was loaded. Collective; throws
/// CollectiveError(file) if none is good.
void restore(const Communicator& comm, Application& application, const Study& study, const std::string& path,
             io::StoredCheckpoint& stored, std::vector<std::string>& rejections);

/// Begins an allocated system with the final state of another run, whose checkpoint is `stored`. Sets step, time and series
/// of `stored` to those from which the run goes on. Collective; throws CollectiveError(bad_input) for a system or a state
/// that cannot be measured again, CollectiveError(file) for a damaged one.
void restore_final_state(const Communicator& comm, Application& application, const Study& study,
                         io::StoredCheckpoint& stored);

}  // namespace strata
