// SPDX-License-Identifier: BSD-3-Clause
// Comparison of predicted and free memory. Host and device memory are two kinds of one thing: free bytes of a node or
// device that several ranks share.
#include "run/memory_check.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "comm/collectives.hpp"
#include "strata/device.hpp"
#include "strata/error.hpp"

namespace strata {
namespace {

/// A number of ranks, more than `ranks`, for which fits(ranks) is true; 0 if none is found. The ranks per node or device
/// stay as they are. Larger numbers are tried in steps, so that the result need not be the smallest.
int fitting_ranks(int ranks, const std::function<bool(int ranks)>& fits,
                  const std::function<int(int ranks)>& next_ranks) {
    for (int more = next_ranks(ranks + 1); more != 0 && more <= (1 << 24);
         more = next_ranks(more + std::max(ranks, more / 2))) {
        try {
            if (fits(more)) return more;
        } catch (const Error& error) {
            if (error.code() == ExitCode::bad_input) return 0;  // more ranks than the job can be divided into
        }
    }
    return 0;
}

}  // namespace

std::string series_sentence(const Recording& recording, std::uint64_t needed, std::uint64_t free,
                            const std::string& where) {
    const double factor = static_cast<double>(needed) / std::max(static_cast<double>(free), 1.0);
    return "The " + std::to_string(recording.rows) + " rows of observations take " + human_bytes(needed) + " " + where +
           ", and " + human_bytes(free) + " are left for them there; " + recording.remedy(factor) + ".";
}

FreeMemory::FreeMemory(const Communicator& comm, const Placement& placement, const DeviceBinding* device) {
    const std::uint64_t host = all_min(comm, available_memory());
    kinds_.push_back({"", "node", "", &MemoryPrediction::host_bytes,
                      host == 0 ? std::numeric_limits<std::uint64_t>::max() : host,  // 0: unknown
                      all_max(comm, static_cast<std::uint64_t>(placement.ranks_on_node)), true});
    if (device == nullptr) return;
    kinds_.push_back({"of device memory ", "device", "; backend.device = cpu takes host memory instead",
                      &MemoryPrediction::device_bytes, all_min(comm, device::free_memory()),
                      all_max(comm, static_cast<std::uint64_t>(device->ranks_on_device)), false});
}

std::optional<std::uint64_t> FreeMemory::Kind::left(const MemoryPrediction& needed) const {
    const std::uint64_t rest = (needed.*bytes)();
    if (rest > free / sharing) return {};
    return free - sharing * rest;
}

bool FreeMemory::Kind::fits(const MemoryPrediction& needed) const {
    const auto for_series = left(needed);
    return for_series && (!has_series || needed.recording.bytes() <= *for_series);
}

bool FreeMemory::fits(const MemoryPrediction& needed) const {
    return std::ranges::all_of(kinds_, [&](const Kind& kind) { return kind.fits(needed); });
}

void FreeMemory::check(const MemoryPrediction& needed, int ranks,
                       const std::function<MemoryPrediction(int ranks)>& needed_by,
                       const std::function<int(int ranks)>& next_ranks) const {
    for (const Kind& kind : kinds_) {
        if (kind.fits(needed)) continue;
        if (const auto free = kind.left(needed))
            throw CollectiveError(ExitCode::does_not_fit, series_sentence(needed.recording, needed.recording.bytes(),
                                                                          *free, "of memory on rank 0"));
        const int enough = fitting_ranks(
            ranks, [&](int more) { return kind.fits(needed_by(more)); }, next_ranks);
        const std::string place = kind.place;
        throw CollectiveError(
            ExitCode::does_not_fit,
            "The run needs " + human_bytes((needed.*kind.bytes)()) + " " + kind.of + "per rank, with " +
                std::to_string(kind.sharing) + (kind.sharing == 1 ? " rank" : " ranks") + " on a " + place + ", and " +
                human_bytes(kind.free) + " are free there. " +
                (enough > 0
                     ? "With as many ranks per " + place + ", " + std::to_string(enough) + " ranks would fit"
                     : "No number of ranks makes it fit with as many on a " + place + "; use fewer per " + place) +
                kind.remedy + "." + (needed.advice.empty() ? "" : " " + needed.advice));
    }
}

MemoryPrediction of_largest_rank(const Communicator& comm, const MemoryPrediction& mine) {
    MemoryPrediction largest;
    largest.recording = mine.recording;
    largest.advice = mine.advice;
    largest.host.push_back({"host", all_max(comm, mine.host_bytes())});
    largest.device.push_back({"device", all_max(comm, mine.device_bytes())});
    return largest;
}

}  // namespace strata
