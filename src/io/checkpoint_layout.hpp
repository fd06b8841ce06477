// SPDX-License-Identifier: BSD-3-Clause
// Functions that writing and reading of checkpoints share; private to this module.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/checkpoint_file.hpp"
#include "io/hdf5.hpp"
#include "io/slabs.hpp"

namespace strata::io {

constexpr const char* checkpoint_format_name = "strata-checkpoint";

/// Largest header that is written or read; it has space for the starts of some 10^7 rows of different lengths.
constexpr std::uint64_t max_header_bytes = std::uint64_t{256} << 20;

/// xxh64 of `bytes` bytes.
std::uint64_t digest(const void* data, std::size_t bytes);

/// HDF5 type of one element of an array, or of the whole record, in packed memory and in the file.
Handle memory_type(const DistributedArray& array);
Handle file_type(const DistributedArray& array);
/// Class of the type that the file must have.
H5T_class_t type_class(const DistributedArray& array);
/// Extents of the dataset: [rows][elements], [elements] of ragged rows, [1] of a record.
std::vector<hsize_t> extents(const DistributedArray& array);

/// Computes the digests of rows from slabs, which must be added in ascending order.
class RowDigests {
  public:
    RowDigests(const ArrayShape& shape, const Range& rows);
    ~RowDigests();
    RowDigests(const RowDigests&) = delete;
    void add(const ArraySlab& slab, const std::byte* packed);
    /// [row] digest; valid after all slabs were added.
    const std::vector<std::uint64_t>& rows() const { return digests_; }

  private:
    const ArrayShape& shape_;
    const Range rows_;
    std::vector<std::uint64_t> digests_;
    struct State;
    std::unique_ptr<State> state_;  ///< digest of a row that is added in several slabs
};

/// Rows of an array that this rank writes, and rows that it reads.
Range written_rows(const Communicator& comm, const DistributedArray& array);
Range read_rows_of(const DistributedArray& array);

/// Calls part(slab) for the slabs of an array; a record is one slab.
void for_each_slab(const DistributedArray& array, const Range& rows, const std::function<void(const ArraySlab&)>& part);

/// Selects a slab in the dataspace of a file; returns the dataspace of the slab alone, packed.
Handle select_slab(hid_t file_space, const DistributedArray& array, const ArraySlab& slab, const std::string& what);

/// 16 hexadecimal digits: xxh64 over the digests of all rows of all arrays.
std::string hash_text(std::span<const std::vector<std::uint64_t>> digests);

}  // namespace strata::io
