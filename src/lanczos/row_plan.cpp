// SPDX-License-Identifier: BSD-3-Clause
// Local row indices of a node: the blocks of its ranks one after another, each followed by the rows that the rank
// receives. The tables are copied with these indices for the rows of this rank.
#include "lanczos/row_plan.hpp"

#include <algorithm>

#include "comm/collectives.hpp"
#include "lanczos/reach.hpp"
#include "strata/error.hpp"
#include "strata/memory.hpp"

namespace strata::lanczos {

HopPairs::HopPairs(const HopView& hops, std::uint64_t matrix_rows) : re(hops.re), im(hops.im) {
    const std::uint32_t mask = (1u << hops.bits) - 1;
    const std::uint64_t entries = hops.first[matrix_rows];
    std::uint32_t classes = 0;
    for (std::uint64_t e = 0; e < entries; ++e) classes = std::max(classes, (hops.entries[e] & mask) + 1);
    rows.reserve(entries);
    columns.reserve(entries);
    for (std::uint32_t c = 0; c < classes; ++c) {
        first.push_back(rows.size());
        for (std::uint64_t row = 0; row < matrix_rows; ++row)
            for (std::uint64_t e = hops.first[row]; e < hops.first[row + 1]; ++e)
                if ((hops.entries[e] & mask) == c) {
                    rows.push_back(static_cast<std::uint32_t>(row));
                    columns.push_back(hops.entries[e] >> hops.bits);
                }
    }
    first.push_back(rows.size());
}

PairView HopPairs::view() const {
    return {static_cast<std::uint32_t>(first.size() - 1), first.data(), rows.data(), columns.data(), re, im};
}

RowPlan::RowPlan(const Communicator& comm, const LanczosPlan& plan, Sharing sharing, Turning turning)
    : comm_(comm),
      plan_(plan),
      node_(std::make_unique<Node>(comm, sharing, 2 * plan.vector_bytes())),
      turned_(turning == Turning::allowed && static_cast<int>(node_->ranks().size()) < comm.size() &&
              plan.transposes()) {
    const Sector& sector = plan.sector();
    for (std::size_t p = 0; p < sector.products().size(); ++p) {
        ProductRows& product = products_.emplace_back();
        product.layout = sector.layout(p, plan.arithmetic(), comm.size(), comm.rank());
        product.h = sector.hamiltonian(p, product.layout);
        product.first_tile = tiles_;
        tiles_ += product.layout.tiles();
    }
    if (turned_) return;
    std::vector<std::vector<std::uint64_t>> places(products_.size());  // [product][row]
    std::uint64_t local_rows = 0;
    for (std::size_t p = 0; p < products_.size(); ++p) local_rows = std::max(local_rows, find_rows(p, places[p]));
    check_local_rows(local_rows);
    for (std::size_t p = 0; p < products_.size(); ++p) write_tables(p, places);
}

std::vector<Range> RowPlan::blocks_of_ranks(std::size_t product) const {
    std::vector<Range> blocks;
    for (int r = 0; r < comm_.size(); ++r)
        blocks.push_back(plan_.sector().layout(product, plan_.arithmetic(), comm_.size(), r).blocks);
    return blocks;
}

/// An entry of a table has 32 bits for a local row index and the class of an amplitude.
void RowPlan::check_local_rows(std::uint64_t rows) const {
    const std::uint64_t most = plan_.counts().amplitudes().max_rows(), largest = all_max(comm_, rows);
    if (largest <= most) return;
    throw CollectiveError(
        ExitCode::does_not_fit,
        "The ranks of a node hold or receive " + std::to_string(largest) + " rows together, more than the " +
            std::to_string(most) +
            " that hops are listed for. Use fewer ranks per node, or backend.rows = messages, with which "
            "every rank lists its own rows.");
}

/// Rows lie in the order of the node's ranks: the blocks of a rank, then what it receives. Returns their number.
std::uint64_t RowPlan::find_rows(std::size_t p, std::vector<std::uint64_t>& places) {
    ProductRows& product = products_[p];
    const BlockLayout& l = product.layout;
    const std::vector<Range> blocks = blocks_of_ranks(p);
    const auto rank_of = [&](std::uint64_t row) {
        return static_cast<int>(part_of(l.all_blocks(), static_cast<std::uint64_t>(comm_.size()), row / block_rows));
    };
    const std::vector<bool> reach = rows_in_reach(plan_.sector(), p, comm_.size(), comm_.rank());
    std::vector<std::uint64_t> needed;
    for (std::uint64_t row = 0; row < reach.size(); ++row)
        if (reach[row] && !std::ranges::count(node_->ranks(), rank_of(row))) needed.push_back(row);
    if (static_cast<int>(node_->ranks().size()) < comm_.size()) {
        const std::uint64_t doubles = panel_reals * plan_.real_bytes() / sizeof(double);
        product.exchange =
            std::make_unique<RowExchange>(comm_, RowShape{block_rows, l.panels(), doubles}, blocks, needed);
    }
    const std::vector<std::uint64_t> reaches = all_gather(node_->comm(), product.blocks_in_reach());
    std::uint64_t begin = 0, own_begin = 0;  // in blocks
    places.assign(l.dim_up, 0);
    for (std::size_t i = 0; i < node_->ranks().size(); ++i) {
        const Range own = blocks[static_cast<std::size_t>(node_->ranks()[i])];
        for (std::uint64_t row = own.first * block_rows; row < std::min(own.last * block_rows, l.dim_up); ++row)
            places[row] = begin * block_rows + row - own.first * block_rows;
        if (static_cast<int>(i) == node_->place()) own_begin = begin;
        begin += reaches[i];
    }
    for (std::size_t i = 0; i < needed.size(); ++i)
        places[needed[i]] = (own_begin + l.blocks.size()) * block_rows + product.exchange->places()[i];
    return begin * block_rows;
}

void RowPlan::write_tables(std::size_t p, const std::vector<std::vector<std::uint64_t>>& places) {
    const Sector& sector = plan_.sector();
    ProductRows& product = products_[p];
    const BlockLayout& l = product.layout;
    const HopView all = product.h.up.hops;
    const std::uint64_t first = std::min(l.dim_up, l.blocks.first * block_rows),
                        last = std::min(l.dim_up, l.blocks.last * block_rows);
    product.rows = std::make_unique<HopRows>(sector.amplitudes(), last - first, all.first[last] - all.first[first]);
    for (std::uint64_t row = first; row < last; ++row) {
        for (std::uint64_t e = all.first[row]; e < all.first[row + 1]; ++e)
            product.rows->add(places[p][all.entries[e] >> all.bits], all.entries[e] & ((1u << all.bits) - 1),
                              e >= all.complex[row]);
        product.rows->end_row();
    }
    product.h.rows = product.rows->view();
    for (const Crossing& c : sector.crossings())
        if (c.to == p) add_entrance(c, places[c.from], {first, last});
}

void RowPlan::add_entrance(const Crossing& c, const std::vector<std::uint64_t>& places, Range rows) {
    Entrances& entrances = products_[c.to].entrances;
    entrances.from.push_back(c.from);
    auto& hops = entrances.hops.emplace_back();
    auto& pairs = entrances.pairs.emplace_back();
    auto& pair_views = entrances.pair_views.emplace_back();
    auto& sources = entrances.sources.emplace_back();
    for (const HopRows& of_site : c.hops) {
        hops.push_back(of_site.view());
        pairs.emplace_back(hops.back(), products_[c.to].layout.dim_dn);
    }
    for (const HopPairs& of_site : pairs) pair_views.push_back(of_site.view());
    sources.reserve(rows.size() * c.sites.size());
    for (std::uint64_t row = rows.first; row < rows.last; ++row)
        for (std::size_t s = 0; s < c.sites.size(); ++s) {
            const Sector::Source source = plan_.sector().source(c, row, s);
            sources.push_back(source.row == Sector::no_row
                                  ? CrossingView::none
                                  : static_cast<std::uint32_t>(places[source.row] << 1 | (source.minus ? 1 : 0)));
        }
    entrances.views.push_back({products_[c.from].layout, products_[c.to].layout, static_cast<int>(c.sites.size()),
                               sources.data(), hops.data(), pair_views.data()});
}

std::uint64_t RowPlan::scratch_reals() const {
    std::uint64_t reals = 0;
    for (const ProductRows& product : products_) {
        reals = std::max(reals, lanczos::scratch_reals(product.h));
        for (const CrossingView& c : product.entrances.views) reals = std::max(reals, crossing_scratch_reals(c));
    }
    return reals;
}

RankRows RowPlan::rank_rows() const {
    RankRows rows;
    for (const ProductRows& product : products_) {
        if (product.rows != nullptr) rows.up_entries += product.rows->entries();
        if (product.exchange == nullptr) continue;
        rows.received += product.exchange->blocks() * product.layout.block_size();
        rows.sent += product.exchange->packed_bytes() / plan_.real_bytes();
    }
    return rows;
}

std::string RowPlan::transport() const {
    if (comm_.size() == 1) return {};
    if (turned_) return "H_up: panels are turned there and back";
    std::uint64_t received = 0;
    for (const ProductRows& product : products_)
        if (product.exchange != nullptr) received += product.exchange->bytes_received();
    const std::string within =
        node_->alone() ? ""
                       : "rows are read in place by the " + std::to_string(node_->ranks().size()) + " ranks of a node";
    if (static_cast<int>(node_->ranks().size()) == comm_.size()) return "H_up: " + within;
    return "H_up: " + within + (within.empty() ? "" : "; ") + human_bytes(received) +
           " of needed rows reach this rank per step";
}

}  // namespace strata::lanczos
