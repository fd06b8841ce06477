// SPDX-License-Identifier: BSD-3-Clause
// Rank 0 gathers the partial sums of all blocks, adds them in global order and broadcasts the totals. Gathering moves
// `width` doubles per block, which is little beside the blocks themselves.
#include "comm/ordered_sum.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "comm/collectives.hpp"
#include "comm/tags.hpp"

namespace strata {
namespace {

std::uint64_t sum_of(const std::vector<std::uint64_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

}  // namespace

OrderedSum::OrderedSum(const Communicator& comm, std::vector<std::vector<std::uint64_t>> blocks_of_ranks,
                       std::size_t width)
    : comm_(comm), blocks_of_ranks_(std::move(blocks_of_ranks)), width_(width), total_(width), gather_(comm) {
    std::uint64_t own = 0;
    for (std::uint64_t blocks : blocks_of_ranks_[static_cast<std::size_t>(comm.rank())]) {
        first_.push_back(own);
        own += blocks;
    }
    own_.assign(own * width, 0);
    if (comm.size() == 1) return;
    if (comm.is_root()) {
        std::uint64_t all = 0, at = 0;
        for (const auto& blocks : blocks_of_ranks_) all += sum_of(blocks);
        all_.resize(all * width);
        for (int rank = 0; rank < comm.size(); ++rank) {
            const std::uint64_t numbers = sum_of(blocks_of_ranks_[static_cast<std::size_t>(rank)]) * width;
            gather_.plan_receive(rank, tag::ordered_sum, all_.data() + at, numbers * sizeof(double));
            at += numbers;
        }
    }
    gather_.plan_send(0, tag::ordered_sum, own_.data(), own_.size() * sizeof(double));
}

const std::vector<double>& OrderedSum::total() {
    if (comm_.size() > 1) {
        gather_.start();
        gather_.finish();
    }
    if (comm_.is_root()) {
        std::ranges::fill(total_, 0);
        const double* numbers = comm_.size() > 1 ? all_.data() : own_.data();
        for (std::size_t group = 0; group < first_.size(); ++group) {
            const double* of_rank = numbers;
            for (const auto& blocks : blocks_of_ranks_) {
                const double* at = of_rank;
                for (std::size_t g = 0; g < group; ++g) at += blocks[g] * width_;
                for (std::uint64_t b = 0; b < blocks[group]; ++b, at += width_)
                    for (std::size_t i = 0; i < width_; ++i) total_[i] += at[i];
                of_rank += sum_of(blocks) * width_;
            }
        }
    }
    broadcast_bytes(comm_, total_.data(), total_.size() * sizeof(double), 0);
    return total_;
}

}  // namespace strata
