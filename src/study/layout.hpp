// SPDX-License-Identifier: BSD-3-Clause
// Number of ranks that compute a point of a scan together, and the order in which points are started, from the
// predicted needs of every point.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "comm/communicator.hpp"
#include "run/preflight.hpp"
#include "scan/distribution.hpp"
#include "strata/memory.hpp"
#include "study/study_source.hpp"

namespace strata {

/// Predicted needs of the points of a scan, and the groups of ranks that compute them.
struct StudyLayout {
    scan::Groups groups;
    std::vector<double> seconds;  ///< [point] predicted seconds, to an order of magnitude; 0: unknown
    std::size_t largest = 0;      ///< point with the largest memory
    MemoryPrediction memory;      ///< predicted memory of the largest rank of that point
    scan::Kinds kinds;            ///< points that a group of one rank computes together
    MemoryPrediction files;       ///< checkpoint bytes of all groups together; the series of all points

    /// Memory on rank 0, which keeps the records and the series of all points.
    std::uint64_t records_bytes() const;
    /// Size of the file of the scan.
    std::uint64_t file_bytes() const;
};

/// Throws Error(does_not_fit) if the file of the scan and its replacement exceed the free bytes of its disk; 0: unknown.
void check_scan_disk(const StudyLayout& layout, std::uint64_t free, const std::string& path);

/// Predicts the needs of all points, divided among the ranks, and chooses the groups: scan.ranks-per-point, or the
/// fewest ranks whose memory fits the largest point, and more if the points do not need all ranks. On other ranks than
/// 0 only the groups are defined. Collective; throws CollectiveError(bad_input) if scan.ranks-per-point exceeds the
/// number of ranks, or the largest point cannot be divided into so many, and CollectiveError(does_not_fit) if rank 0
/// cannot hold the records of all points.
StudyLayout lay_out(const Communicator& comm, const Study& study, const Machine& machine);

/// The same for ranks that need not exist, whose memory is assumed to be sufficient. No communication.
StudyLayout lay_out(const Study& study, RunLayout layout, BackendKind backend);

/// Number of ranks of a group of `ranks` that compute a point: all, or the largest number into which it can be divided.
/// No communication; same on all ranks of the group.
int ranks_of_point(const Study& point, int ranks, const Machine& machine);

/// Open points that can be started, longest first, so that no long point is started last. A point that starts from the
/// final state of an open point is not listed; its time is added to that of the first point of its chain.
std::deque<std::uint64_t> queue_of(const StudyLayout& layout, const Study& study);

}  // namespace strata
