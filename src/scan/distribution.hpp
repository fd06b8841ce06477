// SPDX-License-Identifier: BSD-3-Clause
// Assignment of points to groups of ranks. Ranks are divided into groups of equal size; rank 0, the root of group 0,
// holds the queue of points. The root of a group sends the records of its last points to rank 0 and receives the numbers
// of the next ones: one, or several that the group computes together. Rank 0 polls these messages between two steps of
// its own points, so that no rank only coordinates.
//
//   group root                        rank 0
//     report(points, records)  ----->   stores the records; next point: the one that starts from the final state
//     <-----  order(points) or order(end)   of the reported point, else the first of the queue, else the end
//     <-----  order(stop)              while the group computes: the group stops its points with checkpoints
//
// No result depends on the assignment.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/mailbox.hpp"
#include "strata/study.hpp"

namespace strata::scan {

/// Groups of `size` consecutive ranks; the remaining ranks belong to no group.
struct Groups {
    int size = 1, count = 1;

    int of(int rank) const { return rank / size; }  ///< `count` or more: the rank belongs to no group
    int root(int group) const { return group * size; }
};

/// The outcome of a point on a group: finished, failed, or stopped, which leaves the point open.
struct PointOutcome {
    std::uint64_t point = 0;
    PointRecord record;
};

/// The source of points for the root of a group.
class PointSource {
  public:
    virtual ~PointSource() = default;
    /// Reports the previous points, if there were any; returns the next ones, which are computed together, none at the end.
    virtual std::vector<std::uint64_t> next(std::vector<PointOutcome> before) = 0;
    /// Called after every step of the points; true: stop with checkpoints.
    virtual bool stop_requested() = 0;
};

/// The point that starts from the final state of `point` and is therefore computed next by the same group; nothing if
/// there is none.
using Successor = std::function<std::optional<std::uint64_t>(std::uint64_t point)>;

/// Points that a group may compute together: those of one kind, at most `most[kind]`. Points of kind 0 are alone.
struct Kinds {
    std::vector<std::uint32_t> of_point;  ///< [point]; empty: all are alone
    std::vector<std::size_t> most = {1};  ///< [kind]
    std::uint32_t of(std::uint64_t point) const { return of_point.empty() ? 0 : of_point[point]; }
};

/// The source of points of rank 0, which also serves all other groups.
class Coordinator : public PointSource {
  public:
    /// Points are assigned in the order of `queue`, each followed by its successors; every outcome is passed to `take`.
    Coordinator(const Communicator& world, Groups groups, std::deque<std::uint64_t> queue, Kinds kinds,
                Successor successor, std::function<void(PointOutcome)> take);

    std::vector<std::uint64_t> next(std::vector<PointOutcome> before) override;
    bool stop_requested() override;
    /// Assigns no further points and orders the computing groups to stop.
    void stop();
    /// Serves the other groups until all have received the end; `idle` is called between two polls.
    void drain(const std::function<void()>& idle);
    /// Number of points that groups compute.
    std::size_t under_way() const;

  private:
    /// Answers all reports that have arrived.
    void attend();
    /// Takes the outcomes of a group and returns its next points.
    std::vector<std::uint64_t> exchange(std::vector<PointOutcome> before);
    /// The first points of the queue that are computed together; no more than the share of a group.
    std::vector<std::uint64_t> first_of_queue();

    Groups groups_;
    std::deque<std::uint64_t> queue_;
    Kinds kinds_;
    Successor successor_;
    std::function<void(PointOutcome)> take_;
    Mailbox reports_, orders_;
    std::vector<std::size_t> computing_;  ///< [group] points that it computes
    int ended_ = 1;                       ///< groups that have received the end; group 0 needs no message
    bool stopping_ = false;
    double next_look_ = 0;
};

/// The source of points on the roots of all other groups.
class RemoteSource : public PointSource {
  public:
    explicit RemoteSource(const Communicator& world);
    std::vector<std::uint64_t> next(std::vector<PointOutcome> before) override;
    bool stop_requested() override;

  private:
    Mailbox reports_, orders_;
    double next_look_ = 0;
};

/// Outcomes as bytes and back; the bits of all numbers are kept. pack() changes nothing.
std::vector<std::byte> pack(std::vector<PointOutcome>& finished);
std::vector<PointOutcome> unpack(const std::vector<std::byte>& bytes);

}  // namespace strata::scan
