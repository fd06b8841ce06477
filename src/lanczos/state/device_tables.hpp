// SPDX-License-Identifier: BSD-3-Clause
// Copies of the hopping matrices and bit strings in device memory, and views of the Hamiltonian that point there. The
// copies live as long as this object.
#pragma once

#include <algorithm>
#include <list>
#include <vector>

#include "kernels/lanczos/component_table.hpp"
#include "strata/queue.hpp"

namespace strata::lanczos {

class DeviceTables {
  public:
    explicit DeviceTables(const Queue<Cuda>& queue) : queue_(queue) {}

    /// Copy of a hopping matrix of `rows` rows.
    HoppingView hops(const HoppingView& h, std::uint64_t rows) {
        HoppingView on_device = h;
        on_device.first = copy(h.first, rows + 1);
        on_device.complex = copy(h.complex, rows);
        on_device.entries = copy(h.entries, h.first[rows]);
        const std::uint64_t named = amplitudes(h, rows);
        on_device.re = copy(h.re, named);
        on_device.im = copy(h.im, named);
        on_device.element = copy(h.element, named);
        return on_device;
    }
    /// `bit_strings`: number of bit strings, more than rows where a row represents a whole orbit.
    ComponentView component(const ComponentView& s, std::uint64_t bit_strings) {
        return {s.dim, hops(s.hops, s.dim), copy(s.diagonal, s.dim), copy(s.sites, bit_strings)};
    }
    StabiliserView stabilisers(const StabiliserView& s, std::uint64_t count) {
        const std::uint64_t entries = s.first[count];
        return {copy(s.first, count + 1), copy(s.element, entries), copy(s.re, entries), copy(s.im, entries)};
    }
    HamiltonianView hamiltonian(const HamiltonianView& h, std::uint64_t own_rows) {
        HamiltonianView on_device = h;
        on_device.up = component(h.up, h.up.sites == nullptr ? 0 : h.up.dim);
        on_device.down = component(h.down, h.layout.dim_down);
        on_device.rows = hops(h.rows, own_rows);
        const SymmetryView& s = h.symmetry;
        if (s.vanishing != nullptr)
            on_device.symmetry.vanishing = copy(s.vanishing, (h.up.dim + 63) / 64);
        else if (const std::uint64_t order = s.order; order != 0)
            on_device.symmetry = {s.order, copy(s.left, order * order), copy(s.right, order * order),
                                  stabilisers(s.rows, h.up.dim), stabilisers(s.columns, h.down.dim)};
        if (h.coupling.energy != nullptr)
            on_device.coupling.energy =
                copy(h.coupling.energy, static_cast<std::uint64_t>(h.coupling.up_sites * h.coupling.down_sites));
        return on_device;
    }
    SubspaceHopsView subspace_hops(const SubspaceHopsView& c, std::uint64_t own_rows) {
        SubspaceHopsView on_device = c;
        const auto sites = static_cast<std::uint64_t>(c.sites);
        on_device.sources = copy(c.sources, own_rows * sites);
        std::vector<HoppingView> views;
        for (std::uint64_t s = 0; s < sites; ++s) views.push_back(hops(c.hops[s], c.to.dim_down));
        on_device.hops = copy(views.data(), sites);
        on_device.left = {};  // the device works row by row
        return on_device;
    }
    /// Copy of an array; waits until it is done.
    template <class T>
    T* copy(const T* from, std::uint64_t count) {
        auto& buffer = buffers_.emplace_back(std::max<std::uint64_t>(1, count * sizeof(T)));
        copy_to_device(queue_, buffer.view().part(0, count * sizeof(T)),
                       std::span(reinterpret_cast<const char*>(from), count * sizeof(T)));
        queue_.wait();
        return reinterpret_cast<T*>(buffer.data());
    }

  private:
    /// Number of amplitude classes up to the largest one in the entries.
    static std::uint64_t amplitudes(const HoppingView& h, std::uint64_t rows) {
        std::uint64_t max_class = 0;
        for (std::uint64_t e = 0; e < h.first[rows]; ++e)
            max_class = std::max<std::uint64_t>(max_class, h.entries[e] & (h.class_mask()));
        return h.first[rows] == 0 ? 0 : max_class + 1;
    }

    const Queue<Cuda>& queue_;
    std::list<Buffer<char, Cuda>> buffers_;
};

}  // namespace strata::lanczos
