// SPDX-License-Identifier: BSD-3-Clause
// Exchange of patches: each rank asks the owners once for the contiguous pieces of a distributed vector that it reads;
// afterwards every exchange brings their present values. The vector is cut into contiguous ranges of elements, one per
// rank, and lies in shared memory on each node (node_memory.hpp). A piece that the ranks of this node hold together is
// read in place; any other one is gathered as a whole, so that a piece is always contiguous:
//
//     node memory  | rank 0: piece 0, piece 1, first half of piece 2 | rank 1: ...
//     gathered     | piece 2 (half from this node, half received) | piece 3 (received) | ...
#pragma once

#include <cstdint>
#include <list>
#include <vector>

#include "comm/exchange.hpp"
#include "comm/node_memory.hpp"
#include "strata/partition.hpp"

namespace strata {

/// Elements of one rank, and where they go in gathered memory (in elements).
struct PieceTransfer {
    int rank;
    Range elements;
    std::uint64_t to;
};
/// The owners of the elements of a piece, each with its part of it, if the piece is gathered from `to` on.
std::vector<PieceTransfer> transfers_of(const std::vector<Range>& owned, const Range& piece, std::uint64_t to);
/// Adds a transfer, or lengthens the last one if it goes on there.
void append_transfer(std::vector<PieceTransfer>& transfers, const PieceTransfer& next);
/// What the ranks of `receives` are to send, as they learn it: the ranks that ask and the elements, for each rank in the
/// order of its receives. Collective.
std::vector<std::pair<int, Range>> requested_elements(const Communicator& comm,
                                                      const std::vector<PieceTransfer>& receives);

class PatchExchange {
  public:
    /// `owned`: elements of each rank, ascending without gaps; `pieces`: what this rank reads, ascending and disjoint,
    /// own elements included; `element_bytes`: 8 or 4. `comm` and `node` must outlive the object. Collective.
    PatchExchange(const Communicator& comm, const Node& node, std::vector<Range> owned, std::vector<Range> pieces,
                  std::size_t element_bytes);
    PatchExchange(const PatchExchange&) = delete;

    /// Doubles of a node's buffer that hold the elements of this rank.
    std::uint64_t own_doubles() const;
    /// Whether a piece lies within this rank's own elements: it can be read before finish().
    bool is_own(std::size_t piece) const;
    /// Where a piece begins, for a vector in `x`.
    const void* piece(std::size_t piece, const NodeBuffer& x) const {
        const Location& location = locations_[piece];
        return (location.gathered ? gathered_.data() : reinterpret_cast<const char*>(x.first())) + location.byte;
    }
    /// Bytes that are gathered, and of these the bytes that other nodes send.
    std::uint64_t gathered_bytes() const { return gathered_.bytes(); }
    std::uint64_t received_bytes() const { return received_elements_ * element_bytes_; }

    /// Begins to exchange the pieces of the vector in `x`. Messages are planned once for every buffer.
    void start(const NodeBuffer& x);
    /// Returns when all pieces can be read. Other ranks read `x` in place: it must not change before a collective call
    /// that follows their last use. Collective.
    void finish(const NodeBuffer& x);

  private:
    /// Where a piece begins, in the gathered memory or in that of the node.
    struct Location {
        bool gathered;
        std::uint64_t byte;
    };
    /// The messages of one vector in memory.
    struct Planned {
        Planned(const Communicator& comm, const double* of) : own(of), exchange(comm) {}
        const double* own;
        Exchange<Cpu> exchange;
    };
    std::uint64_t doubles(const Range& elements) const;
    bool on_node(int rank) const;
    Location locate(const Range& piece) const;
    void gather(const Range& piece, std::uint64_t to);
    std::uint64_t byte_in_node(int rank, std::uint64_t element) const;

    const Communicator& comm_;
    const Node& node_;
    const std::vector<Range> owned_, pieces_;
    const std::size_t element_bytes_;
    std::vector<std::uint64_t> node_bytes_;         ///< [rank] offset of its elements in the memory of this node
    std::vector<Location> locations_;               ///< [piece]
    std::vector<PieceTransfer> receives_, copies_;  ///< from other nodes, from this one
    std::vector<std::pair<int, Range>> sends_;
    std::uint64_t gathered_elements_ = 0, received_elements_ = 0;
    Buffer<char> gathered_;
    std::list<Planned> planned_;
    Exchange<Cpu>* under_way_ = nullptr;
};

}  // namespace strata
