// SPDX-License-Identifier: BSD-3-Clause
// The row of Kronecker jobs in the table of applications (applications.cpp).
#pragma once

#include "strata/application_entry.hpp"

namespace strata::kronecker {

ApplicationEntry entry();

}  // namespace strata::kronecker
