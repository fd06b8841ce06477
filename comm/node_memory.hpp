// SPDX-License-Identifier: BSD-3-Clause
// Shared memory of the ranks of a node (an MPI-3 window), so that a rank reads rows of its neighbours in place instead
// of receiving copies. Each rank contributes a part; the parts lie one after another in the order of the ranks.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "comm/communicator.hpp"
#include "strata/buffer.hpp"

namespace strata {

/// Whether ranks of a node share memory. `pairs`: two and two of them, so that tests have nodes on one machine.
enum class Sharing { allowed, pairs, none };

/// The ranks that share memory with this one.
class Node {
  public:
    /// The ranks on one node, if sharing is allowed and the shared memory of every node holds `bytes` for each of its
    /// ranks; otherwise every rank is a node of its own. Collective over `comm`, which must outlive the object.
    Node(const Communicator& comm, Sharing sharing, std::uint64_t bytes);

    /// Ranks of `comm` on this node, in order.
    const std::vector<int>& ranks() const { return ranks_; }
    /// Index of this rank among them.
    int node_rank() const { return node_rank_; }
    bool alone() const { return ranks_.size() == 1; }
    /// Barrier and memory fence: what the ranks of the node wrote before it can be read by all of them after it.
    /// Collective over the node.
    void barrier() const;
    const Communicator& comm() const { return *comm_; }

  private:
    std::unique_ptr<Communicator> comm_;
    std::vector<int> ranks_;
    int node_rank_ = 0;
};

/// Doubles of this rank within the shared memory of its node; ordinary memory where a rank is a node of its own.
class NodeBuffer {
  public:
    NodeBuffer();
    /// Collective over the node.
    NodeBuffer(const Node& node, std::uint64_t own);
    explicit NodeBuffer(std::uint64_t own);
    NodeBuffer(NodeBuffer&&) noexcept;
    NodeBuffer& operator=(NodeBuffer&&) noexcept;
    ~NodeBuffer();

    /// This rank's part.
    double* own() const { return own_; }
    /// Begin of the part of the node's first rank.
    double* first() const { return first_; }

  private:
    class Window;
    std::unique_ptr<Window> window_;
    Buffer<double> buffer_;
    double *own_ = nullptr, *first_ = nullptr;
};

}  // namespace strata
