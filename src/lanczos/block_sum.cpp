// SPDX-License-Identifier: BSD-3-Clause
#include "lanczos/block_sum.hpp"

#include <algorithm>

#include "comm/collectives.hpp"

namespace strata::lanczos {

BlockSum::BlockSum(const Communicator& comm, const Sector& sector, std::size_t width)
    : comm_(comm), width_(width), total_(width), gather_(comm) {
    constexpr int tag = 71;
    std::uint64_t all = 0;
    for (int rank = 0; rank < comm.size(); ++rank) {
        auto& blocks = of_rank_.emplace_back();
        for (std::size_t p = 0; p < sector.subspaces().size(); ++p)
            blocks.push_back(sector.layout(p, Arithmetic::real, comm.size(), rank).blocks.size());
        for (std::uint64_t b : blocks) all += b;
    }
    std::uint64_t own = 0;
    for (std::uint64_t b : of_rank_[static_cast<std::size_t>(comm.rank())]) {
        first_.push_back(own);
        own += b;
    }
    own_.assign(own * width, 0);
    if (comm.size() == 1) return;
    if (comm.is_root()) {
        all_.resize(all * width);
        std::uint64_t at = 0;
        for (int rank = 0; rank < comm.size(); ++rank) {
            std::uint64_t blocks = 0;
            for (std::uint64_t b : of_rank_[static_cast<std::size_t>(rank)]) blocks += b;
            gather_.plan_receive(rank, tag, all_.data() + at, blocks * width * sizeof(double));
            at += blocks * width;
        }
    }
    gather_.plan_send(0, tag, own_.data(), own_.size() * sizeof(double));
}

const std::vector<double>& BlockSum::total() {
    if (comm_.size() > 1) {
        gather_.start();
        gather_.finish();
    }
    if (comm_.is_root()) {
        std::ranges::fill(total_, 0);
        const double* numbers = comm_.size() > 1 ? all_.data() : own_.data();
        for (std::size_t product = 0; product < first_.size(); ++product) {
            const double* of_rank = numbers;
            for (const auto& blocks : of_rank_) {
                const double* at = of_rank;
                for (std::size_t p = 0; p < product; ++p) at += blocks[p] * width_;
                for (std::uint64_t b = 0; b < blocks[product]; ++b, at += width_)
                    for (std::size_t i = 0; i < width_; ++i) total_[i] += at[i];
                for (std::uint64_t b : blocks) of_rank += b * width_;
            }
        }
    }
    broadcast_bytes(comm_, total_.data(), total_.size() * sizeof(double), 0);
    return total_;
}

}  // namespace strata::lanczos
