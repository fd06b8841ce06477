// SPDX-License-Identifier: BSD-3-Clause
// Borders of a slab in host memory: the halo exchange of spins, and the list of clusters with active bonds across a
// border, whose labels comm/label_ownership.hpp resolves (Wende and Steinke, SC13, section 4.2).
#include "swendsen_wang/state/borders_cpu.hpp"

#include <algorithm>

#include "kernels/swendsen_wang/sweep_kernels.hpp"

namespace strata::swendsen_wang {
namespace {

/// Mask of the sites of a tile with coordinate 0 along the slow axis: its sites on the border to the previous tile
/// layer.
std::uint64_t border_bits(const TileLattice& l) { return first_sites(l.dimensions, l.slow_axis()); }

/// Packs the border sites of the tiles of a layer, which starts at local row `row`, into one bit per site. They lie
/// `shift` bits above the first sites of their tiles.
void pack_border(const SlabView& s, int bit, std::int64_t row, int shift, Buffer<std::uint64_t>& words) {
    const int sites = boundary_sites(s.lattice.dimensions), per_word = 64 / sites;
    const std::uint64_t border = border_bits(s.lattice), tiles = s.lattice.row_tiles();
    std::uint64_t at = 0;
    std::fill(words.begin(), words.end(), 0);
    for (std::uint64_t y = 0; y < s.lattice.rows_per_layer(); ++y) {
        const std::uint64_t* spins = s.spins[bit] + s.word(row + static_cast<std::int64_t>(y), 0);
        for (std::uint64_t t = 0; t < tiles; ++t, ++at)
            words[at / per_word] |= (spins[t] >> shift & border) << (at % per_word * sites);
    }
}

/// The inverse of pack_border; all other sites of the tiles become 0.
void unpack_border(const Buffer<std::uint64_t>& words, SlabView& s, int bit, std::int64_t row, int shift) {
    const int sites = boundary_sites(s.lattice.dimensions), per_word = 64 / sites;
    const std::uint64_t border = border_bits(s.lattice), tiles = s.lattice.row_tiles();
    std::uint64_t at = 0;
    for (std::uint64_t y = 0; y < s.lattice.rows_per_layer(); ++y) {
        std::uint64_t* spins = s.spins[bit] + s.word(row + static_cast<std::int64_t>(y), 0);
        for (std::uint64_t t = 0; t < tiles; ++t, ++at)
            spins[t] = (words[at / per_word] >> (at % per_word * sites) & border) << shift;
    }
}

/// What packing a layer and unpacking it as another one does, in one step.
void copy_border(SlabView& s, int bit, std::int64_t from_row, int from_shift, std::int64_t to_row, int to_shift) {
    const std::uint64_t border = border_bits(s.lattice), tiles = s.lattice.row_tiles();
    for (std::uint64_t y = 0; y < s.lattice.rows_per_layer(); ++y) {
        const std::uint64_t* from = s.spins[bit] + s.word(from_row + static_cast<std::int64_t>(y), 0);
        std::uint64_t* to = s.spins[bit] + s.word(to_row + static_cast<std::int64_t>(y), 0);
        for (std::uint64_t t = 0; t < tiles; ++t) to[t] = (from[t] >> from_shift & border) << to_shift;
    }
}

}  // namespace

/// A single rank has no border clusters and allocates no lists of them.
Borders<Cpu>::Borders(const Communicator& comm, const SwendsenWangPlan& plan, const Slab<Cpu>&,
                      const BackendOptions<Cpu>&)
    : comm_(comm),
      kernels_(plan.kernels()),
      resolver_(comm, plan.label_protocol()),
      halo_(plan.halo_words(), comm),
      roots_(comm.size() > 1 ? 2 * plan.border_sites() : 0) {}

/// With one rank the slab is its own neighbour, which closes the periodic lattice.
void Borders<Cpu>::exchange_spins(Slab<Cpu>& slab) {
    SlabView& s = slab.view();
    const TileLattice& l = s.lattice;
    const auto per_layer = static_cast<std::int64_t>(l.rows_per_layer()), rows = static_cast<std::int64_t>(l.rows());
    const std::int64_t last = rows - per_layer, below = -per_layer;
    const int shift_last = l.boundary_shift(last, l.slow_axis()), shift_below = l.boundary_shift(below, l.slow_axis());
    for (int bit = 0; bit < s.state_bits; ++bit) {
        if (comm_.size() == 1) {
            copy_border(s, bit, last, shift_last, below, shift_below);
            copy_border(s, bit, 0, 0, rows, 0);
            continue;
        }
        pack_border(s, bit, 0, 0, halo_.to_previous());
        pack_border(s, bit, last, shift_last, halo_.to_next());
        halo_.start();
        halo_.finish();
        unpack_border(halo_.from_previous(), s, bit, below, shift_below);
        unpack_border(halo_.from_next(), s, bit, rows, 0);
    }
}

/// Lists the clusters at a border, and the cluster at each of its active bonds, given their roots. While clusters are
/// listed, the parent of a root is not the root itself but root + 1 + its index in the list, modulo 2^32; root and parent
/// are in the caches already. New clusters are appended without branches, which nothing could predict.
void Borders<Cpu>::list_clusters(const SlabView& s, std::span<const std::uint32_t> roots,
                                 std::vector<std::uint32_t>& bonds) {
    constexpr std::uint32_t none = UINT32_MAX;
    auto count = static_cast<std::uint32_t>(clusters_.root.size());
    clusters_.root.resize(count + roots.size());
    bonds.resize(roots.size());
    for (std::size_t i = 0; i < roots.size(); ++i) {
        const std::uint32_t root = roots[i], listed = s.parent[root] - root - 1;
        const std::uint32_t cluster = listed == none ? count : listed;
        clusters_.root[cluster] = root;
        s.parent[root] = root + 1 + cluster;
        bonds[i] = cluster;
        count += listed == none ? 1 : 0;
    }
    clusters_.root.resize(count);
}

/// Both sides of a border list their bonds in the order of the sites, so that the lists of neighbours correspond. A
/// cluster's local label is the id of its root.
void Borders<Cpu>::resolve_labels(Slab<Cpu>& slab) {
    if (comm_.size() == 1) return;
    const SlabView& s = slab.view();
    const std::span<std::uint32_t> roots(roots_.data(), roots_.size());
    const std::size_t next = kernels_.list_border_roots(s, Border::to_next, roots.data()),
                      previous = kernels_.list_border_roots(s, Border::to_previous, roots.data() + next);
    std::vector<std::uint32_t>& root = clusters_.root;
    root.clear();
    list_clusters(s, roots.first(next), clusters_.to_next);
    clusters_.at_next = static_cast<std::uint32_t>(root.size());
    list_clusters(s, roots.subspan(next, previous), clusters_.to_previous);
    clusters_.label.resize(root.size());
    for (std::size_t i = 0; i < root.size(); ++i) {
        s.parent[root[i]] = root[i];
        clusters_.label[i] = spin_label(s.sweep, global_label(comm_.rank(), root[i]), s.cluster_spin[root[i]]);
    }
    resolver_.resolve(clusters_);
    for (std::size_t i = 0; i < root.size(); ++i) s.cluster_spin[root[i]] = payload_of(clusters_.label[i]);
}

/// Adds the sizes received for roots of this slab, then subtracts the sizes that were sent.
void Borders<Cpu>::send_sizes_to_owners(Slab<Cpu>& slab) {
    if (comm_.size() == 1) return;
    std::uint64_t* sizes = slab.sizes();
    const std::vector<std::uint32_t>& root = clusters_.root;
    std::vector<std::uint64_t> amount;
    for (std::uint32_t id : root) amount.push_back(sizes[id]);
    const std::vector<std::uint64_t> own = amount;
    for (const LabelAmount& received : send_to_owners(comm_, clusters_, amount))
        sizes[local_label(received.label)] += received.amount;
    for (std::size_t i = 0; i < root.size(); ++i) sizes[root[i]] -= own[i] - amount[i];
}

}  // namespace strata::swendsen_wang
