// SPDX-License-Identifier: BSD-3-Clause
// Shapes, strides and factors are arrays of the host, pointers arrays of the device (cublas<t>gemmGroupedBatched). A
// result that is stored by rows is computed as its transpose.
#include "grouped_products.hpp"

#include <algorithm>
#include <map>
#include <ranges>
#include <string>
#include <type_traits>

#include "strata/error.hpp"

namespace strata::perf {
namespace {

template <class Real>
using Function = int(void* handle, const int* transposed_a, const int* transposed_b, const std::int64_t* m,
                     const std::int64_t* n, const std::int64_t* k, const Real* alpha, const Real* const* a,
                     const std::int64_t* lda, const Real* const* b, const std::int64_t* ldb, const Real* beta,
                     Real* const* c, const std::int64_t* ldc, std::int64_t groups, const std::int64_t* size);

/// Operand as a matrix stored by columns: if items are adjacent, its rows are the items and its columns the depths,
/// else the reverse. The leading dimension of a single column is at least the number of rows, as the library requires.
struct Stored {
    Stored(const Operand& x, std::uint64_t items, std::uint64_t depth)
        : by_items(x.item_stride == 1),
          leading(static_cast<std::int64_t>(by_items ? stride(x.depth_stride, items, depth)
                                                     : stride(x.item_stride, depth, items))) {}
    static std::uint64_t stride(std::uint64_t of_columns, std::uint64_t rows, std::uint64_t columns) {
        return columns == 1 ? std::max(of_columns, rows) : of_columns;
    }
    bool by_items;
    std::int64_t leading;
};

}  // namespace

std::vector<Tile> whole_results(const std::vector<Tile>& tiles) {
    std::map<std::uint64_t, Tile> results;
    for (const Tile& tile : tiles) {
        Tile& result = results.try_emplace(tile.first, tile).first->second;
        result.rows = {0, std::max(result.rows.last, tile.rows.last)};
        result.columns = {0, std::max(result.columns.last, tile.columns.last)};
    }
    const auto whole = std::views::values(results);
    return {whole.begin(), whole.end()};
}

template <class Real>
GroupedProducts<Real>::GroupedProducts(const CublasLibrary& library, const Queue<Cuda>& queue,
                                       const std::vector<Tile>& results, const std::vector<TileProduct>& products)
    : library_(library), queue_(queue) {
    for (const Tile& result : results)
        for (std::uint64_t i = 0; i < result.products.size(); ++i) {
            if (calls_.size() <= i) calls_.emplace_back();
            add(calls_[i], result, products[result.products.first + i], i == 0 ? 0 : 1);
        }
    std::uint64_t entries = 0;
    for (Call& call : calls_) {
        call.first_table = entries;
        entries += 3 * call.c.size();
    }
    host_tables_ = Buffer<Real*, Pinned>(entries);
    tables_ = Buffer<Real*, Cuda>(entries);
}

template <class Real>
void GroupedProducts<Real>::add(Call& call, const Tile& result, const TileProduct& product, Real beta) {
    const bool by_rows = result.row_stride != 1;
    const Operand &a = by_rows ? product.columns : product.rows, &b = by_rows ? product.rows : product.columns;
    const Range &rows = by_rows ? result.columns : result.rows, &columns = by_rows ? result.rows : result.columns;
    const Stored stored_a(a, rows.size(), product.depth), stored_b(b, columns.size(), product.depth);
    call.transposed_a.push_back(stored_a.by_items ? 0 : 1);
    call.transposed_b.push_back(stored_b.by_items ? 1 : 0);
    call.m.push_back(static_cast<std::int64_t>(rows.size()));
    call.n.push_back(static_cast<std::int64_t>(columns.size()));
    call.k.push_back(static_cast<std::int64_t>(product.depth));
    call.lda.push_back(stored_a.leading);
    call.ldb.push_back(stored_b.leading);
    const std::uint64_t apart = by_rows ? result.row_stride : result.column_stride;
    call.ldc.push_back(static_cast<std::int64_t>(Stored::stride(apart, rows.size(), columns.size())));
    call.size.push_back(1);
    call.alpha.push_back(1);
    call.beta.push_back(beta);
    call.a.push_back(a);
    call.b.push_back(b);
    call.c.push_back(result.first);
}

template <class Real>
void GroupedProducts<Real>::write_tables(const Call& call, const TileMemory<Real>& memory) {
    const auto place = [&](const Operand& x) {
        return const_cast<Real*>(memory.sources[static_cast<std::size_t>(x.source)] + x.first);
    };
    Real** to = std::ranges::transform(call.a, host_tables_.data() + call.first_table, place).out;
    to = std::ranges::transform(call.b, to, place).out;
    std::ranges::transform(call.c, to, [&](std::uint64_t first) { return memory.result + first; });
}

template <class Real>
void GroupedProducts<Real>::multiply(const TileMemory<Real>& memory) {
    const auto multiply = library_.function<Function<Real>>(
        std::is_same_v<Real, double> ? "cublasDgemmGroupedBatched_64" : "cublasSgemmGroupedBatched_64");
    for (const Call& call : calls_) write_tables(call, memory);
    copy_to_device(queue_, tables_.view(), std::span<Real* const>(host_tables_.data(), host_tables_.size()));
    for (const Call& call : calls_) {
        const std::uint64_t groups = call.c.size();
        Real** a = tables_.data() + call.first_table;
        const int status = multiply(library_.handle(), call.transposed_a.data(), call.transposed_b.data(),
                                    call.m.data(), call.n.data(), call.k.data(), call.alpha.data(), a, call.lda.data(),
                                    a + groups, call.ldb.data(), call.beta.data(), a + 2 * groups, call.ldc.data(),
                                    static_cast<std::int64_t>(groups), call.size.data());
        if (status != 0)
            throw Error(ExitCode::internal,
                        "cuBLAS refused grouped products with status " + std::to_string(status) + ".");
    }
}

template class GroupedProducts<double>;
template class GroupedProducts<float>;

}  // namespace strata::perf
