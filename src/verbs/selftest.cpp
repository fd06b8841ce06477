// SPDX-License-Identifier: BSD-3-Clause
// Self-test: small jobs with exactly known results run as in the program; several oracles may share one run.
#include "verbs/selftest.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "comm/collectives.hpp"
#include "report/table.hpp"
#include "strata/error.hpp"
#include "study/registry.hpp"
#include "verbs/quiet_run.hpp"

namespace strata {
namespace {

constexpr double max_sigma = 4;

/// Runs one job on all ranks, or, if it cannot be divided into so many parts, on rank 0 alone. Collective.
PointRecord run_where_it_fits(const Communicator& comm, const std::string& text, const Invocation& invocation) {
    try {
        return run_quietly(comm, "oracle", text, {}, invocation).record;
    } catch (const CollectiveError& error) {
        if (error.code() != ExitCode::bad_input || comm.size() == 1) throw;
    }
    const Communicator alone = Communicator::alone();
    return comm.is_root() ? run_quietly(alone, "oracle", text, {}, invocation).record : PointRecord{};
}

/// Prints the comparison of an oracle with its run; true if they agree.
bool compare(const Oracle& oracle, const PointRecord& record) {
    const auto q = std::ranges::find(record.quantities, oracle.quantity, &Quantity::name);
    if (q == record.quantities.end())
        throw Error(ExitCode::internal, "The oracle asks for a quantity that is not measured.");
    const double value = q->value.at(0), error = q->error.empty() ? 0 : q->error.at(0);
    const double deviation = value - oracle.exact;
    const bool statistical = oracle.tolerance == 0;
    const bool good = statistical ? std::abs(deviation) <= max_sigma * error
                                  : std::abs(deviation) <= oracle.tolerance * std::abs(oracle.exact);
    char shown[64], how[64];
    std::snprintf(shown, sizeof shown, "%.13g", value);
    if (statistical)
        std::snprintf(how, sizeof how, "%+.1f sigma", deviation / error);
    else
        std::snprintf(how, sizeof how, "%+.0e", deviation);
    std::printf("  %-4s %-26s %18s  exact %.13g  %s\n", good ? "ok" : "BAD", oracle.title.c_str(),
                statistical ? report::value_with_error(value, error).c_str() : shown, oracle.exact, how);
    std::fflush(stdout);
    return good;
}

}  // namespace

int selftest(const Communicator& comm, const Invocation& invocation) {
    int bad = 0;
    for (const ApplicationEntry& entry : applications()) {
        if (comm.is_root()) std::printf("%s\n", entry.name.c_str());
        std::map<std::string, PointRecord> runs;  // by job: several oracles may share one
        for (const Oracle& oracle : entry.oracles()) {
            if (!runs.contains(oracle.job)) runs[oracle.job] = run_where_it_fits(comm, oracle.job, invocation);
            collectively(comm, [&] {
                if (comm.is_root() && !compare(oracle, runs[oracle.job])) ++bad;
            });
        }
    }
    broadcast(comm, bad);
    if (comm.is_root())
        std::printf(bad == 0 ? "All oracles agree.\n" : "%d oracles deviate by more than 4 sigma.\n", bad);
    return bad == 0 ? 0 : static_cast<int>(ExitCode::numerical);
}

}  // namespace strata
