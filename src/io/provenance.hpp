// SPDX-License-Identifier: BSD-3-Clause
// Provenance of a result: versions, build and machine.
#pragma once

#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "strata/study.hpp"

namespace strata::io {

/// Version of this program, e.g. "0.1.0".
std::string program_version();

/// Version, commit and compiler of this build in one line.
std::string build_name();

/// Facts about the build: version, commit, compiler, build type, MPI, HDF5.
std::vector<Fact> build_facts();

/// build_facts() and hosts, command line and start in UTC. Collective; complete on rank 0.
std::vector<Fact> run_facts(const Communicator& comm, const std::string& command_line);

/// The current time in UTC, e.g. 2026-11-21T12:34:56Z.
std::string utc_now();

}  // namespace strata::io
