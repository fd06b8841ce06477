// SPDX-License-Identifier: BSD-3-Clause
// All sums are integer sums, so that every rank computes the same boundaries.
#include "superblock/partition.hpp"

#include <algorithm>

namespace strata::superblock {
namespace {

/// Largest imbalance with which rows are chosen.
constexpr double rows_imbalance = 1.02;

/// Cost of an element and of a row of A, in multiply-adds, fitted to single blocks of 64 sites with M = 1000 and 2000
/// and 144 sites with M = 4000, K = 4 and 8 (perf/notebook.md).
constexpr std::uint64_t element_cost = 4, row_cost = 64;

/// Calls f(term, patch of Y, its shape, shape of X) for both directions of every term.
template <class F>
void for_directions(const Target& target, F f) {
    for (const Term& t : target.terms) {
        f(t, t.i, target.layout[t.i], target.layout[t.j]);
        if (!t.diagonal()) f(t, t.j, target.layout[t.j], target.layout[t.i]);
    }
}

__extension__ using Wide = unsigned __int128;  // holds products of costs and ranks

/// Boundary p is the column at which the running sum of costs is nearest to p / ranks of the total.
std::vector<std::uint64_t> column_boundaries(const PatchLayout& layout, const std::vector<std::uint64_t>& costs,
                                             std::uint64_t ranks) {
    Wide total = 0, before = 0;
    for (std::size_t i = 0; i < layout.size(); ++i) total += Wide{costs[i]} * layout[i].l;
    std::vector<std::uint64_t> boundaries = {0};
    std::size_t i = 0;
    for (std::uint64_t p = 1; p < ranks; ++p) {
        const Wide share = total * p;  // in units of cost / ranks
        while (i + 1 < layout.size() && (before + Wide{costs[i]} * layout[i].l) * ranks < share)
            before += Wide{costs[i]} * layout[i].l, ++i;
        const Wide column = Wide{costs[i]} * ranks;  // 0 if no term has this patch
        const Wide within = column == 0 ? 0 : (share - before * ranks + column / 2) / column;
        boundaries.push_back(layout.columns_of(i).first + std::min(static_cast<std::uint64_t>(within), layout[i].l));
    }
    boundaries.push_back(layout.columns());
    return boundaries;
}

/// Boundaries between patches, with about equal sums of costs.
std::vector<std::uint64_t> row_boundaries(const PatchLayout& layout, const std::vector<std::uint64_t>& costs,
                                          std::uint64_t ranks) {
    Wide total = 0;
    for (std::size_t i = 0; i < layout.size(); ++i) total += Wide{costs[i]} * layout[i].l;
    const Wide unit = total / (std::uint64_t{1} << 60) + 1;  // costs are integers of 64 bits
    std::vector<std::uint64_t> of_patches, boundaries;
    for (std::size_t i = 0; i < layout.size(); ++i)
        of_patches.push_back(static_cast<std::uint64_t>(Wide{costs[i]} * layout[i].l / unit));
    for (std::uint64_t patch : weighted_parts(of_patches, ranks))
        boundaries.push_back(patch == layout.size() ? layout.columns() : layout.columns_of(patch).first);
    return boundaries;
}

}  // namespace

std::vector<std::uint64_t> flops_of_columns(const Target& target) {
    std::vector<std::uint64_t> flops(target.layout.size());
    for_directions(target, [&](const Term& t, std::size_t to, const PatchShape& y, const PatchShape& x) {
        const std::uint64_t left = t.left == Factor::dense ? x.l : 0, right = t.right == Factor::dense ? y.r : 0;
        flops[to] += 2 * t.operators * x.r * (left + right);
    });
    return flops;
}

std::vector<std::uint64_t> costs_of_columns(const Target& target) {
    std::vector<std::uint64_t> costs = flops_of_columns(target);
    for_directions(target, [&](const Term& t, std::size_t to, const PatchShape&, const PatchShape& x) {
        if (t.left == Factor::dense) costs[to] += 2 * t.operators * (element_cost * x.l + row_cost);
    });
    return costs;
}

std::vector<std::vector<std::size_t>> neighbours(const Target& target) {
    std::vector<std::vector<std::size_t>> of(target.layout.size());
    for (const Term& t : target.terms) {
        if (t.diagonal()) continue;
        of[t.i].push_back(t.j);
        of[t.j].push_back(t.i);
    }
    for (std::vector<std::size_t>& patches : of) {
        std::ranges::sort(patches);
        patches.erase(std::ranges::unique(patches).begin(), patches.end());
    }
    return of;
}

ColumnPartition::ColumnPartition(const PatchLayout& layout, const std::vector<std::uint64_t>& column_costs,
                                 Partition partition, int ranks)
    : kind_(partition),
      boundaries_(partition == Partition::rows
                      ? row_boundaries(layout, column_costs, static_cast<std::uint64_t>(ranks))
                      : column_boundaries(layout, column_costs, static_cast<std::uint64_t>(ranks))) {}

std::vector<std::size_t> patches_read(const Target& target, const Range& columns) {
    std::vector<bool> reads(target.layout.size());
    const auto owned = [&](std::size_t i) { return !target.layout.part_of(i, columns).empty(); };
    for (const Term& t : target.terms) {
        if (owned(t.i)) reads[t.j] = true;
        if (owned(t.j)) reads[t.i] = true;
    }
    std::vector<std::size_t> patches;
    for (std::size_t i = 0; i < reads.size(); ++i)
        if (reads[i]) patches.push_back(i);
    return patches;
}

PartitionCost cost_of(const Target& target, const ColumnPartition& partition) {
    const PatchLayout& layout = target.layout;
    const std::vector<std::uint64_t> costs = costs_of_columns(target);
    PartitionCost cost;
    double total = 0, busiest = 0;
    for (int rank = 0; rank < partition.ranks(); ++rank) {
        const Range columns = partition.columns(rank);
        double of_rank = 0;
        for (std::size_t i = 0; i < layout.size(); ++i)
            of_rank += static_cast<double>(costs[i]) * static_cast<double>(layout.part_of(i, columns).size());
        std::uint64_t received = 0;
        for (std::size_t j : patches_read(target, columns))
            received += layout[j].r * (layout[j].l - layout.part_of(j, columns).size());
        total += of_rank;
        busiest = std::max(busiest, of_rank);
        cost.max_received = std::max(cost.max_received, static_cast<double>(received));
        cost.mean_received += static_cast<double>(received) / partition.ranks();
        cost.max_elements =
            std::max(cost.max_elements, layout.element_of(columns.last) - layout.element_of(columns.first));
    }
    cost.imbalance = busiest * partition.ranks() / total;
    return cost;
}

ColumnPartition choose_partition(const Target& target, Partition requested, int ranks) {
    const std::vector<std::uint64_t> costs = costs_of_columns(target);
    const auto made = [&](Partition kind) { return ColumnPartition(target.layout, costs, kind, ranks); };
    if (requested != Partition::automatic) return made(requested);
    const ColumnPartition rows = made(Partition::rows);
    return cost_of(target, rows).imbalance <= rows_imbalance ? rows : made(Partition::columns);
}

}  // namespace strata::superblock
