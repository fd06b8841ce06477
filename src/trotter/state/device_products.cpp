// SPDX-License-Identifier: BSD-3-Clause
// Groups are sorted by the bits that they flip, so that those with the same flips of ranks, and of slabs, follow one
// another.
#include "trotter/state/device_products.hpp"

#include "comm/tags.hpp"

namespace strata::trotter {

template <class Real>
void DeviceProducts<Real>::allocate() {
    const std::uint64_t amplitudes = plan_.product_slab_rows() << plan_.layout().row_bits;
    sent_ = Buffer<Amplitude<Real>, Cuda>(amplitudes);
    received_ = Buffer<Amplitude<Real>, Cuda>(amplitudes);
}

template <class Real>
FlipProductsView DeviceProducts<Real>::tables(const FlipProducts& products) {
    const auto [found, is_new] = tables_.try_emplace(&products);
    Tables& t = found->second;
    const auto upload = [&](auto& to, const auto& from) {
        using Element = typename std::remove_cvref_t<decltype(from)>::value_type;
        to = Buffer<Element, Cuda>(from.size());
        copy_to_device(queue_, to.view(), std::span<const Element>(from));
    };
    if (is_new) {
        upload(t.groups, products.groups);
        upload(t.first_term, products.first_term);
        upload(t.terms, products.terms);
        upload(t.entry_blocks, products.entry_blocks);
        queue_.wait();
    }
    return {t.groups.data(),       t.first_term.data(), t.terms.data(),
            t.entry_blocks.data(), products.tile_bits,  products.lane_bits};
}

template <class Real>
void DeviceProducts<Real>::add(const FlipProducts& products, double a, const Amplitude<Real>* from,
                               Amplitude<Real>* to) {
    const FlipProductsView view = tables(products);
    const int own_bits = plan_.own_bits();
    const auto ranks_of = [&](std::uint64_t g) { return products.groups[g].flip >> own_bits; };
    for (std::uint64_t first = 0, last = 0; first < products.groups.size(); first = last) {
        while (last < products.groups.size() && ranks_of(last) == ranks_of(first)) ++last;
        if (ranks_of(first) == 0)
            device_sum_kernels<Real>().add_products(queue_, view, {first, last},
                                                    plan_.own_rows().first << plan_.layout().row_bits,
                                                    std::uint64_t{1} << own_bits, a, from, to);
        else
            add_remote(products, view, {first, last}, a, state_comm_.rank() ^ static_cast<int>(ranks_of(first)), from,
                       to);
    }
}

template <class Real>
void DeviceProducts<Real>::add_remote(const FlipProducts& products, const FlipProductsView& v, Range groups, double a,
                                      int other, const Amplitude<Real>* from, Amplitude<Real>* to) {
    const std::uint64_t size = sent_.size(), slabs = (std::uint64_t{1} << plan_.own_bits()) / size,
                        own = plan_.own_rows().first << plan_.layout().row_bits;
    const auto slab_flips = [&](std::uint64_t g) { return products.groups[g].flip / size & (slabs - 1); };
    const auto [found, is_new] = exchanges_.try_emplace(other, state_comm_, queue_, route_);
    Exchange<Cuda>& exchange = found->second;
    if (is_new) {
        exchange.plan_receive(other, tag::flipped_slabs, received_.data(), size * sizeof(Amplitude<Real>));
        exchange.plan_send(other, tag::flipped_slabs, sent_.data(), size * sizeof(Amplitude<Real>));
    }
    for (std::uint64_t first = groups.first, last = first; first < groups.last; first = last) {
        while (last < groups.last && slab_flips(last) == slab_flips(first)) ++last;
        for (std::uint64_t n = 0; n < slabs;
             ++n) {  // slab n of the other rank goes to the amplitudes that it is flipped to
            const std::uint64_t into = (n ^ slab_flips(first)) * size;
            device_sum_kernels<Real>().combine(queue_, size, {1, 0}, 0, from + n * size, sent_.data());
            exchange.start();
            exchange.finish();
            device_sum_kernels<Real>().add_products(queue_, v, {first, last}, own + into, size, a, received_.data(),
                                                    to + into);
        }
    }
}

template class DeviceProducts<double>;
template class DeviceProducts<float>;

}  // namespace strata::trotter
