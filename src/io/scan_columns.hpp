// SPDX-License-Identifier: BSD-3-Clause
// Names used by the writer and the reader of a scan's file; private to this module.
#pragma once

#include <utility>
#include <vector>

#include "strata/record.hpp"

namespace strata::io {

constexpr const char* scan_format_name = "strata-scan";
/// Suffixes of the columns of a quantity, and the members of Quantity that they contain.
constexpr std::pair<const char*, std::vector<double> Quantity::*> endings[] = {{"", &Quantity::value},
                                                                               {"_error", &Quantity::error},
                                                                               {"_tau", &Quantity::tau},
                                                                               {"_reference", &Quantity::reference}};

}  // namespace strata::io
