// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints NAME.checkpoint.h5: the state in global order, readable on any number of ranks. A file is written under a
// temporary name, synced, checked and renamed; the ones before it are kept as NAME.checkpoint.1.h5 and so on.
//
//   /header   JSON text: application, versions, job, step, and for every array its shape and the digest of its row
//             digests; attribute "digest" = xxh64 of the text
//   /series   the rows observed so far
//   /state/A  [rows][elements], contiguous; [elements] where rows have different lengths; one structure for a record
//   /digest/A [rows] xxh64 of each row as it was packed
// A single flipped byte anywhere either lies in a part that is never read or changes a digest.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "strata/checkpoint.hpp"
#include "strata/record.hpp"

namespace strata::io {

/// Ages of checkpoints that are looked for: one more than the greatest.
constexpr int max_kept = 100;

/// Version of the layout of checkpoints.
constexpr int checkpoint_format = 2;

/// What a checkpoint says of its run; the same on all ranks after reading.
struct CheckpointHeader {
    std::string application;
    std::string version;          ///< of the program that wrote it
    std::string job;              ///< canonical text of the Config
    std::string job_text;         ///< the job file as the user wrote it
    std::uint64_t step = 0;       ///< steps done
    double seconds = 0;           ///< wall time in steps, over all parts of the run
    std::string state_hash = {};  ///< filled in by write_checkpoint
};

/// A checkpoint's array as its header describes it.
struct StoredArray {
    ArrayShape shape;
    std::uint64_t digest = 0;
};

struct StoredCheckpoint {
    std::string path;
    int age = 0;  ///< how many newer ones there are
    CheckpointHeader header;
    std::vector<StoredArray> arrays;
    std::vector<double> series;  ///< row-major; on rank 0 only
};

/// 16 hexadecimal digits: xxh64 over the digests of all rows of all arrays in global order. For a state that is not
/// written: write_checkpoint returns it as well. Collective.
std::string state_hash(const Communicator& comm, std::span<const DistributedArray> state);

/// Writes a checkpoint and keeps the `keep - 1` before it; keep = 1 replaces the newest and leaves the others alone.
/// The newest must be good if keep > 1: while names change it is for a moment the only one that is sure to be there.
/// Reads every array once, slab by slab, and returns the state hash. Collective; `header` and `series` count on rank 0.
/// Throws CollectiveError(file) on all ranks if any rank failed; then nothing that was there is lost.
std::string write_checkpoint(const Communicator& comm, const std::string& path, int keep, CheckpointHeader header,
                             const Series& series, std::span<const DistributedArray> state);

/// Reads header and series of the newest good checkpoint of `path` that has at least age `first_age`; `rejections` says
/// why others were passed over (on rank 0). Collective. Throws CollectiveError(file) if none is good.
StoredCheckpoint open_checkpoint(const Communicator& comm, const std::string& path, int first_age,
                                 std::vector<std::string>& rejections);

/// Fills the arrays of `state`, whose shapes must be the stored ones, and verifies every row. Collective. Throws
/// CollectiveError(file).
void read_state(const Communicator& comm, const StoredCheckpoint& stored, std::span<const DistributedArray> state);

/// Header as JSON text and back. Throws Error(file) for a text that is none.
std::string header_text(const CheckpointHeader& header, std::span<const StoredArray> arrays,
                        std::uint64_t series_values, std::uint64_t series_digest);
void parse_header(const std::string& text, StoredCheckpoint& stored, std::uint64_t& series_values,
                  std::uint64_t& series_digest);

/// Path of the checkpoint `age` before the newest (0: itself).
std::string older_checkpoint(const std::string& path, int age);

/// Paths of the checkpoints of `path` that exist, newest first; one that is missing in between is left out.
std::vector<std::string> existing_checkpoints(const std::string& path);

}  // namespace strata::io
