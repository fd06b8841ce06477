// SPDX-License-Identifier: BSD-3-Clause
// One digest over all that a result file says; private to this module.
#pragma once

#include <hdf5.h>

#include <string>

namespace strata::io {

/// Name of the attribute of / that keeps the digest.
constexpr const char* digest_name = "digest";

/// 16 hexadecimal digits: xxh64 over names and values of all attributes, groups and datasets of a file, besides the
/// attribute of / that keeps it. Throws Error(file) for anything that strata does not write into results.
std::string content_digest(hid_t file);

}  // namespace strata::io
