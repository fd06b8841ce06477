// SPDX-License-Identifier: BSD-3-Clause
// The row of density-matrix renormalizations in the table of applications (applications.cpp).
#pragma once

#include "strata/application_entry.hpp"

namespace strata::dmrg {

ApplicationEntry entry();

}  // namespace strata::dmrg
