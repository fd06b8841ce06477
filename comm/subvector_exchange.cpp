// SPDX-License-Identifier: BSD-3-Clause
#include "comm/subvector_exchange.hpp"

#include <algorithm>

namespace strata {
namespace {

constexpr std::uint64_t max_groups = 8;

}  // namespace

SubvectorExchange::SubvectorExchange(const Communicator& comm, std::vector<Range> blocks, std::uint64_t panels,
                                     std::uint64_t tile)
    : comm_(comm), blocks_(std::move(blocks)), panels_(panels), tile_(tile) {
    const auto ranks = static_cast<std::uint64_t>(comm.size());
    groups_ = group_count(panels, ranks);
    std::uint64_t max_own = 0, max_worked = 0;
    for (std::uint64_t g = 0; g < groups_; ++g) {
        std::uint64_t mine = 0, all = 0;
        for (int r = 0; r < comm.size(); ++r) mine += own_tiles(g, r);
        for (const Range& of_rank : blocks_) all += of_rank.size() * this->panels(g, comm.rank()).size();
        max_own = std::max(max_own, mine);
        max_worked = std::max(max_worked, all);
    }
    for (Set& set : sets_) {
        set.sent = Buffer<double>(max_own * tile);
        set.received = Buffer<double>(max_worked * tile);
        set.worked = Buffer<double>(max_worked * tile);
        set.gathered.resize(ranks);
        set.answer.resize(ranks);
    }
    constexpr int there = 51, back = 52;
    for (std::uint64_t g = 0; g < groups_; ++g) {
        gathers_.push_back(std::make_unique<Exchange<Cpu>>(comm));
        returns_.push_back(std::make_unique<Exchange<Cpu>>(comm));
        Set& set = sets_[g % 2];
        std::uint64_t sent = 0, received = 0;
        for (int r = 0; r < comm.size(); ++r) {
            const std::uint64_t to = own_tiles(g, r) * tile;
            const std::uint64_t from =
                this->panels(g, comm.rank()).size() * blocks_[static_cast<std::size_t>(r)].size() * tile;
            if (r != comm.rank()) {  // what a rank works on for itself stays where it is
                gathers_[g]->plan_send(r, there, set.sent.data() + sent, to * sizeof(double));
                gathers_[g]->plan_receive(r, there, set.received.data() + received, from * sizeof(double));
                returns_[g]->plan_send(r, back, set.worked.data() + received, from * sizeof(double));
                returns_[g]->plan_receive(r, back, set.sent.data() + sent, to * sizeof(double));
            }
            sent += to;
            received += from;
        }
    }
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

void SubvectorExchange::start_gather(std::uint64_t group, const double* vector) {
    Set& set = sets_[group % 2];
    double* out = set.sent.data();
    std::uint64_t received = 0;
    for (int r = 0; r < comm_.size(); ++r) {
        const Range p = panels(group, r);
        const std::uint64_t own_blocks = own().size();
#pragma omp parallel for collapse(2) schedule(static)
        for (std::uint64_t panel = p.first; panel < p.last; ++panel)
            for (std::uint64_t block = 0; block < own_blocks; ++block)
                std::copy_n(vector + (block * panels_ + panel) * tile_, tile_,
                            out + ((panel - p.first) * own_blocks + block) * tile_);
        set.gathered[static_cast<std::size_t>(r)] = r == comm_.rank() ? out : set.received.data() + received;
        out += p.size() * own_blocks * tile_;
        set.answer[static_cast<std::size_t>(r)] = set.worked.data() + received;
        received += panels(group, comm_.rank()).size() * blocks_[static_cast<std::size_t>(r)].size() * tile_;
    }
    gathers_[group]->start();
}

void SubvectorExchange::finish_gather(std::uint64_t group) { gathers_[group]->finish(); }
void SubvectorExchange::start_return(std::uint64_t group) { returns_[group]->start(); }
void SubvectorExchange::finish_return(std::uint64_t group) { returns_[group]->finish(); }

const double* SubvectorExchange::returned(std::uint64_t group, int rank) const {
    if (rank == comm_.rank()) return sets_[group % 2].answer[static_cast<std::size_t>(rank)];
    const double* at = sets_[group % 2].sent.data();
    for (int r = 0; r < rank; ++r) at += own_tiles(group, r) * tile_;
    return at;
}

}  // namespace strata
