// SPDX-License-Identifier: BSD-3-Clause
// Shared memory of the ranks of a node (an MPI-3 window), so that a rank reads the data of other ranks in place instead
// of receiving copies. Each rank contributes a part; the parts are contiguous in the order of the ranks.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "comm/communicator.hpp"
#include "strata/buffer.hpp"

namespace strata {

/// Whether ranks of a node share memory. `pairs`: ranks 2i and 2i + 1 of a node form a node of their own, so that tests
/// have several nodes on one machine.
enum class Sharing { allowed, pairs, none };

/// The ranks that share memory with this rank.
class Node {
  public:
    /// `bytes`: shared memory that this rank will allocate. If sharing is not allowed, or the free shared memory of any
    /// node is too small for all its ranks, every rank becomes a node of its own. Collective over `comm`.
    Node(const Communicator& comm, Sharing sharing, std::uint64_t bytes);

    /// Ranks of `comm` on this node, in order.
    const std::vector<int>& ranks() const { return ranks_; }
    /// Index of this rank in ranks().
    int node_rank() const { return node_rank_; }
    bool alone() const { return ranks_.size() == 1; }
    /// Barrier and memory fence: data written by the ranks of the node before the call can be read by all of them after
    /// it. Collective over the node.
    void barrier() const;
    const Communicator& comm() const { return *comm_; }

  private:
    std::unique_ptr<Communicator> comm_;
    std::vector<int> ranks_;
    int node_rank_ = 0;
};

/// An array of doubles of this rank within the shared memory of its node; ordinary memory where a rank is a node of its
/// own.
class NodeBuffer {
  public:
    NodeBuffer();
    /// Collective over the node.
    /// `own`: number of doubles of this rank.
    NodeBuffer(const Node& node, std::uint64_t own);
    /// Ordinary memory of this rank alone.
    explicit NodeBuffer(std::uint64_t own);
    NodeBuffer(NodeBuffer&&) noexcept;
    NodeBuffer& operator=(NodeBuffer&&) noexcept;
    ~NodeBuffer();

    /// First double of this rank.
    double* own() const { return own_; }
    /// First double of the node's first rank.
    double* first() const { return first_; }

  private:
    class Window;
    std::unique_ptr<Window> window_;
    Buffer<double> buffer_;
    double *own_ = nullptr, *first_ = nullptr;
};

}  // namespace strata
