// SPDX-License-Identifier: BSD-3-Clause
// The communicator of all ranks of a test program.
#pragma once

#include "comm/communicator.hpp"

/// The communicator of all ranks of this test program.
const strata::Communicator& world();
