// SPDX-License-Identifier: BSD-3-Clause
// Arrays on disk that a computation does not need at present: a thread writes them and reads them ahead in the
// background. The file is unlinked when it is created, so that it vanishes when the process ends in any way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace strata::io {

class ScratchFile {
  public:
    /// Creates the file in `directory`, which is created if necessary. Throws Error(file).
    explicit ScratchFile(const std::string& directory);
    ~ScratchFile();
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;

    /// Starts to write the concatenated `parts` as the array of this number, which replaces its old content. The parts
    /// must not change before wait(number).
    void write(std::size_t number, std::vector<std::span<const double>> parts);
    /// Starts to read an array into `parts`, which must have as many elements in total as were written.
    void read(std::size_t number, std::vector<std::span<double>> parts);
    /// Returns when all reads and writes of this array are complete. Throws Error(file) if anything has failed since
    /// the start, or if the digest of the elements read differs from that of the elements written.
    void wait(std::size_t number);

    /// Like wait(), for an array that is no longer needed: does not throw; a later wait() reports a failure.
    void settle(std::size_t number);

    /// Disk space of the file for arrays of this total size.
    static std::uint64_t bytes_for(std::uint64_t bytes_of_arrays) { return with_room(bytes_of_arrays) + head_bytes; }

  private:
    /// Capacity of a dataset: an array may grow by an eighth before it is moved.
    static std::uint64_t with_room(std::uint64_t size) { return size + size / 8; }
    /// Space for the names of thousands of arrays.
    static constexpr std::uint64_t head_bytes = std::uint64_t{1} << 20;
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace strata::io
