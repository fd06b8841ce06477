// SPDX-License-Identifier: BSD-3-Clause
// Where a result comes from: versions, build and machine.
#pragma once

#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "strata/report.hpp"

namespace strata::io {

/// Version of this program, e.g. "0.1.0".
std::string program_version();

/// Facts about the build: version, commit, compiler, flags, MPI, HDF5.
std::vector<Fact> build_facts();

/// build_facts() and hosts, command line and start in UTC. Collective; complete on rank 0.
std::vector<Fact> run_facts(const Communicator& comm, const std::string& command_line);

/// Now as 2026-11-21T12:34:56Z.
std::string utc_now();

}  // namespace strata::io
