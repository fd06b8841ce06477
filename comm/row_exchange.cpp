// SPDX-License-Identifier: BSD-3-Clause
// Rows are packed into whole blocks before they are sent, so that they arrive in the layout of the receiver's own
// blocks and are not copied again.
#include "comm/row_exchange.hpp"

#include <algorithm>

#include "comm/collectives.hpp"

namespace strata {
namespace {

std::uint64_t in_blocks(std::uint64_t rows, std::uint64_t block) { return (rows + block - 1) / block; }

}  // namespace

RowExchange::RowExchange(const Communicator& comm, const RowShape& shape, std::vector<Range> blocks,
                         const std::vector<std::uint64_t>& needed)
    : comm_(comm), shape_(shape), exchanges_(comm) {
    std::vector<std::vector<std::uint64_t>> asked(blocks.size());
    std::size_t owner = 0;
    for (std::uint64_t row : needed) {
        while (row / shape.rows >= blocks[owner].last) ++owner;
        asked[owner].push_back(row);
    }
    plan_receives(asked);
    plan_sends(asked, blocks[static_cast<std::size_t>(comm.rank())].first * shape.rows);
}

void RowExchange::plan_receives(const std::vector<std::vector<std::uint64_t>>& asked) {
    for (std::size_t r = 0; r < asked.size(); ++r) {
        if (asked[r].empty()) continue;
        for (std::uint64_t i = 0; i < asked[r].size(); ++i)
            local_indices_.push_back(blocks_received_ * shape_.rows + i);
        messages_.receives.push_back({static_cast<int>(r), blocks_received_, in_blocks(asked[r].size(), shape_.rows)});
        blocks_received_ += messages_.receives.back().count;
    }
}

/// Receives the requests of the other ranks for rows of this rank and plans their messages. Collective.
void RowExchange::plan_sends(const std::vector<std::vector<std::uint64_t>>& asked, std::uint64_t first_own_row) {
    const std::vector<std::vector<std::uint64_t>> requested = all_to_all(comm_, asked);
    std::uint64_t sent = 0;
    for (std::size_t r = 0; r < requested.size(); ++r) {
        if (requested[r].empty()) continue;
        messages_.sends.push_back({static_cast<int>(r), sent, in_blocks(requested[r].size(), shape_.rows)});
        sent += messages_.sends.back().count;
        for (const std::uint64_t row : requested[r]) sent_rows_.push_back(row - first_own_row);
        sent_rows_.resize(sent * shape_.rows, padding());
    }
    packed_ = Buffer<std::byte>(sent * shape_.block());
}

void RowExchange::pack(const std::byte* own) {
    const std::uint64_t size = shape_.block(), tile = shape_.rows * shape_.bytes;
#pragma omp parallel for schedule(static)
    for (std::uint64_t i = 0; i < sent_rows_.size(); ++i) {
        const std::uint64_t row = sent_rows_[i];
        std::byte* to = packed_.data() + i / shape_.rows * size + i % shape_.rows * shape_.bytes;
        const std::byte* from = own + row / shape_.rows * size + row % shape_.rows * shape_.bytes;
        for (std::uint64_t panel = 0; panel < shape_.panels; ++panel, to += tile) {
            if (row == padding())
                std::fill_n(to, shape_.bytes, std::byte{0});
            else
                std::copy_n(from + panel * tile, shape_.bytes, to);
        }
    }
}

void RowExchange::start(const void* own, void* received) {
    pack(static_cast<const std::byte*>(own));
    exchanges_.start(received, [&](Exchange<Cpu>& exchange) { plan(exchange, packed_.data(), received); });
}

}  // namespace strata
