// SPDX-License-Identifier: BSD-3-Clause
// Arrays that a computation needs again, but not now, on a disk: written behind it and read ahead of need by a thread.
// The file has no name, so that nothing of it is left however the process ends.
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
    /// In `directory`, which is made if it is missing. Throws Error(file).
    explicit ScratchFile(const std::string& directory);
    ~ScratchFile();
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;

    /// Begins to write `parts`, one after another, as the array of this number, in place of what that held. They must
    /// stay as they are until wait(number).
    void write(std::size_t number, std::vector<std::span<const double>> parts);
    /// Begins to read an array into `parts`, which have as many elements together as it was written with.
    void read(std::size_t number, std::vector<std::span<double>> parts);
    /// Returns when nothing is under way with this array. Throws Error(file) if anything has failed since the start, or
    /// if other numbers were read than had been written.
    void wait(std::size_t number);

    /// The same, of an array that is no longer needed: a failure is left for wait() to tell.
    void settle(std::size_t number);

    /// Bytes that the file takes on the disk for arrays of so many.
    static std::uint64_t bytes_for(std::uint64_t bytes_of_arrays) { return with_room(bytes_of_arrays) + head_bytes; }

  private:
    /// An array may grow by an eighth before it is moved.
    static std::uint64_t with_room(std::uint64_t size) { return size + size / 8; }
    static constexpr std::uint64_t head_bytes = std::uint64_t{1} << 20;  ///< for the names of thousands of arrays
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace strata::io
