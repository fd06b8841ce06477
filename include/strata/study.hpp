// SPDX-License-Identifier: BSD-3-Clause
// A study: one job with its one or many points and the records of what was computed, for the screen, the file and JSON.
// A job without [scan] is a study of one point on one group of all ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "strata/config.hpp"
#include "strata/record.hpp"
#include "strata/scan.hpp"

namespace strata {

struct ApplicationEntry;

/// Wall seconds of one phase over the ranks.
struct PhaseTime {
    std::string name;
    double seconds = 0;       ///< mean over ranks
    double seconds_most = 0;  ///< seconds of the slowest rank
    std::uint64_t calls = 0;
};

/// A fact about the build or the machine, e.g. {"compiler", "GNU 12.2.0"}.
struct Fact {
    std::string name;
    std::string value;
};

enum class PointState : std::uint8_t {
    open,         ///< not started, or not finished
    finished,     ///< all steps done
    unconverged,  ///< all steps done, but a requirement not met, which `sentence` names
    failed        ///< no result, for the reason in `sentence`
};

/// Result of one point. Complete on the root of the ranks that compute it.
struct PointRecord {
    PointState state = PointState::open;
    std::optional<int> exit_code;  ///< of a job of this point alone; none: open, or a result of layout version 2
    std::string sentence;          ///< unmet requirement, or the reason why there is no result
    std::string remark;            ///< remark on the quantities for the reader; may be empty
    std::string backend;           ///< e.g. "cpu avx512"
    std::string state_hash;        ///< 16 hexadecimal digits
    std::uint64_t steps = 0;       ///< steps done, over all parts of the run
    std::uint64_t total_steps = 0;
    double seconds = 0;  ///< wall time in steps, over all parts of the run
    std::vector<Quantity> quantities;
    std::vector<PhaseTime> timers;
    std::vector<Figure> performance;
    Series series;
    std::uint64_t rows_left_out = 0;  ///< rows at the start of the series that the quantities do not include
};

/// Sets the verdict on a point that has done all its steps: `shortfall` is the requirement that it does not meet; empty
/// if it meets all.
void conclude(PointRecord& record, const std::string& shortfall);

/// Records, provenance and time are complete on rank 0.
struct Study {
    const ApplicationEntry* entry = nullptr;  ///< null in a result that was not read to be resumed
    Config config;                            ///< resolved keys of point 0
    std::string text;                         ///< content of the job file
    Scan scan;                                ///< keys that vary; none: one point
    std::vector<PointRecord> records;         ///< [point]
    std::string version;                      ///< version of the program that computed the records
    std::vector<Fact> provenance;             ///< version, commit, compiler, packages, hosts, start and end in UTC
    int ranks = 1, threads = 1, ranks_per_point = 1;
    double seconds = 0;  ///< wall time of all runs of a scan
    /// Canonical text of `config` and text of `scan`, from which the file of a scan is resolved again; empty without
    /// [scan].
    std::string first_point, points_text;

    /// Number of points that are no longer open.
    std::size_t done() const;
    bool complete() const { return done() == records.size(); }
    /// Exit code of the first point without a good result, else 0.
    int exit_code() const;
};

/// A quantity at all points: `value` has `width` numbers per point, NaN where a point has none; `error`, `tau` and
/// `reference` have the same length or are empty.
struct ScanQuantity {
    Quantity over_points;
    std::size_t width = 1;
};

/// All quantities of the records, in the order of first appearance.
std::vector<ScanQuantity> merged_quantities(const std::vector<PointRecord>& points);

/// Means over replicas, which are points that differ only in averaged keys or seeds.
struct ScanAverages {
    std::vector<std::size_t> first_point;  ///< first point of each group of replicas
    std::vector<double> replicas;          ///< number of replicas with results in each group
    /// Means by group; `error` follows from the scatter of the replicas (standard_error.hpp), or of the means over
    /// those that share a seed; NaN for fewer than four of either, and where a replica knows no error of its own and
    /// says why. Means are NaN where a replica with results has no value.
    std::vector<ScanQuantity> quantities;
};

/// Averages over replicas; without groups if no key is averaged.
ScanAverages average_replicas(const Scan& scan, const std::vector<PointRecord>& points);

/// Means over replicas of every row of their series, such as those at equal times or frequencies. Groups whose replicas
/// have other rows, or columns without coordinates, as those of Monte Carlo sweeps, have none.
struct SeriesAverages {
    std::vector<Column> columns;
    std::vector<std::int64_t> group;               ///< [row] number of its group
    std::vector<std::vector<double>> mean, error;  ///< [column][row]; errors as in ScanAverages
};
SeriesAverages average_series(const Scan& scan, const std::vector<PointRecord>& points);

}  // namespace strata
