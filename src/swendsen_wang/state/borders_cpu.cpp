// SPDX-License-Identifier: BSD-3-Clause
// Borders of a slab in host memory: the halo exchange of spins, and the list of clusters with active bonds across a
// border, whose labels comm/label_ownership.hpp resolves (Wende and Steinke, SC13, section 4.2).
#include "swendsen_wang/state/borders_cpu.hpp"

#include <algorithm>

#include "kernels/swendsen_wang/sweep_kernels.hpp"

namespace strata::swendsen_wang {
namespace {

constexpr std::uint32_t none = UINT32_MAX;

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

/// Calls visit(component id) for every active bond between the tile layer at local row `below` and the next one, in the
/// order of the sites along the border. `own` is the first row of the one of the two layers that belongs to this slab.
template <class Visit>
void for_each_border_bond(const SlabView& s, std::int64_t below, std::int64_t own, Visit visit) {
    const TileLattice& l = s.lattice;
    const int shift = l.boundary_shift(below, l.slow_axis()), own_shift = own == below ? shift : 0;
    const std::uint64_t border = border_bits(l);
    for (std::int64_t y = 0; y < static_cast<std::int64_t>(l.rows_per_layer()); ++y) {
        const std::uint64_t* bonds = s.bonds[l.slow_axis()] + s.word(below + y, 0);
        for (std::uint64_t t = 0; t < l.row_tiles(); ++t) {
            const std::uint64_t n = s.index_of(static_cast<std::uint64_t>(own + y), t);
            for (std::uint64_t active = bonds[t] >> shift & border; active != 0; active &= active - 1) {
                const int site = __builtin_ctzll(active) + own_shift;
                visit(s.first_id[n] + s.component[64 * n + static_cast<std::uint64_t>(site)]);
            }
        }
    }
}

}  // namespace

/// first_label_ becomes the prefix sum of the numbers of ids in use.
LocalLabels::LocalLabels(const SlabView& s) : first_label_(1, 0) {
    for (int t = 0; t < s.thread_count; ++t) {
        first_id_.push_back(s.threads[t].first_id);
        first_label_.push_back(first_label_.back() + s.threads[t].last_id - s.threads[t].first_id);
    }
}

std::uint32_t LocalLabels::label(std::uint32_t id) const {
    const auto t = static_cast<std::size_t>(std::ranges::upper_bound(first_id_, id) - first_id_.begin()) - 1;
    return first_label_[t] + (id - first_id_[t]);
}

std::uint32_t LocalLabels::id(std::uint32_t label) const {
    const auto t = static_cast<std::size_t>(std::ranges::upper_bound(first_label_, label) - first_label_.begin()) - 1;
    return first_id_[t] + (label - first_label_[t]);
}

/// A single rank has no border clusters and allocates no index of them.
Borders<Cpu>::Borders(const Communicator& comm, const SwendsenWangPlan& plan, const Slab<Cpu>&,
                      const BackendOptions<Cpu>&)
    : comm_(comm),
      protocol_(plan.label_protocol()),
      halo_(plan.halo_words(), comm),
      ownership_(comm, 0),
      cluster_index_(comm.size() > 1 ? plan.id_capacity() : 0, none) {}

/// With one rank the slab exchanges with itself, which closes the periodic lattice.
void Borders<Cpu>::exchange_spins(Slab<Cpu>& slab) {
    SlabView& s = slab.view();
    const TileLattice& l = s.lattice;
    const auto per_layer = static_cast<std::int64_t>(l.rows_per_layer()), rows = static_cast<std::int64_t>(l.rows());
    for (int bit = 0; bit < s.state_bits; ++bit) {
        pack_border(s, bit, 0, 0, halo_.to_previous());
        pack_border(s, bit, rows - per_layer, l.boundary_shift(rows - per_layer, l.slow_axis()), halo_.to_next());
        halo_.start();
        halo_.finish();
        unpack_border(halo_.from_previous(), s, bit, -per_layer, l.boundary_shift(-per_layer, l.slow_axis()));
        unpack_border(halo_.from_next(), s, bit, rows, 0);
    }
}

/// Index of the border cluster of a component; a new cluster is appended to the list.
std::uint32_t Borders<Cpu>::cluster_of(const SlabView& s, std::uint32_t id) {
    const std::uint32_t root = s.parent[id] = root_of(s.parent, id);  // neighbouring bonds often share an id
    std::uint32_t& index = cluster_index_[root];
    if (index == none) {
        const std::uint32_t label = local_.label(root);
        index = clusters_.add(label, spin_label(s.sweep, ownership_.global(label), s.cluster_spin[root]));
        root_id_.push_back(root);
    }
    return index;
}

/// Both sides of a border list their bonds in the order of the sites, so that the lists of neighbours correspond.
void Borders<Cpu>::resolve_labels(Slab<Cpu>& slab) {
    if (comm_.size() == 1) return;
    SlabView& s = slab.view();
    const auto per_layer = static_cast<std::int64_t>(s.lattice.rows_per_layer()),
               rows = static_cast<std::int64_t>(s.lattice.rows());
    local_ = LocalLabels(s);
    ownership_ = LabelOwnership(comm_, local_.count());
    clusters_.clear();
    root_id_.clear();
    for_each_border_bond(s, -per_layer, 0,
                         [&](std::uint32_t id) { clusters_.to_previous.push_back(cluster_of(s, id)); });
    for_each_border_bond(s, rows - per_layer, rows - per_layer,
                         [&](std::uint32_t id) { clusters_.to_next.push_back(cluster_of(s, id)); });
    for (std::uint32_t root : root_id_) cluster_index_[root] = none;
    resolve(comm_, protocol_, clusters_);
    for (std::size_t i = 0; i < root_id_.size(); ++i) s.cluster_spin[root_id_[i]] = payload_of(clusters_.label[i]);
}

/// Adds the sizes received for roots of this slab, then subtracts the sizes that were sent.
void Borders<Cpu>::send_sizes_to_owners(Slab<Cpu>& slab) {
    if (comm_.size() == 1) return;
    std::uint64_t* sizes = slab.sizes();
    std::vector<std::uint64_t> amount;
    for (std::uint32_t id : root_id_) amount.push_back(sizes[id]);
    const std::vector<std::uint64_t> own = amount;
    for (const LabelAmount& received : send_to_owners(comm_, ownership_, clusters_, amount))
        sizes[local_.id(ownership_.local(received.label))] += received.amount;
    for (std::size_t i = 0; i < root_id_.size(); ++i) sizes[root_id_[i]] -= own[i] - amount[i];
}

}  // namespace strata::swendsen_wang
