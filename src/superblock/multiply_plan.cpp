// SPDX-License-Identifier: BSD-3-Clause
// Memory and operations of a multiplication, by counting the blocks of a rank.
#include "superblock/multiply_plan.hpp"

#include <algorithm>

#include "kernels/kronecker/block_product.hpp"
#include "krylov/backend_space.hpp"
#include "strata/error.hpp"

namespace strata::superblock {

namespace {

/// Returns `ranks`. Throws Error(bad_input) if there are more ranks than patches or columns, before any work that is
/// proportional to their number.
int possible_ranks(const PatchLayout& layout, Partition partition, int ranks) {
    const bool rows = partition == Partition::rows;
    const std::uint64_t most = rows ? layout.size() : layout.columns();
    if (static_cast<std::uint64_t>(ranks) > most)
        throw Error(ExitCode::bad_input, std::to_string(ranks) + " ranks are too many for a vector of " +
                                             std::to_string(most) + (rows ? " patches" : " columns") +
                                             "; start at most " + std::to_string(most) + ".");
    return ranks;
}

}  // namespace

MultiplyPlan::MultiplyPlan(const Target& target, Partition partition, int ranks, int rank, int threads)
    : target_(target),
      partition_(choose_partition(target, partition, possible_ranks(target.layout, partition, ranks))),
      rank_(rank),
      threads_(threads) {
    const std::vector<std::uint64_t> of_columns = flops_of_columns(target);
    for (std::size_t i = 0; i < of_columns.size(); ++i)
        flops_ += static_cast<double>(of_columns[i]) * static_cast<double>(layout()[i].l);
}

Range MultiplyPlan::elements(int rank) const {
    const Range columns = partition_.columns(rank);
    return {layout().element_of(columns.first), layout().element_of(columns.last)};
}

template <class Real>
std::uint64_t workspace_of(const std::vector<RankBlock<Real>>& blocks) {
    std::uint64_t reals = 0;
    for (const RankBlock<Real>& b : blocks) reals = std::max(reals, workspace_reals(b.layout));
    return (reals + 63) / 64 * 64;
}

template <class Real>
std::uint64_t MultiplyPlan::gathered_bytes(int rank) const {
    const Range own = elements(rank);
    std::uint64_t elements = 0;
    for (std::size_t j : patches_read(target_, partition_.columns(rank))) {
        const Range piece = layout().elements_of(j);
        if (piece.first < own.first || piece.last > own.last) elements += piece.size();
    }
    return sizeof(Real) * elements;
}

template <class Real>
MemoryPrediction MultiplyPlan::multiply_memory(int rank, bool in_place) const {
    const std::vector<RankBlock<Real>> blocks = rank_blocks<Real>(target_, partition_.columns(rank));
    std::uint64_t products = 0;
    for (const RankBlock<Real>& b : blocks)
        products += b.forward.size() * b.layout.shape().to.r + b.backward.size() * b.layout.shape().from.r;
    MemoryPrediction m;
    m.host.push_back({"operators", sizeof(Real) * pool_reals(blocks)});
    if (keeps_products(threads_, in_place)) m.host.push_back({"products of blocks", sizeof(Real) * products});
    if (!in_place) m.host.push_back({"patches of other ranks", gathered_bytes<Real>(rank)});
    m.host.push_back(
        {"workspace of threads", sizeof(Real) * workspace_of(blocks) * static_cast<std::uint64_t>(threads_)});
    return m;
}

template <class Real>
MemoryPrediction MultiplyPlan::vector_memory(int rank, std::uint64_t others) const {
    const std::uint64_t bytes = sizeof(Real) * elements(rank).size();
    MemoryPrediction m;
    m.host.push_back({"working pair", 2 * bytes});
    if (others > 0) m.host.push_back({"other vectors", others * bytes});
    m.host.push_back({"sums and rotation of vectors", krylov::BackendSpace<Cpu, Real>::work_bytes(
                                                          partition_.columns(rank).size(), elements(rank).size(),
                                                          krylov::Arithmetic::real, others, threads_)});
    return m;
}

template <class Real>
std::uint64_t MultiplyPlan::pool_bytes() const {
    std::uint64_t reals = 0;
    for (int rank = 0; rank < ranks(); ++rank)
        reals += pool_reals(rank_blocks<Real>(target_, partition_.columns(rank)));
    return sizeof(Real) * reals;
}

template <class Real>
std::uint64_t MultiplyPlan::full_bytes() const {
    std::uint64_t reals = 0;
    for (const Term& t : target_.terms) {
        const PatchShape &i = layout()[t.i], &j = layout()[t.j];
        reals += BlockLayout<Real>({i, j, t.operators, t.left, t.right}, Directions::forward).reals();
        if (!t.diagonal())
            reals += BlockLayout<Real>({j, i, t.operators, t.left, t.right}, Directions::forward).reals();
    }
    return sizeof(Real) * reals;
}

template std::uint64_t MultiplyPlan::gathered_bytes<double>(int) const;
template std::uint64_t MultiplyPlan::gathered_bytes<float>(int) const;
template MemoryPrediction MultiplyPlan::multiply_memory<double>(int, bool) const;
template MemoryPrediction MultiplyPlan::multiply_memory<float>(int, bool) const;
template MemoryPrediction MultiplyPlan::vector_memory<double>(int, std::uint64_t) const;
template MemoryPrediction MultiplyPlan::vector_memory<float>(int, std::uint64_t) const;
template std::uint64_t workspace_of(const std::vector<RankBlock<double>>&);
template std::uint64_t workspace_of(const std::vector<RankBlock<float>>&);
template std::uint64_t MultiplyPlan::pool_bytes<double>() const;
template std::uint64_t MultiplyPlan::pool_bytes<float>() const;
template std::uint64_t MultiplyPlan::full_bytes<double>() const;
template std::uint64_t MultiplyPlan::full_bytes<float>() const;

}  // namespace strata::superblock
