// SPDX-License-Identifier: BSD-3-Clause
// What the table of applications needs of this one.
#pragma once

#include <memory>

#include "comm/communicator.hpp"
#include "strata/application.hpp"
#include "swendsen_wang/config.hpp"

namespace strata::swendsen_wang {

std::string example_job();

/// Chooses the backend and makes the application. Throws as SwendsenWangPlan does.
std::unique_ptr<Application> make(const Communicator& comm, const Config& config, int threads);

Forecast forecast(const Config& config, int ranks, int threads);

std::vector<Oracle> oracles();

}  // namespace strata::swendsen_wang
