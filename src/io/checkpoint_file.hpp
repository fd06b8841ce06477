// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints NAME.checkpoint.h5: the state in global order, readable on any number of ranks. A file is written under a
// temporary name, synced and renamed; previous checkpoints are kept as NAME.checkpoint.1.h5 and so on.
//
//   /header   JSON text: application, versions, job, step, and for every array its shape and the digest of its row
//             digests; attribute "digest" = xxh64 of the text
//   /series   the rows observed so far
//   /state/A  [rows][elements], contiguous; [elements] where rows have different lengths; one structure for a record
//   /digest/A [rows] xxh64 of each packed row
//
// A flipped byte is either in a part of the file that is never read, or it is detected by a digest.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "strata/checkpoint.hpp"
#include "strata/record.hpp"

namespace strata::io {

/// Upper limit (exclusive) of the age of checkpoints that are searched.
constexpr int max_kept = 100;

/// Version of the layout of checkpoints.
constexpr int checkpoint_format = 3;

/// Description of the run in a checkpoint; the same on all ranks after reading.
struct CheckpointHeader {
    std::string application;
    std::string version;                    ///< version of the program that wrote it
    std::string job;                        ///< canonical text of the Config
    std::string job_text;                   ///< content of the user's job file
    std::uint64_t step = 0;                 ///< steps done
    double seconds = 0;                     ///< wall time of steps, over all parts of the run
    std::string state_hash = {};            ///< set by write_checkpoint()
    std::vector<std::string> columns = {};  ///< names, of the series; set by write_checkpoint()
};

/// An array of a checkpoint, as described in its header.
struct StoredArray {
    ArrayShape shape;
    std::uint64_t digest = 0;
};

struct StoredCheckpoint {
    std::string path;
    int age = 0;  ///< number of newer checkpoints
    CheckpointHeader header;
    std::vector<StoredArray> arrays;
    std::vector<double> series;  ///< row-major; on rank 0 only
};

/// 16 hexadecimal digits: xxh64 over the digests of all rows of all arrays in global order, without writing the state
/// (write_checkpoint() returns the same hash). Collective.
std::string state_hash(const Communicator& comm, std::span<const DistributedArray> state);

/// Writes a checkpoint and keeps the `keep - 1` previous ones; keep = 1 replaces the newest and does not touch older
/// ones. The newest existing one must be good if keep > 1, because while files are renamed it may be the only one.
/// Reads every array once, slab by slab, and returns the state hash. Collective; `header` and `series` are used on rank
/// 0. Throws CollectiveError(file) on all ranks if any rank fails; existing checkpoints are not lost then.
std::string write_checkpoint(const Communicator& comm, const std::string& path, int keep, CheckpointHeader header,
                             const Series& series, std::span<const DistributedArray> state);

/// Reads header and series of the newest good checkpoint of `path` with an age of at least `first_age`; `rejections`
/// lists the reasons against newer ones (on rank 0). Collective. Throws CollectiveError(file) if none is good.
StoredCheckpoint open_checkpoint(const Communicator& comm, const std::string& path, int first_age,
                                 std::vector<std::string>& rejections);

/// Reads the arrays of `state`, whose shapes must be the stored ones, and verifies the digest of every row. Collective.
/// Throws CollectiveError(file).
void read_state(const Communicator& comm, const StoredCheckpoint& stored, std::span<const DistributedArray> state);

/// Reads some of the stored arrays, those of Remeasured::final_state(): of a record the fields that it has. Otherwise as
/// read_state().
void read_final_state(const Communicator& comm, const StoredCheckpoint& stored,
                      std::span<const DistributedArray> arrays);

/// Conversion of a header to JSON text and back. Throws Error(file) for an invalid text.
std::string header_text(const CheckpointHeader& header, std::span<const StoredArray> arrays,
                        std::uint64_t series_values, std::uint64_t series_digest);
void parse_header(const std::string& text, StoredCheckpoint& stored, std::uint64_t& series_values,
                  std::uint64_t& series_digest);

/// Path of the checkpoint of the given age (0: the newest).
std::string older_checkpoint(const std::string& path, int age);

/// Paths of the existing checkpoints of `path`, newest first; ages that do not exist are skipped.
std::vector<std::string> existing_checkpoints(const std::string& path);

}  // namespace strata::io
