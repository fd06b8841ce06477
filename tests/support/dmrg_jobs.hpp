// SPDX-License-Identifier: BSD-3-Clause
// Jobs of a density-matrix renormalization from their text, as the program reads them.
#pragma once

#include <string>

#include "dmrg/job/config.hpp"
#include "support/job_texts.hpp"

namespace strata::dmrg {

/// Reads a job; electrons without an interaction key get U = 4.
inline ReadJob read_job(std::string text) {
    const bool electrons = text.find("type = heisenberg") == std::string::npos;
    if (electrons && text.find("\nu = ") == std::string::npos) text += "[model]\nu = 4\n";
    return parsed_job("dmrg", keys(), validate, text);
}

/// The values of a job without errors; the first error is thrown.
inline DmrgConfig dmrg_job(const std::string& text) { return resolve_config(read_job(text).valid()); }

}  // namespace strata::dmrg
