// SPDX-License-Identifier: BSD-3-Clause
// Groups are sorted by the bits that they flip, so that those with the same flips of ranks follow one another.
#include "trotter/state/host_products.hpp"

#include <algorithm>

#include "comm/exchange.hpp"
#include "comm/tags.hpp"

namespace strata::trotter {

template <class Real>
void HostProducts<Real>::allocate() {
    slab_rows_ = plan_.product_slab_rows();
    if (slab_rows_ > 0 && static_cast<int>(node_.ranks().size()) < state_comm_.size())
        slab_ = Buffer<double>(plan_.layout().reals(slab_rows_) * sizeof(Real) / sizeof(double));
}

template <class Real>
void HostProducts<Real>::add(const FlipProducts& products, double a,
                             const std::function<const Real*(std::size_t node_rank)>& from, Real* to) {
    const FlipProductsView view = products.view();
    const Range rows = plan_.own_rows();
    const int own_bits = plan_.own_bits();
    const auto ranks_of = [&](std::uint64_t g) { return products.groups[g].flip >> own_bits; };
    const bool crosses = ranks_of(products.groups.size() - 1) != 0;
    if (crosses) node_.barrier();
    for (std::uint64_t first = 0, last = 0; first < products.groups.size(); first = last) {
        while (last < products.groups.size() && ranks_of(last) == ranks_of(first)) ++last;
        const int other = state_comm_.rank() ^ static_cast<int>(ranks_of(first));
        const auto found = std::ranges::find(node_.ranks(), other);
        if (found == node_.ranks().end())
            add_remote(view, {first, last}, a, from(static_cast<std::size_t>(node_.node_rank())), other, to);
        else
            kernels_.add_products(plan_.layout(), view, {first, last}, rows, a,
                                  from(static_cast<std::size_t>(found - node_.ranks().begin())), to);
    }
    if (crosses) node_.barrier();
}

template <class Real>
void HostProducts<Real>::add_remote(const FlipProductsView& v, Range groups, double a, const Real* own, int other,
                                    Real* to) {
    const StateLayout& layout = plan_.layout();
    const Range rows = plan_.own_rows();
    const std::uint64_t count = slab_rows_, bytes = layout.reals(count) * sizeof(Real), slabs = rows.size() / count;
    for (std::uint64_t first = groups.first, last = first; first < groups.last; first = last) {
        const auto slab_flips = [&](std::uint64_t g) {
            return (v.groups[g].flip >> layout.row_bits) / count & (slabs - 1);
        };
        while (last < groups.last && slab_flips(last) == slab_flips(first)) ++last;
        for (std::uint64_t n = 0; n < slabs; ++n) {  // slab n of the other rank goes to the rows that it is flipped to
            const std::uint64_t into = n ^ slab_flips(first);
            Exchange<Cpu> exchange(state_comm_);
            exchange.plan_receive(other, tag::flipped_slabs, slab_.data(), bytes);
            exchange.plan_send(other, tag::flipped_slabs, own + layout.row_offset(n * count), bytes);
            exchange.start();
            exchange.finish();
            kernels_.add_products(layout, v, {first, last},
                                  {rows.first + into * count, rows.first + (into + 1) * count}, a,
                                  reinterpret_cast<const Real*>(slab_.data()), to + layout.row_offset(into * count));
        }
    }
}

template class HostProducts<double>;
template class HostProducts<float>;

}  // namespace strata::trotter
