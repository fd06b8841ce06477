// SPDX-License-Identifier: BSD-3-Clause
// Kronecker jobs from their text, as the program reads them.
#pragma once

#include <string>

#include "kronecker/job/config.hpp"
#include "kronecker/run/validation.hpp"
#include "support/job_texts.hpp"

namespace strata::kronecker {

inline ReadJob read_job(const std::string& text) { return parsed_job("kronecker", keys(), validate, text); }

/// The values of a job without errors; the first error is thrown.
inline KroneckerConfig kronecker_job(const std::string& text) { return resolve_config(read_job(text).valid()); }

}  // namespace strata::kronecker
