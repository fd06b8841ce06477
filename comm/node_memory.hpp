// SPDX-License-Identifier: BSD-3-Clause
// Memory that all ranks of a node see, so that what they need of each other is read in place and never copied. Each
// rank brings its own part; the parts lie one after another in the order of the ranks.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "comm/communicator.hpp"
#include "strata/buffer.hpp"

namespace strata {

enum class Sharing { allowed, none };

/// The ranks that share memory with this one.
class Node {
  public:
    /// Ranks on one node, if its shared memory has room for `bytes` from each of them; else, and on every node then, or
    /// if sharing is not allowed, each rank by itself. Collective over `comm`, which must outlive it.
    Node(const Communicator& comm, Sharing sharing, std::uint64_t bytes);

    /// Ranks of `comm` on this node, in order.
    const std::vector<int>& ranks() const { return ranks_; }
    int node_rank() const { return node_rank_; }  ///< of this rank among them
    bool alone() const { return ranks_.size() == 1; }
    /// All of them have written what others will read, or read what will be overwritten. Collective over the node.
    void barrier() const;
    const Communicator& comm() const { return *comm_; }

  private:
    std::unique_ptr<Communicator> comm_;
    std::vector<int> ranks_;
    int node_rank_ = 0;
};

/// Doubles of this rank within the memory of its node; plain memory for a rank by itself.
class NodeBuffer {
  public:
    NodeBuffer() = default;
    /// Collective over the node.
    NodeBuffer(const Node& node, std::uint64_t own);
    explicit NodeBuffer(std::uint64_t own);
    NodeBuffer(NodeBuffer&&) noexcept;
    NodeBuffer& operator=(NodeBuffer&&) noexcept;
    ~NodeBuffer();

    double* own() const { return own_; }
    /// Where the part of the node's first rank begins.
    double* first() const { return first_; }

  private:
    class Window;
    std::unique_ptr<Window> window_;
    Buffer<double> buffer_;
    double *own_ = nullptr, *first_ = nullptr;
};

}  // namespace strata
