// SPDX-License-Identifier: BSD-3-Clause
// Exchange of patches: each rank requests from the owners, once, the contiguous pieces of a distributed vector that it
// reads; afterwards every exchange delivers their present values. The vector is distributed in contiguous ranges of
// elements, one per rank, and is stored in shared memory on each node (node_memory.hpp). A piece whose elements are
// contiguous in the memory of this node is read in place; any other one is gathered as a whole, so that a piece is
// always contiguous:
//
//     node memory  | rank 0: piece 0, piece 1, first half of piece 2 | rank 1: ...
//     gathered     | piece 2 (half from this node, half received) | piece 3 (received) | ...
#pragma once

#include <cstdint>
#include <vector>

#include "comm/exchange.hpp"
#include "comm/node_memory.hpp"
#include "strata/partition.hpp"

namespace strata {

/// Elements of one rank that are copied to gathered memory.
struct PieceTransfer {
    int rank;
    Range elements;
    /// Index of the first element's copy in gathered memory.
    std::uint64_t to;
};
/// The transfers that gather `piece` at index `to`, one for each owner of elements of it. `owned`: [rank] its elements.
std::vector<PieceTransfer> transfers_of(const std::vector<Range>& owned, const Range& piece, std::uint64_t to);
/// Appends a transfer, or extends the last one if `next` continues it on both sides.
void append_transfer(std::vector<PieceTransfer>& transfers, const PieceTransfer& next);
/// Messages that bring `receives` to the gathered memory of every rank. Items are elements; those that this rank sends
/// are counted from `own_first`, by ascending rank and, for each, in the order of that rank's `receives`. Collective.
ItemMessages messages_of(const Communicator& comm, const std::vector<PieceTransfer>& receives, std::uint64_t own_first);

class PatchExchange {
  public:
    /// `owned`: elements of each rank, ascending without gaps; `pieces`: elements that this rank reads, ascending and
    /// disjoint, own elements included; `element_bytes`: 8 or 4. `comm` and `node` must outlive the object. Collective.
    PatchExchange(const Communicator& comm, const Node& node, std::vector<Range> owned, std::vector<Range> pieces,
                  std::size_t element_bytes);
    PatchExchange(const PatchExchange&) = delete;

    /// Number of doubles in a node's buffer that this rank's elements occupy.
    std::uint64_t own_doubles() const;
    /// True if all elements of a piece are this rank's own: it can be read before finish().
    bool is_own(std::size_t piece) const;
    /// First element of a piece of the vector in `x`.
    const void* piece(std::size_t piece, const NodeBuffer& x) const {
        const Location& location = locations_[piece];
        return (location.gathered ? gathered_.data() : reinterpret_cast<const char*>(x.first())) + location.byte;
    }
    /// Bytes of gathered memory, and the bytes of it that are received from other nodes.
    std::uint64_t gathered_bytes() const { return gathered_.bytes(); }
    std::uint64_t received_bytes() const { return received_elements_ * element_bytes_; }

    /// Starts the exchange of the pieces of the vector in `x`. Messages are planned once for every buffer. Collective.
    void start(const NodeBuffer& x);
    /// Returns when all pieces can be read. Other ranks read `x` in place: it must not change before a collective call
    /// that follows their last use. Collective.
    void finish(const NodeBuffer& x);

  private:
    /// First byte of a piece, in the gathered memory or in the memory of the node.
    struct Location {
        bool gathered;
        std::uint64_t byte;
    };
    std::uint64_t doubles(const Range& elements) const;
    bool on_node(int rank) const;
    Location locate(const Range& piece) const;
    void gather(const Range& piece, std::uint64_t to, std::vector<PieceTransfer>& receives);
    std::uint64_t byte_in_node(int rank, std::uint64_t element) const;

    const Communicator& comm_;
    const Node& node_;
    const std::vector<Range> owned_, pieces_;
    const std::size_t element_bytes_;
    /// [rank] offset of its elements in the memory of this node, in bytes.
    std::vector<std::uint64_t> node_bytes_;
    std::vector<Location> locations_;    ///< [piece]
    std::vector<PieceTransfer> copies_;  ///< within this node
    ItemMessages messages_;              ///< with other nodes
    std::uint64_t gathered_elements_ = 0, received_elements_ = 0;
    Buffer<char> gathered_;
    PlannedExchanges exchanges_;  ///< by the address of the vector
};

}  // namespace strata
