// SPDX-License-Identifier: BSD-3-Clause
// Variants of the multiply by products of a library. The constructor plans all products and allocates all memory.
#include "library_multiply.hpp"

#include <omp.h>

#include <algorithm>

namespace strata::perf {

LibraryMultiply::LibraryMultiply(LibraryVariant variant, std::vector<LibraryBlock> blocks, GemmBackend backend,
                                 LibraryThreads threads)
    : variant_(variant),
      threads_(threads),
      layout_(variant, std::move(blocks), threads),
      operators_(layout_.operator_reals()),
      scratch_(layout_.scratch_reals()) {
    plan_products(backend);
}

void LibraryMultiply::plan_products(GemmBackend backend) {
    const auto plan = [&](GemmShape shape, GemmUpdate update) {
        shape.update = update;
        return plan_gemm(backend, shape);
    };
    const bool batched = variant_ == LibraryVariant::batched, fused = variant_ == LibraryVariant::fused;
    for (const LibraryBlock& b : layout_.blocks()) {
        const std::uint64_t k = b.operators;
        GemmShape first{b.r, b.from.l, b.from.r, b.r, b.from.r, b.r};
        GemmShape second{b.r, b.columns, b.from.l, b.r, b.from.l, b.r};
        if (fused) {
            first = {b.from.r, k * b.columns, b.from.l, b.from.r, b.from.l, b.from.r};
            second = {b.r, b.columns, k * b.from.r, b.r, k * b.from.r, b.r};
        }
        products_.push_back({plan(first, GemmUpdate::set), {}, {}});
        if (batched) continue;
        products_.back().second_sets = plan(second, GemmUpdate::set);
        products_.back().second_adds = plan(second, GemmUpdate::add);
    }
    if (!batched) return;
    for (const Range& row : layout_.rows()) {
        const LibraryBlock& b = layout_.blocks()[row.first];
        const std::uint64_t stacked = layout_.stacked(row);
        row_products_.push_back(plan({b.r, b.columns, stacked, b.r, stacked, b.r}, GemmUpdate::set));
    }
}

const double* LibraryMultiply::right(std::size_t block, std::uint64_t k) const {
    const LibraryBlock& b = layout_.blocks()[block];
    return operators_.data() + layout_.offsets()[block].right + k * b.r * b.from.r;
}

/// Sets y to the product of one block, or adds it, operator by operator.
void LibraryMultiply::product(std::size_t block, const double* x, double* w, double* y, GemmUpdate update) const {
    const LibraryBlock& b = layout_.blocks()[block];
    const LibraryLayout::Offsets& at = layout_.offsets()[block];
    const Products& of = products_[block];
    for (std::uint64_t k = 0; k < b.operators; ++k) {
        of.first(right(block, k), x + b.x, w);
        const Gemm& second = k == 0 && update == GemmUpdate::set ? of.second_sets : of.second_adds;
        second(w, operators_.data() + at.left + k * at.operator_stride, y);
    }
}

/// The N1 threads that share a row keep private sums, which are added in the order of the threads.
void LibraryMultiply::row_of_loops(const Range& row, const double* x, double* y) {
    const LibraryBlock& of_row = layout_.blocks()[row.first];
    const int first = omp_get_thread_num() * threads_.blocks;
    const auto used = std::min<std::uint64_t>(row.size(), static_cast<std::uint64_t>(threads_.blocks));
    const auto scratch = [&](std::uint64_t thread) {
        return scratch_.data() + layout_.scratch_of(first + static_cast<int>(thread));
    };
#pragma omp parallel num_threads(static_cast <int>(used))
    {
        const auto thread = static_cast<std::uint64_t>(omp_get_thread_num());
        double* w = scratch(thread);
        double* sum = thread == 0 ? y + of_row.y : w + layout_.max_w();
        for (std::uint64_t i = row.first + thread; i < row.last; i += used)
            product(i, x, w, sum, i < row.first + used ? GemmUpdate::set : GemmUpdate::add);
    }
    for (std::uint64_t thread = 1; thread < used; ++thread)
        for (std::uint64_t i = 0; i < of_row.r * of_row.columns; ++i)
            y[of_row.y + i] += scratch(thread)[layout_.max_w() + i];
}

void LibraryMultiply::loops(const double* x, double* y) {
    omp_set_max_active_levels(2);
#pragma omp parallel for schedule(dynamic) num_threads(threads_.rows)
    for (const Range& row : layout_.rows()) row_of_loops(row, x, y);
}

void LibraryMultiply::tasks(const double* x, double* y) {
    const auto part = [&](std::size_t block) { return scratch_.data() + layout_.offsets()[block].scratch; };
#pragma omp parallel num_threads(threads_.rows)
    {
        double* w = scratch_.data() + layout_.scratch_of(omp_get_thread_num());
#pragma omp for schedule(dynamic)
        for (const std::size_t block : layout_.order()) product(block, x, w, part(block), GemmUpdate::set);
#pragma omp for schedule(dynamic)
        for (const Range& row : layout_.rows()) {
            const LibraryBlock& b = layout_.blocks()[row.first];
            double* out = y + b.y;
            std::copy_n(part(row.first), b.r * b.columns, out);
            for (std::uint64_t block = row.first + 1; block < row.last; ++block)
                for (std::uint64_t i = 0; i < b.r * b.columns; ++i) out[i] += part(block)[i];
        }
    }
}

void LibraryMultiply::batched(const double* x, double* y) {
#pragma omp parallel num_threads(threads_.rows)
    {
#pragma omp for schedule(dynamic)
        for (const std::size_t block : layout_.order()) {
            const LibraryBlock& b = layout_.blocks()[block];
            double* w = scratch_.data() + layout_.offsets()[block].scratch;
            for (std::uint64_t k = 0; k < b.operators; ++k)
                products_[block].first(right(block, k), x + b.x, w + k * b.r * b.from.l);
        }
#pragma omp for schedule(dynamic)
        for (std::size_t row = 0; row < layout_.rows().size(); ++row) {
            const std::size_t block = layout_.rows()[row].first;
            const LibraryLayout::Offsets& at = layout_.offsets()[block];
            row_products_[row](scratch_.data() + at.scratch, operators_.data() + at.left,
                               y + layout_.blocks()[block].y);
        }
    }
}

void LibraryMultiply::fused(const double* x, double* y) {
#pragma omp parallel for schedule(dynamic) num_threads(threads_.rows)
    for (const Range& row : layout_.rows()) {
        double* v = scratch_.data() + layout_.scratch_of(omp_get_thread_num());
        for (std::uint64_t block = row.first; block < row.last; ++block) {
            const LibraryBlock& b = layout_.blocks()[block];
            products_[block].first(x + b.x, operators_.data() + layout_.offsets()[block].left, v);
            const Products& of = products_[block];
            (block == row.first ? of.second_sets : of.second_adds)(right(block, 0), v, y + b.y);
        }
    }
}

void LibraryMultiply::multiply(const double* x, double* y) {
    switch (variant_) {
        case LibraryVariant::loops: return loops(x, y);
        case LibraryVariant::tasks: return tasks(x, y);
        case LibraryVariant::batched: return batched(x, y);
        case LibraryVariant::fused: return fused(x, y);
    }
}

}  // namespace strata::perf
