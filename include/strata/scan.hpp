// SPDX-License-Identifier: BSD-3-Clause
// Scans: many points in one job, the keys that take several values, and the results of every point. Points are numbered
// from 0; the last axis varies fastest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "strata/config.hpp"
#include "strata/record.hpp"
#include "strata/report.hpp"

namespace strata {

/// A key that takes several values in one job.
struct ScanKey {
    Key key;
    std::string origin;  ///< "command line" or "FILE:LINE"
};

/// Keys that vary together: `values[i][k]` is the text of key k at position i.
struct ScanAxis {
    std::vector<ScanKey> keys;
    std::vector<std::vector<std::string>> values;
};

/// The points of a job: all combinations of the positions on the axes.
struct Scan {
    std::vector<ScanAxis> axes;         ///< the last one varies fastest
    std::vector<std::string> averaged;  ///< names of keys over which results are averaged
    /// The seed key if every point has its own seed, first_seed plus the number of the point; else empty.
    std::vector<ScanKey> seed;
    std::int64_t first_seed = 0;
    /// Axis along which every point starts from the final state of its predecessor; none: all points start alike.
    std::optional<std::size_t> chained;

    bool empty() const { return axes.empty(); }
    std::size_t points() const;
    /// All scanned keys: those of the axes in order, then the seed key.
    std::vector<ScanKey> keys() const;
    /// Values of all keys() at a point, as texts.
    std::vector<std::string> values(std::size_t point) const;
    /// Keys and values of a point, e.g. "model.u = 4, run.seed = 2".
    std::string label(std::size_t point) const;
    /// Position of a point along the chained axis, from 0; 0 if there is no chained axis.
    std::size_t place_in_chain(std::size_t point) const;
    /// The point from whose final state this one starts.
    std::optional<std::size_t> previous(std::size_t point) const;
    /// The point that starts from this one's final state.
    std::optional<std::size_t> next(std::size_t point) const;

  private:
    /// Difference of the point numbers of neighbours along an axis.
    std::size_t stride(std::size_t axis) const;
};

enum class PointState : std::uint8_t {
    open,         ///< not started, or not finished
    finished,     ///< all steps done
    unconverged,  ///< all steps done, but a requirement not met, which `sentence` names
    failed        ///< no result, for the reason in `sentence`
};

/// State of the point that a job without [scan] is.
PointState state_of(const Report& report);

/// Result of one point.
struct PointRecord {
    PointState state = PointState::open;
    int exit_code = 0;     ///< exit code of a job of this point alone
    std::string sentence;  ///< unmet requirement, or the reason why there is no result
    std::string remark;
    std::string backend;
    std::string state_hash;
    std::uint64_t steps = 0;
    double seconds = 0;  ///< wall time in steps
    std::vector<Quantity> quantities;
    std::vector<PhaseTime> timers;
    std::vector<Figure> performance;
    Series series;
};

/// All reported data of a scan. Complete on rank 0.
struct ScanReport {
    std::string version;
    std::string job;          ///< canonical text of the Config of point 0
    std::string points_text;  ///< text of `scan`, as stored in the file
    std::string job_text;     ///< the job file as it was read
    Config config;            ///< resolved keys of point 0
    Scan scan;
    int ranks = 1, threads = 1, ranks_per_point = 1;
    double seconds = 0;     ///< wall time of all runs of the scan
    bool complete = false;  ///< true if no point is open
    std::vector<PointRecord> points;
    std::vector<Fact> provenance;

    /// Number of points that are no longer open.
    std::size_t done() const;
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
    /// Means by group; `error` follows from the scatter of the replicas (standard_error.hpp), or of the means over those that
    /// share a seed; NaN for fewer than four of either, and where a replica knows no error of its own and says
    /// why. Means are NaN where a replica with results has no value.
    std::vector<ScanQuantity> quantities;
};

/// Averages over replicas; without groups if no key is averaged.
ScanAverages average_replicas(const Scan& scan, const std::vector<PointRecord>& points);

}  // namespace strata
