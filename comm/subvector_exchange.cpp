// SPDX-License-Identifier: BSD-3-Clause
// All messages of every group are planned once. Own tiles are packed panel by panel, so that one message per pair of
// ranks contains a whole group; tiles that stay on their rank are packed too, but not sent.
#include "comm/subvector_exchange.hpp"

#include <algorithm>

#include "comm/tags.hpp"

namespace strata {
namespace {

constexpr std::uint64_t max_groups = 8;

}  // namespace

SubvectorExchange::SubvectorExchange(const Communicator& comm, std::vector<Range> blocks, std::uint64_t panels,
                                     std::uint64_t tile)
    : comm_(comm),
      blocks_(std::move(blocks)),
      panels_(panels),
      tile_(tile),
      groups_(group_count(panels, static_cast<std::uint64_t>(comm.size()))) {
    allocate();
    for (std::uint64_t g = 0; g < groups_; ++g) plan_group(g);
}

std::uint64_t SubvectorExchange::group_count(std::uint64_t panels, std::uint64_t ranks) {
    return std::clamp<std::uint64_t>(panels / ranks, 1, max_groups);
}

Range SubvectorExchange::panels(std::uint64_t group, int rank) const {
    const Range all = equal_part(panels_, groups_, group);
    const Range part =
        equal_part(all.size(), static_cast<std::uint64_t>(comm_.size()), static_cast<std::uint64_t>(rank));
    return {all.first + part.first, all.first + part.last};
}

/// Own tiles of the panels that `rank` computes on, within Buffers::own.
SubvectorExchange::Share SubvectorExchange::own_share(std::uint64_t group, int rank) const {
    const std::uint64_t first = equal_part(panels_, groups_, group).first, per_panel = own().size() * tile_;
    const Range p = panels(group, rank);
    return {(p.first - first) * per_panel, p.size() * per_panel};
}

/// Tiles of the blocks of `rank` that this rank computes on, within Buffers::received and Buffers::results.
SubvectorExchange::Share SubvectorExchange::received_share(std::uint64_t group, int rank) const {
    const std::uint64_t per_block = panels(group, comm_.rank()).size() * tile_;
    const Range& b = blocks_[static_cast<std::size_t>(rank)];
    return {(b.first - blocks_.front().first) * per_block, b.size() * per_block};
}

/// Allocates buffers for the largest group.
void SubvectorExchange::allocate() {
    const int last = comm_.size() - 1;
    const auto end = [](const Share& share) { return share.first + share.size; };
    std::uint64_t max_own = 0, max_received = 0;
    for (std::uint64_t g = 0; g < groups_; ++g) {
        max_own = std::max(max_own, end(own_share(g, last)));
        max_received = std::max(max_received, end(received_share(g, last)));
    }
    for (Buffers& b : buffers_) {
        b.own = Buffer<double>(max_own);
        b.received = Buffer<double>(max_received);
        b.results = Buffer<double>(max_received);
        b.gathered.resize(blocks_.size());
        b.answer.resize(blocks_.size());
    }
}

void SubvectorExchange::plan_group(std::uint64_t group) {
    Buffers& b = buffers(group);
    Exchange<Cpu>& gather = *gathers_.emplace_back(std::make_unique<Exchange<Cpu>>(comm_));
    Exchange<Cpu>& back = *returns_.emplace_back(std::make_unique<Exchange<Cpu>>(comm_));
    for (int r = 0; r < comm_.size(); ++r) {
        if (r == comm_.rank()) continue;
        const Share sent = own_share(group, r), received = received_share(group, r);
        gather.plan_send(r, tag::panels, b.own.data() + sent.first, sent.size * sizeof(double));
        gather.plan_receive(r, tag::panels, b.received.data() + received.first, received.size * sizeof(double));
        back.plan_send(r, tag::panels_back, b.results.data() + received.first, received.size * sizeof(double));
        back.plan_receive(r, tag::panels_back, b.own.data() + sent.first, sent.size * sizeof(double));
    }
}

void SubvectorExchange::start_gather(std::uint64_t group, const double* vector) {
    Buffers& b = buffers(group);
    const std::uint64_t own_blocks = own().size();
    for (int r = 0; r < comm_.size(); ++r) {
        const Range p = panels(group, r);
        double* out = b.own.data() + own_share(group, r).first;
#pragma omp parallel for collapse(2) schedule(static)
        for (std::uint64_t panel = p.first; panel < p.last; ++panel)
            for (std::uint64_t block = 0; block < own_blocks; ++block)
                std::copy_n(vector + (block * panels_ + panel) * tile_, tile_,
                            out + ((panel - p.first) * own_blocks + block) * tile_);
        const std::uint64_t first = received_share(group, r).first;
        b.gathered[static_cast<std::size_t>(r)] = r == comm_.rank() ? out : b.received.data() + first;
        b.answer[static_cast<std::size_t>(r)] = b.results.data() + first;
    }
    gathers_[group]->start();
}

void SubvectorExchange::finish_gather(std::uint64_t group) { gathers_[group]->finish(); }
void SubvectorExchange::start_return(std::uint64_t group) { returns_[group]->start(); }
void SubvectorExchange::finish_return(std::uint64_t group) { returns_[group]->finish(); }

const double* SubvectorExchange::returned(std::uint64_t group, int rank) const {
    if (rank == comm_.rank()) return buffers(group).answer[static_cast<std::size_t>(rank)];
    return buffers(group).own.data() + own_share(group, rank).first;
}

}  // namespace strata
