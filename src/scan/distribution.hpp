// SPDX-License-Identifier: BSD-3-Clause
// Assignment of points to groups of ranks. Ranks are divided into groups of equal size; rank 0, the root of group 0,
// holds the queue of points. The root of a group sends the record of its last point to rank 0 and receives the number
// of the next one. Rank 0 polls these messages between two steps of its own point, so that no rank only coordinates.
//
//   group root                        rank 0
//     report(point, record)  ----->     stores the record; next point: the one that starts from the final state
//     <-----  order(point) or order(end)    of the reported point, else the first of the queue, else the end
//     <-----  order(stop)              while the group computes: the group stops its point with a checkpoint
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
    /// Reports the previous point, if there was one; returns the next point, or nothing at the end.
    virtual std::optional<std::uint64_t> next(std::optional<PointOutcome> before) = 0;
    /// Called after every step of a point; true: stop with a checkpoint.
    virtual bool stop_requested() = 0;
};

/// The point that starts from the final state of `point` and is therefore computed next by the same group; nothing if
/// there is none.
using Successor = std::function<std::optional<std::uint64_t>(std::uint64_t point)>;

/// The source of points of rank 0, which also serves all other groups.
class Coordinator : public PointSource {
  public:
    /// Points are assigned in the order of `queue`, each followed by its successors; every outcome is passed to `take`.
    Coordinator(const Communicator& world, Groups groups, std::deque<std::uint64_t> queue, Successor successor,
                std::function<void(PointOutcome)> take);

    std::optional<std::uint64_t> next(std::optional<PointOutcome> before) override;
    bool stop_requested() override;
    /// Assigns no further points and orders the computing groups to stop.
    void stop();
    /// Serves the other groups until all have received the end; `idle` is called between two polls.
    void drain(const std::function<void()>& idle);
    /// Number of groups that compute a point.
    std::size_t under_way() const;

  private:
    /// Answers all reports that have arrived.
    void attend();
    /// Takes the outcome of a group, if there is one, and returns its next point.
    std::optional<std::uint64_t> exchange(std::optional<PointOutcome> before);

    Groups groups_;
    std::deque<std::uint64_t> queue_;
    Successor successor_;
    std::function<void(PointOutcome)> take_;
    Mailbox reports_, orders_;
    std::vector<char> computing_;  ///< [group] 1 while it computes a point
    int ended_ = 1;                ///< groups that have received the end; group 0 needs no message
    bool stopping_ = false;
    double next_look_ = 0;
};

/// The source of points on the roots of all other groups.
class RemoteSource : public PointSource {
  public:
    explicit RemoteSource(const Communicator& world);
    std::optional<std::uint64_t> next(std::optional<PointOutcome> before) override;
    bool stop_requested() override;

  private:
    Mailbox reports_, orders_;
    double next_look_ = 0;
};

/// An outcome as bytes and back; the bits of all numbers are kept.
std::vector<std::byte> pack(const PointOutcome& finished);
PointOutcome unpack(const std::vector<std::byte>& bytes);

}  // namespace strata::scan
