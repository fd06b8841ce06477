// SPDX-License-Identifier: BSD-3-Clause
// Operators of a row are stored in the order in which they are used, left ones first; the batched variant stacks the
// left ones of a row to one matrix.
#include "library_layout.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace strata::perf {
namespace {

/// Operations of a block.
double work(const LibraryBlock& b) {
    return kronecker::BlockShape{{b.r, b.columns}, b.from, b.operators}.flops_forward(b.columns);
}

}  // namespace

LibraryLayout::LibraryLayout(LibraryVariant variant, std::vector<LibraryBlock> blocks, LibraryThreads threads)
    : blocks_(std::move(blocks)),
      offsets_(blocks_.size()),
      order_(blocks_.size()),
      threads_(threads.rows * (variant == LibraryVariant::loops ? threads.blocks : 1)) {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        if (i == 0 || blocks_[i].row != blocks_[i - 1].row) rows_.push_back({i, i});
        rows_.back().last = i + 1;
    }
    const auto row_work = [&](const Range& row) {
        double sum = 0;
        for (std::uint64_t i = row.first; i < row.last; ++i) sum += work(blocks_[i]);
        return sum;
    };
    std::ranges::stable_sort(rows_, std::ranges::greater(), row_work);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::stable_sort(order_, std::ranges::greater(), [&](std::size_t i) { return work(blocks_[i]); });
    lay_out_operators(variant);
    lay_out_scratch(variant);
}

std::uint64_t LibraryLayout::stacked(const Range& row) const {
    std::uint64_t sum = 0;
    for (std::uint64_t i = row.first; i < row.last; ++i) sum += blocks_[i].operators * blocks_[i].from.l;
    return sum;
}

void LibraryLayout::lay_out_operators(LibraryVariant variant) {
    for (const Range& row : rows_) {
        std::uint64_t stack = operator_reals_;
        for (std::uint64_t i = row.first; i < row.last; ++i) {
            const std::uint64_t k = blocks_[i].operators, l = blocks_[i].from.l, columns = blocks_[i].columns;
            switch (variant) {
                case LibraryVariant::batched: offsets_[i] = {stack, 0, l, stacked(row)}; break;
                case LibraryVariant::fused: offsets_[i] = {operator_reals_, 0, l, l * k}; break;
                default: offsets_[i] = {operator_reals_, 0, l * columns, l};
            }
            stack += k * l;
            operator_reals_ += k * l * columns;
        }
        for (std::uint64_t i = row.first; i < row.last; ++i) {
            offsets_[i].right = operator_reals_;
            operator_reals_ += blocks_[i].operators * blocks_[i].r * blocks_[i].from.r;
        }
    }
}

void LibraryLayout::lay_out_scratch(LibraryVariant variant) {
    for (const Range& row : rows_)
        for (std::uint64_t i = row.first; i < row.last; ++i) {
            const LibraryBlock& b = blocks_[i];
            const std::uint64_t w = b.r * b.from.l, sum = b.r * b.columns;
            offsets_[i].scratch = shared_scratch_;
            if (variant == LibraryVariant::tasks) shared_scratch_ += sum;
            if (variant == LibraryVariant::batched)
                shared_scratch_ += w * b.operators;
            else
                max_w_ = std::max(max_w_, variant == LibraryVariant::fused ? b.from.r * b.operators * b.columns : w);
            if (variant == LibraryVariant::loops) max_sum_ = std::max(max_sum_, sum);
        }
}

std::uint64_t LibraryLayout::scratch_reals() const { return scratch_of(threads_); }

}  // namespace strata::perf
