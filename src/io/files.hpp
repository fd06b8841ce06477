// SPDX-License-Identifier: BSD-3-Clause
// Functions for files that are replaced atomically: written under a temporary name, synced, renamed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace strata::io {

/// An existing file that this process, and others beside it, write at given positions. All functions throw Error(file).
class OpenFile {
  public:
    explicit OpenFile(const std::string& path);
    ~OpenFile();
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    /// Writes all of `data`, from byte `start` of the file on.
    void write(std::uint64_t start, std::span<const std::byte> data);
    /// Brings what was written to the disk.
    void sync();

  private:
    std::string path_;
    int file_;
};

/// Creates a directory and its parents. Throws Error(file).
void make_directory(const std::string& path);

/// The path itself, or the file to which a link at `path` leads in the end.
std::string target_of(const std::string& path);

/// Writes the content of a file to the disk (fsync). Throws Error(file).
void sync_to_disk(const std::string& path);

/// Syncs `temporary` to the disk, renames it to `path` and syncs the directory. Throws Error(file).
void put_in_place(const std::string& temporary, const std::string& path);
/// The same for a file that has been synced.
void rename_synced(const std::string& temporary, const std::string& path);

/// Renames if `from` exists. Throws Error(file).
void move_if_there(const std::string& from, const std::string& to);

/// Allocates disk space for a range of bytes of an open file, or compares it with the free space where the file system
/// cannot allocate; `name` is for messages. Throws Error(file).
void reserve_space(int file, unsigned long long first, unsigned long long bytes, const std::string& name);

/// Throws Error(file) unless `path` is a regular file, or a link to one, that this user may read. Opening a FIFO or a
/// device could block.
void expect_regular_file(const std::string& path);

/// Replaces the file at `path`, or the file that a link at `path` refers to, by one with this text. Throws Error(file).
void replace_text_file(const std::string& path, const std::string& text);

/// Checks that a file of `bytes` bytes can be written at `path`: allocates the space and releases it. This is needed
/// because HDF5 does not survive a write that fails for lack of space. Throws Error(file), also if `path` exists.
void probe_space(const std::string& path, unsigned long long bytes);

/// An unpredictable name in the directory of `path`, so that no link can be placed there in advance. Files of this
/// name are created with O_EXCL.
std::string temporary_name(const std::string& path);

/// Removes all temporary files of `path` that killed runs have left.
void remove_temporaries(const std::string& path);

/// Removes a file if it exists. Throws Error(file).
void remove_file(const std::string& path);

bool exists(const std::string& path);

/// True if the directories of both paths exist and are on one file system.
bool on_same_disk(const std::string& a, const std::string& b);

/// Bytes of free space for this user on the file system of `path`; 0 if unknown.
unsigned long long free_disk(const std::string& path);

}  // namespace strata::io
