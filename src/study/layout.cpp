// SPDX-License-Identifier: BSD-3-Clause
// Layout of a scan. Times are predicted for one rank per point, so that the order of the points does not depend on the
// number of ranks.
#include "study/layout.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>

#include "comm/collectives.hpp"
#include "strata/error.hpp"
#include "strata/partition.hpp"

namespace strata {
namespace {

/// Bytes of the record of a point besides its series: in memory, while the file is written, and in the file. Bounds of
/// jobs of all applications with single numbers as results; lists over sites are larger.
constexpr std::uint64_t record_bytes = 12 << 10, stored_bytes = 2 << 10;

/// Predicted needs of one point, as plain numbers that can be gathered.
struct Need {
    double seconds = 0;
    std::uint64_t bytes = 0;                 ///< host and device bytes of a rank that computes the point alone
    std::uint64_t checkpoint = 0, rows = 0;  ///< bytes of a checkpoint; rows of the series
};

/// Prediction for a point of a study on so many ranks; throws Error for ranks into which it cannot be divided.
using PointForecast = std::function<Forecast(std::size_t point, int ranks)>;

/// Predicts the needs of a point on one rank. If one rank is impossible, the memory counts as the largest and the time
/// is that of `ranks` ranks times their number; a point that cannot be computed at all needs nothing: its own record
/// will state the reason.
Need need_of(const PointForecast& forecast, std::size_t point, int ranks) {
    for (const int n : {1, ranks}) {
        try {
            const Forecast f = forecast(point, n);
            const std::uint64_t bytes = saturated_sum(f.memory.host_bytes(), f.memory.device_bytes());
            return {f.seconds_per_step * static_cast<double>(f.steps) * n,
                    n == 1 ? bytes : std::numeric_limits<std::uint64_t>::max(), f.memory.checkpoint_bytes,
                    f.memory.recording.rows};
        } catch (const Error&) {
            continue;
        }
    }
    return {};
}

/// True if a point can be divided into `ranks` parts that fit into their memory.
using Fits = std::function<bool(std::size_t point, int ranks)>;

Fits fits_by(const PointForecast& forecast, const Study& study,
             const std::function<bool(const MemoryPrediction&)>& free) {
    return [=, &study](std::size_t point, int ranks) {
        try {
            const auto next = study.entry->next_ranks;
            const bool divides = next == nullptr || next(point_of(study, point).config, ranks) == ranks;
            return divides && free(forecast(point, ranks).memory);
        } catch (const Error&) {
            return false;
        }
    };
}

/// Smallest tried number of ranks on which a point fits, in steps of an eighth; 0 if there is none up to `ranks`.
int fewest_ranks(std::size_t point, int ranks, const Fits& fits) {
    for (int n = 1; n <= ranks; n += std::max(1, n / 8))
        if (fits(point, n)) return n;
    return fits(point, ranks) ? ranks : 0;
}

/// Point with the largest memory.
std::size_t largest_of(const std::vector<Need>& needs) {
    return static_cast<std::size_t>(std::ranges::max_element(needs, {}, &Need::bytes) - needs.begin());
}

/// The series of all points together, as one Recording.
Recording series_of(const std::vector<Need>& needs, const PointForecast& forecast) {
    const auto longest = std::ranges::max_element(needs, {}, &Need::rows);
    Recording all;
    if (longest->rows == 0) return all;
    try {
        all = forecast(static_cast<std::size_t>(longest - needs.begin()), 1).memory.recording;
    } catch (const Error&) {
        return all;  // the point with the longest series does not run on one rank
    }
    all.rows = 0;
    for (const Need& need : needs) all.rows = saturated_sum(all.rows, need.rows);
    return all;
}

/// Throws Error(does_not_fit) if what rank 0 keeps of all points until the end exceeds its memory.
void check_records(const StudyLayout& layout) {
    const std::uint64_t free = available_memory();
    if (free == 0) return;
    const Recording& series = layout.files.recording;
    if (series.bytes() > free)
        throw Error(ExitCode::does_not_fit, series_sentence(series, series.bytes(), free,
                                                            "of memory on rank 0, which keeps those of all points"));
    if (layout.records_bytes() > free)
        throw Error(ExitCode::does_not_fit, "The records of " + std::to_string(layout.seconds.size()) +
                                                " points take " + human_bytes(layout.records_bytes()) +
                                                " of memory on rank 0, and " + human_bytes(free) +
                                                " are free there; divide the scan into several jobs.");
}

StudyLayout layout_of(const Study& study, std::vector<Need> needs, int ranks, const PointForecast& forecast,
                      const std::function<bool(const MemoryPrediction&)>& free) {
    const Fits fits = fits_by(forecast, study, free);
    StudyLayout layout;
    layout.files.recording = series_of(needs, forecast);
    for (const Need& need : needs) layout.seconds.push_back(need.seconds);
    int size = static_cast<int>(study.config.integer("scan.ranks-per-point"));
    const bool chosen = size == 0;
    if (size > ranks)
        throw Error(ExitCode::bad_input, study.config.cite("scan.ranks-per-point") + " are more than the " +
                                             std::to_string(ranks) + " ranks of this run.");
    // a point that fits on no number of ranks, which its record will state, does not determine the groups
    while (needs[largest_of(needs)].bytes > 0 && fewest_ranks(largest_of(needs), ranks, fits) == 0)
        needs[largest_of(needs)] = {};
    layout.largest = largest_of(needs);
    if (chosen) size = std::max(1, fewest_ranks(layout.largest, ranks, fits));
    const int groups = std::max(1, std::min(ranks / size, static_cast<int>(needs.size())));
    // surplus ranks are divided among the points
    if (const int shared = ranks / groups; chosen && shared > size && fits(layout.largest, shared)) size = shared;
    layout.groups = {size, groups};
    for (const Need& need : needs)
        layout.files.checkpoint_bytes = std::max(layout.files.checkpoint_bytes, need.checkpoint);
    layout.files.checkpoint_bytes =
        saturated_product(layout.files.checkpoint_bytes, static_cast<std::uint64_t>(groups));
    return layout;
}

/// Memory of `points` points of a rank.
MemoryPrediction of_points(MemoryPrediction memory, std::size_t points) {
    for (MemoryPrediction::Item& item : memory.host) item.bytes = saturated_product(item.bytes, points);
    memory.recording.rows = saturated_product(memory.recording.rows, points);
    memory.recording.report_bytes = 0;  // one report after another
    return memory;
}

/// Points of one kind differ in keys of Together::keys alone. Half as many are computed together where the memory does
/// not suffice for more.
scan::Kinds kinds_of(const Study& study, const scan::Groups& groups, const Machine& machine) {
    const ApplicationEntry::Together& together = study.entry->together;
    scan::Kinds kinds;
    if (together.make == nullptr || groups.size != 1 || study.scan.chained) return kinds;
    std::vector<std::size_t> other_keys;
    const std::vector<ScanKey> keys = study.scan.keys();
    for (std::size_t k = 0; k < keys.size(); ++k)
        if (std::ranges::count(together.keys, keys[k].key.name) == 0) other_keys.push_back(k);
    std::map<std::string, std::uint32_t> kind_of;
    for (std::size_t p = 0; p < study.scan.points(); ++p) {
        std::string others;
        if (!other_keys.empty()) {
            const std::vector<std::string> values = study.scan.values(p);
            for (const std::size_t k : other_keys) others += values[k] + '\n';
        }
        const auto [kind, is_new] = kind_of.try_emplace(others, kinds.most.size());
        if (is_new) {
            const Study point = point_of(study, p);
            std::size_t most = machine.device_of(point, 1) == nullptr ? together.most(point.config) : 1;
            while (most > 1 && !machine.free_memory.fits(of_points(machine.forecast(point, 1).memory, most))) most /= 2;
            kinds.most.push_back(std::max<std::size_t>(1, most));
        }
        kinds.of_point.push_back(kind->second);
    }
    return kinds;
}

}  // namespace

StudyLayout lay_out(const Communicator& comm, const Study& study, const Machine& machine) {
    const PointForecast forecast = [&](std::size_t point, int ranks) {
        return machine.forecast(point_of(study, point), ranks);
    };
    const Range mine = equal_part(study.scan.points(), static_cast<std::uint64_t>(comm.size()),
                                  static_cast<std::uint64_t>(comm.rank()));
    std::vector<Need> own;
    for (std::uint64_t p = mine.first; p < mine.last; ++p) own.push_back(need_of(forecast, p, comm.size()));
    const std::vector<Need> needs = gather(comm, std::span<const Need>(own));
    StudyLayout layout;
    collectively(comm, [&] {
        if (!comm.is_root()) return;
        layout = layout_of(study, needs, comm.size(), forecast,
                           [&](const MemoryPrediction& needed) { return machine.free_memory.fits(needed); });
        check_records(layout);
        layout.kinds = kinds_of(study, layout.groups, machine);
        try {
            layout.memory = forecast(layout.largest, layout.groups.size).memory;
        } catch (const Error&) {  // the record of the point will state it, unless the user has chosen the number
            if (study.config.integer("scan.ranks-per-point") != 0) throw;
        }
    });
    broadcast(comm, layout.groups);
    return layout;
}

StudyLayout lay_out(const Study& study, RunLayout run, BackendKind backend) {
    const PointForecast forecast = [&](std::size_t point, int ranks) {
        return study.entry->forecast(point_of(study, point).config, {ranks, run.threads, run.ranks_per_node}, backend);
    };
    std::vector<Need> needs;
    for (std::size_t p = 0; p < study.scan.points(); ++p) needs.push_back(need_of(forecast, p, run.ranks));
    StudyLayout layout = layout_of(study, needs, run.ranks, forecast, [](const MemoryPrediction&) { return true; });
    layout.memory = forecast(layout.largest, layout.groups.size).memory;
    return layout;
}

std::uint64_t StudyLayout::records_bytes() const {
    return saturated_sum(saturated_product(record_bytes, seconds.size()), files.recording.bytes());
}

std::uint64_t StudyLayout::file_bytes() const {
    const Recording& series = files.recording;
    return saturated_sum(saturated_product(stored_bytes, seconds.size()),
                         saturated_sum(series.series_bytes(), saturated_product(8, series.rows)));
}

void check_scan_disk(const StudyLayout& layout, std::uint64_t free, const std::string& path) {
    const std::uint64_t needed = saturated_product(2, layout.file_bytes());  // the file is replaced
    if (free == 0 || needed <= free) return;
    throw Error(ExitCode::does_not_fit, "The file of the scan takes " + human_bytes(layout.file_bytes()) +
                                            ", twice that while it is replaced, but only " + human_bytes(free) +
                                            " are free beside " + path + "; divide the scan into several jobs.");
}

std::deque<std::uint64_t> queue_of(const StudyLayout& layout, const Study& study) {
    const auto open = [&](std::size_t p) { return study.records[p].state == PointState::open; };
    std::deque<std::uint64_t> queue;
    std::vector<double> seconds(study.records.size(), 0);
    for (std::size_t p = 0; p < seconds.size(); ++p) {
        const std::optional<std::size_t> before = study.scan.previous(p);
        if (!open(p) || (before && open(*before))) continue;
        queue.push_back(p);
        for (std::optional<std::size_t> q = p; q; q = study.scan.next(*q)) seconds[p] += layout.seconds[*q];
    }
    std::ranges::stable_sort(queue, std::greater{}, [&](std::uint64_t p) { return seconds[p]; });
    return queue;
}

int ranks_of_point(const Study& point, int ranks, const Machine& machine) {
    for (int n = ranks; n > 1; --n) {
        if (point.entry->next_ranks != nullptr && point.entry->next_ranks(point.config, n) != n) continue;
        try {
            static_cast<void>(machine.forecast(point, n));
            return n;
        } catch (const Error& error) {
            if (error.code() != ExitCode::bad_input) return n;
        }
    }
    return 1;
}

}  // namespace strata
