// SPDX-License-Identifier: BSD-3-Clause
// Variants of the multiply by products of a library. All products are planned, and all memory is taken, beforehand.
#include "kernels/kronecker/library_multiply.hpp"

#include <omp.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace strata::kronecker {

template <class Real>
LibraryMultiply<Real>::LibraryMultiply(LibraryVariant variant, std::vector<LibraryBlock> blocks, GemmBackend backend,
                                       LibraryThreads threads)
    : variant_(variant), blocks_(std::move(blocks)), threads_(threads), planned_(blocks_.size()) {
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
    order_.resize(blocks_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::stable_sort(order_, std::ranges::greater(), [&](std::size_t i) { return work(blocks_[i]); });
    place_operators();
    place_scratch();
    plan_products(backend);
}

template <class Real>
double LibraryMultiply<Real>::work(const LibraryBlock& b) const {
    return BlockShape{{b.r, b.columns}, b.from, b.operators}.flops_forward(b.columns);
}

/// Rows of the stacked operators of a row: sum of K l_J.
template <class Real>
std::uint64_t LibraryMultiply<Real>::contracted(const Range& row) const {
    std::uint64_t sum = 0;
    for (std::uint64_t i = row.first; i < row.last; ++i) sum += blocks_[i].operators * blocks_[i].from.l;
    return sum;
}

template <class Real>
void LibraryMultiply<Real>::place_operators() {
    std::uint64_t end = 0;
    for (const Range& row : rows_) {
        const std::uint64_t stacked = contracted(row), begin = end;
        std::uint64_t above = 0;
        for (std::uint64_t i = row.first; i < row.last; ++i) {
            const LibraryBlock& b = blocks_[i];
            Planned& at = planned_[i];
            if (variant_ == LibraryVariant::batched) {
                at.left = begin + above;
                at.operator_stride = b.from.l;
                at.column_stride = stacked;
            } else {
                at.left = end;
                at.operator_stride = variant_ == LibraryVariant::fused ? b.from.l : b.from.l * b.columns;
                at.column_stride = variant_ == LibraryVariant::fused ? b.from.l * b.operators : b.from.l;
            }
            above += b.operators * b.from.l;
            end += b.operators * b.from.l * b.columns;
        }
        for (std::uint64_t i = row.first; i < row.last; ++i) {
            planned_[i].right = end;
            end += blocks_[i].operators * blocks_[i].r * blocks_[i].from.r;
        }
    }
    operators_ = Buffer<Real>(end);
}

template <class Real>
void LibraryMultiply<Real>::place_scratch() {
    const auto own = [&](const LibraryBlock& b) {
        return variant_ == LibraryVariant::fused ? b.from.r * b.operators * b.columns : b.r * b.from.l;
    };
    std::uint64_t max_y = 0;
    for (const LibraryBlock& b : blocks_) {
        max_w_ = std::max(max_w_, own(b));
        max_y = std::max(max_y, b.r * b.columns);
    }
    for (const Range& row : rows_)
        for (std::uint64_t i = row.first; i < row.last; ++i) {
            const LibraryBlock& b = blocks_[i];
            planned_[i].scratch = shared_scratch_;
            if (variant_ == LibraryVariant::tasks) shared_scratch_ += b.r * b.columns;
            if (variant_ == LibraryVariant::batched) shared_scratch_ += b.r * b.from.l * b.operators;
        }
    if (variant_ != LibraryVariant::batched) thread_scratch_ = max_w_;
    if (variant_ == LibraryVariant::loops) thread_scratch_ += max_y;
    const int threads = threads_.rows * (variant_ == LibraryVariant::loops ? threads_.blocks : 1);
    scratch_ = Buffer<Real>(shared_scratch_ + static_cast<std::uint64_t>(threads) * thread_scratch_);
}

template <class Real>
void LibraryMultiply<Real>::plan_products(GemmBackend backend) {
    const auto plan = [&](GemmShape shape, GemmUpdate update) {
        shape.update = update;
        return plan_gemm<Real>(backend, shape);
    };
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        const LibraryBlock& b = blocks_[i];
        const std::uint64_t k = b.operators;
        GemmShape first{b.r, b.from.l, b.from.r, b.r, b.from.r, b.r};
        GemmShape second{b.r, b.columns, b.from.l, b.r, b.from.l, b.r};
        if (variant_ == LibraryVariant::fused) {
            first = {b.from.r, k * b.columns, b.from.l, b.from.r, b.from.l, b.from.r};
            second = {b.r, b.columns, k * b.from.r, b.r, k * b.from.r, b.r};
        }
        planned_[i].first = plan(first, GemmUpdate::set);
        if (variant_ == LibraryVariant::batched) continue;
        planned_[i].second_sets = plan(second, GemmUpdate::set);
        planned_[i].second_adds = plan(second, GemmUpdate::add);
    }
    if (variant_ != LibraryVariant::batched) return;
    for (const Range& row : rows_) {
        const LibraryBlock& b = blocks_[row.first];
        const std::uint64_t stacked = contracted(row);
        row_products_.push_back(plan({b.r, b.columns, stacked, b.r, stacked, b.r}, GemmUpdate::set));
    }
}

/// y = or += the product of one block, operator by operator.
template <class Real>
void LibraryMultiply<Real>::product(std::size_t block, const Real* x, Real* w, Real* y, GemmUpdate update) const {
    const LibraryBlock& b = blocks_[block];
    const Planned& at = planned_[block];
    for (std::uint64_t k = 0; k < b.operators; ++k) {
        at.first(operators_.data() + at.right + k * b.r * b.from.r, x + b.x, w);
        const Gemm<Real>& second = k == 0 && update == GemmUpdate::set ? at.second_sets : at.second_adds;
        second(w, operators_.data() + at.left + k * at.operator_stride, y);
    }
}

/// The N1 threads that share a row keep private sums, which are added in the order of the threads.
template <class Real>
void LibraryMultiply<Real>::row_of_loops(const Range& row, const Real* x, Real* y) {
    const LibraryBlock& of_row = blocks_[row.first];
    const int first = omp_get_thread_num() * threads_.blocks;
    const int used = static_cast<int>(std::min<std::uint64_t>(row.size(), std::uint64_t(threads_.blocks)));
#pragma omp parallel num_threads(used)
    {
        const int thread = omp_get_thread_num();
        Real* w = of_thread(first + thread);
        Real* sum = thread == 0 ? y + of_row.y : w + max_w_;
        for (std::uint64_t i = row.first + std::uint64_t(thread); i < row.last; i += std::uint64_t(used))
            product(i, x, w, sum, i < row.first + std::uint64_t(used) ? GemmUpdate::set : GemmUpdate::add);
    }
    for (int thread = 1; thread < used; ++thread)
        for (std::uint64_t i = 0; i < of_row.r * of_row.columns; ++i)
            y[of_row.y + i] += of_thread(first + thread)[max_w_ + i];
}

template <class Real>
void LibraryMultiply<Real>::loops(const Real* x, Real* y) {
    omp_set_max_active_levels(2);
#pragma omp parallel for schedule(dynamic) num_threads(threads_.rows)
    for (std::size_t i = 0; i < rows_.size(); ++i) row_of_loops(rows_[i], x, y);
}

template <class Real>
void LibraryMultiply<Real>::tasks(const Real* x, Real* y) {
#pragma omp parallel num_threads(threads_.rows)
    {
        Real* w = of_thread(omp_get_thread_num());
#pragma omp for schedule(dynamic)
        for (std::size_t i = 0; i < order_.size(); ++i)
            product(order_[i], x, w, scratch_.data() + planned_[order_[i]].scratch, GemmUpdate::set);
#pragma omp for schedule(dynamic)
        for (std::size_t row = 0; row < rows_.size(); ++row) {
            const LibraryBlock& b = blocks_[rows_[row].first];
            Real* out = y + b.y;
            for (std::uint64_t block = rows_[row].first; block < rows_[row].last; ++block) {
                const Real* part = scratch_.data() + planned_[block].scratch;
                for (std::uint64_t i = 0; i < b.r * b.columns; ++i)
                    out[i] = block == rows_[row].first ? part[i] : out[i] + part[i];
            }
        }
    }
}

template <class Real>
void LibraryMultiply<Real>::batched(const Real* x, Real* y) {
#pragma omp parallel num_threads(threads_.rows)
    {
#pragma omp for schedule(dynamic)
        for (std::size_t i = 0; i < order_.size(); ++i) {
            const LibraryBlock& b = blocks_[order_[i]];
            const Planned& at = planned_[order_[i]];
            for (std::uint64_t k = 0; k < b.operators; ++k)
                at.first(operators_.data() + at.right + k * b.r * b.from.r, x + b.x,
                         scratch_.data() + at.scratch + k * b.r * b.from.l);
        }
#pragma omp for schedule(dynamic)
        for (std::size_t row = 0; row < rows_.size(); ++row) {
            const Planned& at = planned_[rows_[row].first];
            row_products_[row](scratch_.data() + at.scratch, operators_.data() + at.left,
                               y + blocks_[rows_[row].first].y);
        }
    }
}

template <class Real>
void LibraryMultiply<Real>::fused(const Real* x, Real* y) {
#pragma omp parallel for schedule(dynamic) num_threads(threads_.rows)
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        Real* v = of_thread(omp_get_thread_num());
        for (std::uint64_t i = rows_[row].first; i < rows_[row].last; ++i) {
            const Planned& at = planned_[i];
            at.first(x + blocks_[i].x, operators_.data() + at.left, v);
            const Gemm<Real>& second = i == rows_[row].first ? at.second_sets : at.second_adds;
            second(operators_.data() + at.right, v, y + blocks_[i].y);
        }
    }
}

template <class Real>
void LibraryMultiply<Real>::multiply(const Real* x, Real* y) {
    switch (variant_) {
        case LibraryVariant::loops: return loops(x, y);
        case LibraryVariant::tasks: return tasks(x, y);
        case LibraryVariant::batched: return batched(x, y);
        case LibraryVariant::fused: return fused(x, y);
    }
}

template class LibraryMultiply<double>;
template class LibraryMultiply<float>;

}  // namespace strata::kronecker
