// SPDX-License-Identifier: BSD-3-Clause
// Facts about the build, from a header that the build generates, and about the run.
#include "io/provenance.hpp"

#include <hdf5.h>

#include <algorithm>
#include <ctime>

#include "build_info.hpp"
#include "comm/collectives.hpp"
#include "comm/session.hpp"

namespace strata::io {

std::string program_version() { return build_version; }

std::string build_name() {
    return std::string("version ") + build_version + ", commit " + build_commit + ", " + build_compiler;
}

std::vector<Fact> build_facts() {
    unsigned major = 0, minor = 0, release = 0;
    H5get_libversion(&major, &minor, &release);
    return {{"version", build_version},
            {"commit", build_commit},
            {"compiler", build_compiler},
            {"build_type", build_type},
            {"mpi", mpi_library()},
            {"hdf5", std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release)}};
}

std::vector<Fact> run_facts(const Communicator& comm, const std::string& command_line) {
    std::vector<std::string> hosts = gather(comm, host_name());
    std::ranges::sort(hosts);
    hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
    std::string names;
    for (const std::string& host : hosts) names += (names.empty() ? "" : " ") + host;
    std::vector<Fact> facts = build_facts();
    facts.push_back({"hosts", names});
    facts.push_back({"host_count", std::to_string(hosts.size())});
    facts.push_back({"command_line", command_line});
    facts.push_back({"start_utc", utc_now()});
    return facts;
}

std::string utc_now() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}

}  // namespace strata::io
