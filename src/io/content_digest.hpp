// SPDX-License-Identifier: BSD-3-Clause
// A digest over the content of a result file; private to this module.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <functional>
#include <string>

namespace strata::io {

/// Name of the attribute of / that contains the digest.
constexpr const char* digest_name = "digest";

/// 16 hexadecimal digits: xxh64 over the names and values of all attributes, groups and datasets of a file, except the
/// digest itself and the references of dimension scales. Throws Error(file) for types and objects that strata does not
/// write to results. Expects that the lock is held.
std::string content_digest(hid_t file);

/// Creates a file of about `bytes` bytes under a temporary name, calls `fill` to write it, adds the digest and renames
/// it to `path`. Takes the lock of HDF5. Throws Error(file); an existing file does not change then.
void write_digested_file(const std::string& path, std::uint64_t bytes, const std::function<void(hid_t)>& fill);

}  // namespace strata::io
