// SPDX-License-Identifier: BSD-3-Clause
// Jobs of spin dynamics from their text, as the program reads them.
#pragma once

#include <string>

#include "support/job_texts.hpp"
#include "trotter/job/config.hpp"
#include "trotter/run/validation.hpp"

namespace strata::trotter {

inline ReadJob read_job(const std::string& text) { return parsed_job("trotter", keys(), validate, text); }

/// The values of a job without errors; the first error is thrown.
inline TrotterConfig trotter_job(const std::string& text) { return resolve_config(read_job(text).valid()); }

}  // namespace strata::trotter
