// SPDX-License-Identifier: BSD-3-Clause
#include "swendsen_wang/borders_cpu.hpp"

#include <algorithm>

#include "kernels/swendsen_wang/sweep_kernels.hpp"

namespace strata::swendsen_wang {
namespace {

constexpr std::uint32_t none = UINT32_MAX;

/// Sites of a tile on a face across the slow axis, and where they lie in a tile of that height.
int face_sites(const TileLattice& l) { return l.dimensions == 2 ? 8 : 16; }
int face_shift(const TileLattice& l, std::int64_t row) {
    const auto height = static_cast<int>(l.width(l.slow_axis(), l.layer_of(row)));
    return (height - 1) * stride_of(l.dimensions, l.slow_axis());
}

/// Packs the sites at `shift` of a layer's tiles, starting at local row `row`, densely into words.
void pack_face(const SliceView& s, std::int64_t row, int shift, Buffer<std::uint64_t>& words) {
    const int sites = face_sites(s.lattice), per_word = 64 / sites;
    const std::uint64_t face = (std::uint64_t{1} << sites) - 1, tiles = s.lattice.row_tiles();
    std::uint64_t at = 0;
    std::fill(words.begin(), words.end(), 0);
    for (std::uint64_t y = 0; y < s.lattice.rows_per_layer(); ++y) {
        const std::uint64_t* spins = s.spins + s.word(row + static_cast<std::int64_t>(y), 0);
        for (std::uint64_t t = 0; t < tiles; ++t, ++at)
            words[at / per_word] |= (spins[t] >> shift & face) << (at % per_word * sites);
    }
}

void unpack_face(const Buffer<std::uint64_t>& words, SliceView& s, std::int64_t row, int shift) {
    const int sites = face_sites(s.lattice), per_word = 64 / sites;
    const std::uint64_t face = (std::uint64_t{1} << sites) - 1, tiles = s.lattice.row_tiles();
    std::uint64_t at = 0;
    for (std::uint64_t y = 0; y < s.lattice.rows_per_layer(); ++y) {
        std::uint64_t* spins = s.spins + s.word(row + static_cast<std::int64_t>(y), 0);
        for (std::uint64_t t = 0; t < tiles; ++t, ++at)
            spins[t] = (words[at / per_word] >> (at % per_word * sites) & face) << shift;
    }
}

/// Calls visit(component id) for the own site of every bond between the layer at local row `below` and the next one,
/// in the order of the sites along the border. `own` is the layer that belongs to this slice.
template <class Visit>
void for_each_border_bond(const SliceView& s, std::int64_t below, std::int64_t own, Visit visit) {
    const TileLattice& l = s.lattice;
    const int shift = face_shift(l, below), own_shift = own == below ? shift : 0;
    const std::uint64_t face = (std::uint64_t{1} << face_sites(l)) - 1;
    for (std::int64_t y = 0; y < static_cast<std::int64_t>(l.rows_per_layer()); ++y) {
        const std::uint64_t* bonds = s.bonds[l.slow_axis()] + s.word(below + y, 0);
        for (std::uint64_t t = 0; t < l.row_tiles(); ++t) {
            const std::uint64_t n = s.number(static_cast<std::uint64_t>(own + y), t);
            for (std::uint64_t bonded = bonds[t] >> shift & face; bonded != 0; bonded &= bonded - 1)
                visit(s.base[n] + s.codes[64 * n + static_cast<std::uint64_t>(__builtin_ctzll(bonded) + own_shift)]);
        }
    }
}

}  // namespace

LocalLabels::LocalLabels(const SliceView& s) : first_label_(1, 0) {
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

Borders<Cpu>::Borders(const Communicator& comm, const SwendsenWangPlan& plan, const Slice<Cpu>&,
                      const BackendOptions<Cpu>&)
    : comm_(comm),
      halo_(plan.halo_words(), comm),
      labels_(comm, plan.merge()),
      cluster_index_(comm.size() > 1 ? plan.id_capacity() : 0, none) {}

void Borders<Cpu>::exchange_spins(Slice<Cpu>& slice) {
    SliceView& s = slice.view();
    const auto per_layer = static_cast<std::int64_t>(s.lattice.rows_per_layer()),
               rows = static_cast<std::int64_t>(s.lattice.rows());
    pack_face(s, 0, 0, halo_.to_previous());
    pack_face(s, rows - per_layer, face_shift(s.lattice, rows - per_layer), halo_.to_next());
    halo_.start();
    halo_.finish();
    unpack_face(halo_.from_previous(), s, -per_layer, face_shift(s.lattice, -per_layer));
    unpack_face(halo_.from_next(), s, rows, 0);
}

/// The border cluster of a component, entered into labels_ when met first.
std::uint32_t Borders<Cpu>::cluster_of(const SliceView& s, std::uint32_t id) {
    const std::uint32_t root = s.parent[id] = find_root(s.parent, id);  // neighbours ask for the same id
    std::uint32_t& index = cluster_index_[root];
    if (index == none) {
        index = labels_.add(local_.label(root), s.flip[root]);
        root_id_.push_back(root);
    }
    return index;
}

void Borders<Cpu>::resolve_labels(Slice<Cpu>& slice) {
    if (comm_.size() == 1) return;
    SliceView& s = slice.view();
    const auto per_layer = static_cast<std::int64_t>(s.lattice.rows_per_layer()),
               rows = static_cast<std::int64_t>(s.lattice.rows());
    local_ = LocalLabels(s);
    labels_.begin(local_.count());
    root_id_.clear();
    for_each_border_bond(s, -per_layer, 0,
                         [&](std::uint32_t id) { labels_.to_previous().push_back(cluster_of(s, id)); });
    for_each_border_bond(s, rows - per_layer, rows - per_layer,
                         [&](std::uint32_t id) { labels_.to_next().push_back(cluster_of(s, id)); });
    for (std::uint32_t root : root_id_) cluster_index_[root] = none;
    labels_.resolve();
    for (std::size_t i = 0; i < root_id_.size(); ++i) s.flip[root_id_[i]] = labels_.coin(i);
}

void Borders<Cpu>::sum_sizes(Slice<Cpu>& slice) {
    if (comm_.size() == 1) return;
    std::uint64_t* sizes = slice.sizes();
    std::vector<std::uint64_t> amount;
    for (std::uint32_t id : root_id_) amount.push_back(sizes[id]);
    std::vector<std::uint64_t> own = amount;
    labels_.hand_to_owners(amount, [&](std::uint32_t label, std::uint64_t more) { sizes[local_.id(label)] += more; });
    for (std::size_t i = 0; i < root_id_.size(); ++i) sizes[root_id_[i]] -= own[i] - amount[i];
}

}  // namespace strata::swendsen_wang
