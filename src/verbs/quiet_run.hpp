// SPDX-License-Identifier: BSD-3-Clause
// Runs of small jobs inside the program, without output and files: oracles of the self-test, samples of the outputs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/job.hpp"
#include "run/preflight.hpp"

namespace strata {

/// A finished run and its application.
struct QuietRun {
    std::unique_ptr<Application> application;
    PointRecord record;
};

/// Runs one job, or the first point of a scan. `name` is printed in errors. Collective.
QuietRun run_quietly(const Communicator& comm, const std::string& name, const std::string& text,
                     std::vector<cli::Override> overrides, Invocation invocation);

}  // namespace strata
