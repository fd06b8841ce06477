// SPDX-License-Identifier: BSD-3-Clause
// Files that are either there and whole or not there: written under a temporary name, synced, renamed.
#pragma once

#include <string>

namespace strata::io {

/// Makes a directory and its parents. Throws Error(file).
void make_directory(const std::string& path);

/// Brings the contents of a file to the disk. Throws Error(file).
void sync_to_disk(const std::string& path);

/// Syncs `temporary` to the disk, renames it to `path` and syncs the directory. Throws Error(file).
void put_in_place(const std::string& temporary, const std::string& path);

/// Renames if `from` exists. Throws Error(file).
void move_if_there(const std::string& from, const std::string& to);

/// Takes space on the disk for a part of an open file of this name, where its file system can. Throws Error(file).
void reserve_space(int file, unsigned long long first, unsigned long long bytes, const std::string& name);

/// Throws Error(file) in plain words unless `path` is a regular file, or a link to one, that this user may read. A FIFO
/// or a device would block whoever opens it.
void expect_regular_file(const std::string& path);

/// Puts a file with this text in the place of `path`, or of the file that a link at `path` leads to. Throws Error(file).
void replace_text_file(const std::string& path, const std::string& text);

/// Makes sure that a file of `bytes` can be written at `path` now: allocates the space and releases it. HDF5 does not
/// survive a write that fails for want of space, so it must not be the first to find out. Throws Error(file), also if
/// there is anything at `path`.
void probe_space(const std::string& path, unsigned long long bytes);

/// A name beside `path` that nobody can foresee, so that no link waits there. Files are made under it by O_EXCL.
std::string temporary_name(const std::string& path);

/// Removes the temporary files of `path` that killed runs have left, whatever their number.
void remove_temporaries(const std::string& path);

/// Removes a file if it exists. Throws Error(file).
void remove_file(const std::string& path);

bool exists(const std::string& path);

/// True if the directories of both paths, which exist, are on one file system.
bool on_same_disk(const std::string& a, const std::string& b);

/// Bytes that this user may still write in the directory of `path`.
unsigned long long free_disk(const std::string& path);

}  // namespace strata::io
