// SPDX-License-Identifier: BSD-3-Clause
// The plan is made in three steps: which rows each subspace needs (ghost_rows.hpp), which local index each of them has,
// and copies of the hopping matrices for the rows of this rank, with local indices as columns.
#include "lanczos/state/row_plan.hpp"

#include <algorithm>
#include <cmath>

#include "comm/collectives.hpp"
#include "lanczos/state/ghost_rows.hpp"
#include "strata/error.hpp"
#include "strata/memory.hpp"

namespace strata::lanczos {
namespace {

/// Largest number of terms, and largest sum of the sizes of the elements, of a row of H.
struct RowSize {
    double terms = 0, sum = 0;

    RowSize& operator+=(const RowSize& other) {
        terms += other.terms;
        sum += other.sum;
        return *this;
    }
};

/// The same of one table. `diagonal`: null without one.
RowSize largest_row(const HoppingView& hops, const double* diagonal, std::uint64_t rows) {
    RowSize largest;
    for (std::uint64_t row = 0; row < rows; ++row) {
        double sum = diagonal == nullptr ? 0 : std::abs(diagonal[row]);
        for (std::uint64_t e = hops.first[row]; e < hops.first[row + 1]; ++e) {
            const std::uint32_t c = hops.entries[e] & hops.class_mask();
            sum += std::hypot(hops.re[c], hops.im[c]);
        }
        largest.sum = std::max(largest.sum, sum);
        largest.terms = std::max(largest.terms, static_cast<double>(hops.first[row + 1] - hops.first[row]));
    }
    return largest;
}

}  // namespace

RowPlan::RowPlan(const Communicator& comm, const LanczosPlan& plan, Sharing sharing, PanelTranspose transpose)
    : comm_(comm),
      plan_(plan),
      node_(std::make_unique<Node>(comm, sharing, 2 * plan.vector_bytes())),
      transposed_(transpose == PanelTranspose::allowed && !one_node() && plan.transposes()) {
    const Sector& sector = plan.sector();
    for (std::size_t p = 0; p < sector.subspaces().size(); ++p) {
        SubspaceRows& subspace = subspaces_.emplace_back();
        subspace.layout = sector.layout(p, plan.arithmetic(), comm.size(), comm.rank());
        subspace.h = sector.hamiltonian(p, subspace.layout);
    }
    if (transposed_) return;
    if (sector.computes_hops()) return;
    std::vector<LocalIndices> local_indices(subspaces_.size());
    std::uint64_t rows = 0;
    for (std::size_t p = 0; p < subspaces_.size(); ++p) rows = std::max(rows, find_rows(p, local_indices[p]));
    check_row_count(rows);
    for (std::size_t p = 0; p < subspaces_.size(); ++p) write_tables(p, local_indices);
}

std::vector<Range> RowPlan::blocks_of_ranks(std::size_t subspace) const {
    std::vector<Range> blocks;
    for (int r = 0; r < comm_.size(); ++r)
        blocks.push_back(plan_.sector().layout(subspace, plan_.arithmetic(), comm_.size(), r).blocks);
    return blocks;
}

/// Throws unless local indices fit into the 32 bits of an entry beside the class of an amplitude. Collective.
void RowPlan::check_row_count(std::uint64_t rows) const {
    std::uint64_t max_rows = ~std::uint64_t{0};
    for (const Subspace& s : plan_.sector().subspaces()) max_rows = std::min(max_rows, s.up.amplitudes().max_rows());
    const std::uint64_t largest = all_max(comm_, rows);
    if (largest <= max_rows) return;
    throw CollectiveError(
        ExitCode::does_not_fit,
        "The ranks of a node hold or receive " + std::to_string(largest) + " rows together, more than the " +
            std::to_string(max_rows) +
            " that hops are listed for. Use fewer ranks per node, or backend.exchange = rows, with which "
            "every rank lists its own rows.");
}

/// Rows that this rank needs and that no rank of its node owns.
std::vector<std::uint64_t> RowPlan::ghost_rows(std::size_t p) const {
    const std::uint64_t blocks = subspaces_[p].layout.all_blocks(), ranks = static_cast<std::uint64_t>(comm_.size());
    const std::vector<bool> needed = needed_rows(plan_.sector(), p, comm_.size(), comm_.rank());
    std::vector<std::uint64_t> rows;
    for (std::uint64_t row = 0; row < needed.size(); ++row) {
        if (!needed[row]) continue;
        const auto owner = static_cast<int>(part_of(blocks, ranks, row / block_rows));
        if (!std::ranges::count(node_->ranks(), owner)) rows.push_back(row);
    }
    return rows;
}

/// Plans the exchange of a subspace and numbers its rows. Returns the number of local indices that the node uses.
std::uint64_t RowPlan::find_rows(std::size_t p, LocalIndices& local_indices) {
    SubspaceRows& subspace = subspaces_[p];
    const BlockLayout& l = subspace.layout;
    const std::vector<Range> blocks = blocks_of_ranks(p);
    const std::vector<std::uint64_t> ghosts = ghost_rows(p);
    if (!one_node())
        subspace.exchange = std::make_unique<RowExchange>(
            comm_, RowShape{block_rows, l.panels(), l.panel * plan_.real_bytes()}, blocks, ghosts);
    const std::vector<std::uint64_t> local_blocks = all_gather(node_->comm(), subspace.local_blocks());
    std::uint64_t begin = 0, own_begin = 0;  // in blocks
    local_indices.assign(l.dim_up, 0);
    for (std::size_t i = 0; i < node_->ranks().size(); ++i) {
        const Range own = blocks[static_cast<std::size_t>(node_->ranks()[i])];
        for (std::uint64_t row = own.first * block_rows; row < std::min(own.last * block_rows, l.dim_up); ++row)
            local_indices[row] = begin * block_rows + row - own.first * block_rows;
        if (static_cast<int>(i) == node_->node_rank()) own_begin = begin;
        begin += local_blocks[i];
    }
    for (std::size_t i = 0; i < ghosts.size(); ++i)
        local_indices[ghosts[i]] = (own_begin + l.blocks.size()) * block_rows + subspace.exchange->local_indices()[i];
    if (plan_.config().certified && plan_.counts().symmetric())
        number_rows(p, begin * block_rows, ghosts, local_indices);
    return begin * block_rows;
}

/// The inverse of the local indices of `count` rows of the node and of the ghost rows.
void RowPlan::number_rows(std::size_t p, std::uint64_t count, const std::vector<std::uint64_t>& ghosts,
                          const LocalIndices& local_indices) {
    std::vector<std::uint32_t>& numbers = subspaces_[p].row_numbers;
    numbers.assign(count, 0);
    const std::vector<Range> blocks = blocks_of_ranks(p);
    for (const int rank : node_->ranks()) {
        const Range own = blocks[static_cast<std::size_t>(rank)];
        const std::uint64_t last = std::min(own.last * block_rows, subspaces_[p].layout.dim_up);
        for (std::uint64_t row = own.first * block_rows; row < last; ++row)
            numbers[local_indices[row]] = static_cast<std::uint32_t>(row);
    }
    for (const std::uint64_t row : ghosts) numbers[local_indices[row]] = static_cast<std::uint32_t>(row);
}

void RowPlan::write_tables(std::size_t p, const std::vector<LocalIndices>& local_indices) {
    const Sector& sector = plan_.sector();
    SubspaceRows& subspace = subspaces_[p];
    const HoppingView all = subspace.h.up.hops;
    const Range own = subspace.layout.own_rows();
    if (comm_.size() == 1) {  // local indices are rows
        subspace.h.rows = all;
    } else {
        subspace.rows = std::make_unique<HoppingRows>(sector.subspaces()[p].up.amplitudes(), own.size(),
                                                      all.first[own.last] - all.first[own.first]);
        for (std::uint64_t row = own.first; row < own.last; ++row) {
            for (std::uint64_t e = all.first[row]; e < all.first[row + 1]; ++e)
                subspace.rows->add(local_indices[p][all.entries[e] >> all.bits], all.entries[e] & all.class_mask(),
                                   e >= all.complex[row]);
            subspace.rows->end_row();
        }
        subspace.h.rows = subspace.rows->view();
    }
    for (const SubspaceHops& c : sector.subspace_hops())
        if (c.to == p) add_incoming(c, local_indices[c.from], own);
}

void RowPlan::add_incoming(const SubspaceHops& between, const LocalIndices& local_indices, Range rows) {
    SubspaceRows& to = subspaces_[between.to];
    IncomingHops& incoming = to.incoming.emplace_back();
    incoming.from = between.from;
    for (const HoppingRows& of_row : between.hops) incoming.hops.push_back(of_row.view());
    incoming.sources.reserve(rows.size() * between.rows.size());
    for (std::uint64_t row = rows.first; row < rows.last; ++row)
        for (std::size_t r = 0; r < between.rows.size(); ++r) {
            const Sector::Source source = plan_.sector().source(between, row, r);
            incoming.sources.push_back(
                source.row == Sector::no_row
                    ? SubspaceHopsView::none
                    : static_cast<std::uint32_t>(local_indices[source.row] << 1 | (source.minus ? 1 : 0)));
        }
    to.incoming_views.push_back({subspaces_[between.from].layout, to.layout, static_cast<int>(between.rows.size()),
                                 incoming.sources.data(), incoming.hops.data(),
                                 between.left == nullptr ? LeftHopsView{} : between.left->view()});
}

std::uint64_t RowPlan::scratch_reals() const {
    std::uint64_t reals = 0;
    for (const SubspaceRows& subspace : subspaces_) {
        reals = std::max(reals, lanczos::scratch_reals(subspace.h));
        for (const SubspaceHopsView& c : subspace.incoming_views) reals = std::max(reals, subspace_scratch_reals(c));
    }
    return reals;
}

std::uint64_t RowPlan::wide_scratch_doubles() const {
    std::uint64_t doubles = 0;
    for (const SubspaceRows& subspace : subspaces_) {
        std::uint64_t between = 0;
        for (const SubspaceHopsView& c : subspace.incoming_views) between = std::max(between, c.from.block_size());
        doubles = std::max(doubles, lanczos::wide_scratch_doubles(subspace.h, between));
    }
    return doubles;
}

double RowPlan::product_rounding() const {
    constexpr double unit = 0x1p-52;  // twice the rounding of a real product, since products may be complex
    constexpr double further = 40;    // diagonal, shift, elements of H, and sums that are not counted
    const Sector& sector = plan_.sector();
    double bound = 0;
    for (std::size_t p = 0; p < subspaces_.size(); ++p) {
        const HamiltonianView& h = subspaces_[p].h;
        RowSize largest = largest_row(h.up.hops, h.up.diagonal, h.up.dim);
        largest += largest_row(h.down.hops, h.down.diagonal, h.down.dim);
        for (const SubspaceHops& c : sector.subspace_hops())
            if (c.to == p)
                for (const HoppingRows& rows : c.hops) largest += largest_row(rows.view(), nullptr, h.down.dim);
        largest.terms += static_cast<double>(h.coupling.chunks * (h.coupling.chunk_bits + 1) + h.coupling.up_sites);
        largest.terms += 2 * h.symmetry.order;  // sums of the projection onto the sector
        for (int i = 0; i < h.coupling.up_sites * h.coupling.down_sites; ++i)
            largest.sum += std::abs(h.coupling.energy[i]);
        // an energy is at most the sum in size, and the shift is a mean of the diagonal
        bound = std::max(bound, unit * (largest.terms + further) * (3 * largest.sum + 2 * std::abs(h.shift)));
    }
    return bound + 4 * unit * std::abs(sector.offset());
}

RankRows RowPlan::rank_rows() const {
    RankRows rows;
    if (copies_whole()) rows.received = subspaces_[0].layout.all_blocks() * subspaces_[0].layout.block_size();
    for (const SubspaceRows& subspace : subspaces_) {
        if (subspace.rows != nullptr) rows.up_entries += subspace.rows->entries();
        if (subspace.exchange == nullptr) continue;
        rows.received += subspace.exchange->blocks() * subspace.layout.block_size();
        rows.sent += subspace.exchange->packed_bytes() / plan_.real_bytes();
    }
    return rows;
}

std::string RowPlan::exchange_description() const {
    if (comm_.size() == 1) return {};
    if (transposed_) return "H_up: panels are transposed there and back";
    std::uint64_t received = 0;
    for (const SubspaceRows& subspace : subspaces_)
        if (subspace.exchange != nullptr) received += subspace.exchange->bytes_received();
    const std::string within =
        node_->alone() ? ""
                       : "rows are read in place by the " + std::to_string(node_->ranks().size()) + " ranks of a node";
    if (one_node()) return "H_up: " + within;
    if (copies_whole())
        return "H_up: every rank receives the whole vector per step, " +
               human_bytes(rank_rows().received * plan_.real_bytes());
    return "H_up: " + within + (within.empty() ? "" : "; ") + human_bytes(received) +
           " of needed rows reach this rank per step";
}

}  // namespace strata::lanczos
