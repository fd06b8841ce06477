// SPDX-License-Identifier: BSD-3-Clause
// The row of Swendsen-Wang in the table of applications (applications.cpp).
#pragma once

#include "strata/application_entry.hpp"

namespace strata::swendsen_wang {

ApplicationEntry entry();

}  // namespace strata::swendsen_wang
