// SPDX-License-Identifier: BSD-3-Clause
// What the writing and the reading side of checkpoints share; private to this room.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/checkpoint_file.hpp"
#include "io/hdf5.hpp"
#include "io/slabs.hpp"

namespace strata::io {

constexpr const char* checkpoint_format_name = "strata-checkpoint";

/// xxh64 of some bytes.
std::uint64_t digest(const void* data, std::size_t bytes);

hid_t memory_type(ElementType type);
hid_t file_type(ElementType type);

/// Row digests of this rank's rows.
std::vector<std::uint64_t> row_digests(const DistributedArray& array);

/// Selects a slab in the dataspace of a file; the dataspace of the slab alone, packed.
Handle select_slab(hid_t file_space, const Slab& slab, const std::string& what);

/// Header as JSON text and back. Throws Error(file) for a text that is none.
std::string header_text(const CheckpointHeader& header, std::span<const StoredArray> arrays,
                        std::uint64_t series_values, std::uint64_t series_digest);
void parse_header(const std::string& text, StoredCheckpoint& stored, std::uint64_t& series_values,
                  std::uint64_t& series_digest);

}  // namespace strata::io
