// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "comm/communicator.hpp"

/// The communicator of all ranks of this test program.
const strata::Communicator& world();
