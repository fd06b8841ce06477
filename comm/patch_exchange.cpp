// SPDX-License-Identifier: BSD-3-Clause
// Elements are sent from the vector of their owner directly to the gathered memory of the reader. Elements that are
// adjacent on both sides are sent in one message.
#include "comm/patch_exchange.hpp"

#include <algorithm>
#include <cstring>

#include "comm/collectives.hpp"
#include "comm/tags.hpp"

namespace strata {

std::vector<PieceTransfer> transfers_of(const std::vector<Range>& owned, const Range& piece, std::uint64_t to) {
    std::vector<PieceTransfer> transfers;
    for (std::size_t r = 0; r < owned.size(); ++r) {
        const Range part = {std::max(piece.first, owned[r].first), std::min(piece.last, owned[r].last)};
        if (part.first < part.last) transfers.push_back({static_cast<int>(r), part, to + part.first - piece.first});
    }
    return transfers;
}

void append_transfer(std::vector<PieceTransfer>& transfers, const PieceTransfer& next) {
    const bool continues = !transfers.empty() && transfers.back().rank == next.rank &&
                           transfers.back().elements.last == next.elements.first &&
                           transfers.back().to + transfers.back().elements.size() == next.to;
    if (continues)
        transfers.back().elements.last = next.elements.last;
    else
        transfers.push_back(next);
}

ItemMessages messages_of(const Communicator& comm, const std::vector<PieceTransfer>& receives,
                         std::uint64_t own_first) {
    ItemMessages messages;
    std::vector<std::vector<Range>> asked(static_cast<std::size_t>(comm.size()));
    for (const PieceTransfer& t : receives) {
        asked[static_cast<std::size_t>(t.rank)].push_back(t.elements);
        messages.receives.push_back({t.rank, t.to, t.elements.size()});
    }
    const std::vector<std::vector<Range>> requested = all_to_all(comm, asked);
    for (std::size_t r = 0; r < requested.size(); ++r)
        for (const Range& elements : requested[r])
            messages.sends.push_back({static_cast<int>(r), elements.first - own_first, elements.size()});
    return messages;
}

PatchExchange::PatchExchange(const Communicator& comm, const Node& node, std::vector<Range> owned,
                             std::vector<Range> pieces, std::size_t element_bytes)
    : comm_(comm),
      node_(node),
      owned_(std::move(owned)),
      pieces_(std::move(pieces)),
      element_bytes_(element_bytes),
      node_bytes_(owned_.size()),
      exchanges_(comm) {
    std::uint64_t bytes = 0;
    for (int rank : node_.ranks()) {
        node_bytes_[static_cast<std::size_t>(rank)] = bytes;
        bytes += doubles(owned_[static_cast<std::size_t>(rank)]) * sizeof(double);
    }
    std::vector<PieceTransfer> receives;
    for (const Range& piece : pieces_) {
        locations_.push_back(locate(piece));
        if (!locations_.back().gathered) continue;
        gather(piece, gathered_elements_, receives);
        gathered_elements_ += piece.size();
    }
    messages_ = messages_of(comm_, receives, owned_[static_cast<std::size_t>(comm_.rank())].first);
    gathered_ = Buffer<char>(gathered_elements_ * element_bytes_);
}

std::uint64_t PatchExchange::doubles(const Range& elements) const {
    return (elements.size() * element_bytes_ + sizeof(double) - 1) / sizeof(double);
}

std::uint64_t PatchExchange::own_doubles() const { return doubles(owned_[static_cast<std::size_t>(comm_.rank())]); }

bool PatchExchange::on_node(int rank) const { return std::ranges::binary_search(node_.ranks(), rank); }

bool PatchExchange::is_own(std::size_t piece) const {
    const Range& own = owned_[static_cast<std::size_t>(comm_.rank())];
    return pieces_[piece].first >= own.first && pieces_[piece].last <= own.last;
}

/// A piece is read in place where all owners are on this node and their elements are contiguous in its memory.
PatchExchange::Location PatchExchange::locate(const Range& piece) const {
    const Location gathered = {true, gathered_elements_ * element_bytes_};
    Location location = gathered;
    std::uint64_t next = 0;  // byte at which the next owner must begin
    for (std::size_t r = 0; r < owned_.size(); ++r) {
        const Range part = {std::max(piece.first, owned_[r].first), std::min(piece.last, owned_[r].last)};
        if (part.first >= part.last) continue;
        const auto rank = static_cast<int>(r);
        if (!on_node(rank) || (!location.gathered && byte_in_node(rank, part.first) != next)) return gathered;
        if (location.gathered) location = {false, byte_in_node(rank, part.first)};
        next = byte_in_node(rank, part.last);
    }
    return location;
}

/// Plans the transfers of a piece from all its owners to the gathered memory: copies on this node, and `receives`.
void PatchExchange::gather(const Range& piece, std::uint64_t to, std::vector<PieceTransfer>& receives) {
    for (const PieceTransfer& part : transfers_of(owned_, piece, to)) {
        append_transfer(on_node(part.rank) ? copies_ : receives, part);
        if (!on_node(part.rank)) received_elements_ += part.elements.size();
    }
}

std::uint64_t PatchExchange::byte_in_node(int rank, std::uint64_t element) const {
    const auto r = static_cast<std::size_t>(rank);
    return node_bytes_[r] + (element - owned_[r].first) * element_bytes_;
}

void PatchExchange::start(const NodeBuffer& x) {
    exchanges_.start(x.own(), [&](Exchange<Cpu>& exchange) {
        messages_.plan(exchange, tag::patches, x.own(), gathered_.data(), element_bytes_);
    });
}

void PatchExchange::finish(const NodeBuffer& x) {
    exchanges_.finish();
    node_.barrier();
    const auto* node = reinterpret_cast<const char*>(x.first());
    for (const PieceTransfer& t : copies_)
        // copied after the barrier, when the owners on this node have written their elements
        std::memcpy(gathered_.data() + t.to * element_bytes_, node + byte_in_node(t.rank, t.elements.first),
                    t.elements.size() * element_bytes_);
}

}  // namespace strata
