// SPDX-License-Identifier: BSD-3-Clause
// Memory of replicas side by side: the neighbours of the tiles, the signs of the couplings, and the acceptance
// probabilities as binary digits.
#include "swendsen_wang/state/replicas.hpp"

#include <algorithm>

#include "kernels/instruction_sets.hpp"
#include "kernels/swendsen_wang/tile_core.hpp"
#include "swendsen_wang/state/observation.hpp"

namespace strata::swendsen_wang {
namespace {

/// Tile indices along x, y and z.
struct TileIndex {
    std::uint64_t along[3];

    TileIndex(const TileLattice& l, std::uint64_t tile)
        : along{tile % l.tiles[0], tile / l.tiles[0] % l.tiles[1], tile / l.tiles[0] / l.tiles[1]} {}
    std::uint64_t number(const TileLattice& l) const {
        return (along[2] * l.tiles[1] + along[1]) * l.tiles[0] + along[0];
    }
};

std::uint64_t sites_of(const TileLattice& l, const TileIndex& t) {
    std::uint64_t sites = ~std::uint64_t{0};
    for (int axis = 0; axis < l.dimensions; ++axis)
        sites &= sites_below(l.dimensions, axis, l.width(axis, t.along[axis]));
    return sites;
}

TileNeighbours neighbours_of(const TileLattice& l, const TileIndex& t, std::uint64_t sites, int axis,
                             Boundary boundary) {
    const std::uint64_t tiles = l.tiles[axis], index = t.along[axis];
    TileIndex next = t, previous = t;
    next.along[axis] = (index + 1) % tiles;
    previous.along[axis] = (index + tiles - 1) % tiles;
    const auto stride = static_cast<std::uint64_t>(stride_of(l.dimensions, axis));
    const auto last = [&](std::uint64_t i) { return last_sites(l.dimensions, axis, l.width(axis, i)); };
    TileNeighbours n;
    n.next = static_cast<std::uint32_t>(next.number(l));
    n.previous = static_cast<std::uint32_t>(previous.number(l));
    n.last = last(index);
    n.last_of_previous = last(previous.along[axis]);
    n.stride = stride;
    n.shift = stride * (l.width(axis, index) - 1);
    n.shift_of_previous = stride * (l.width(axis, previous.along[axis]) - 1);
    if (boundary != Boundary::open) return n;
    if (index + 1 == tiles) n.missing = n.last & sites;
    if (index == 0) n.missing_before = first_sites(l.dimensions, axis) & sites;
    return n;
}

using Entry = MetropolisTable::Entry;

bool same_class(const Entry& a, const Entry& b) {
    return a.satisfied == b.satisfied && a.missing == b.missing && a.spin == b.spin;
}

/// Whether the sites of class b are of class a as well.
bool contains(const Entry& a, const Entry& b) {
    return same_class(a, b) || (a.spin == SpinClass::either && same_class({a.satisfied, a.missing, b.spin}, b));
}

/// The classes of all tables; without a field, those of both spins, if other replicas of the group are in one.
std::vector<Entry> classes_of(std::span<const MetropolisTable> tables) {
    std::vector<Entry> all;
    const auto add = [&](const Entry& e) {
        if (std::ranges::none_of(all, [&](const Entry& known) { return same_class(known, e); })) all.push_back(e);
    };
    bool by_spin = false;
    for (const MetropolisTable& table : tables)
        by_spin = by_spin || (table.count > 0 && table.entries[0].spin != SpinClass::either);
    for (const MetropolisTable& table : tables)
        for (const Entry& e : std::span(table.entries).first(static_cast<std::size_t>(table.count)))
            if (by_spin && e.spin == SpinClass::either)
                for (const SpinClass spin : {SpinClass::up, SpinClass::down}) add({e.satisfied, e.missing, spin});
            else
                add(e);
    return all;
}

bool is_standard(std::span<const Entry> entries, int dimensions) {
    int satisfied = dimensions;
    return static_cast<int>(entries.size()) == dimensions && std::ranges::all_of(entries, [&](const Entry& e) {
               return same_class(e, {static_cast<std::uint8_t>(++satisfied)});
           });
}

}  // namespace

Replicas::Replicas(std::span<const SwendsenWangConfig> configs, std::vector<std::uint64_t> first_random)
    : kernels_(choose_kernels(sweep_variants(), configs.front().simd)), first_random_(std::move(first_random)) {
    set_tiles(configs.front());
    const std::size_t groups = (configs.size() + group_replicas - 1) / group_replicas, tiles = tiles_.size(),
                      signs = 2 * tiles * static_cast<std::size_t>(view_.lattice.dimensions);
    spins_.resize(groups * tiles);
    negative_.resize(groups * signs);
    tables_.resize(groups);
    groups_.resize(groups);
    counts_.resize(groups * count_rows_);
    modes_.resize(groups);
    for (std::size_t g = 0; g < groups; ++g) {
        groups_[g].spins = spins(g);
        groups_[g].negative = negative_.data() + g * signs;
    }
    for (std::size_t r = 0; r < configs.size(); ++r) {
        for (std::uint32_t round = 0; round < 10; ++round)
            for (const int word : {0, 1})
                groups_[r / group_replicas].key[round][word].lane[r % group_replicas] =
                    round_key(configs[r].seed, word, round);
        set_signs(r, configs[r].couplings());
        set_table(r, configs[r].metropolis());
    }
}

void Replicas::set_tiles(const SwendsenWangConfig& c) {
    TileLattice& l = view_.lattice;
    l = TileLattice(static_cast<int>(c.extents.size()), c.extents.data());
    for (std::uint64_t tile = 0; tile < l.slab_tiles(); ++tile) {
        const TileIndex index(l, tile);
        ReplicaTile& t = tiles_.emplace_back();
        t.sites = sites_of(l, index);
        for (int axis = 0; axis < l.dimensions; ++axis) {
            t.first[axis] = index.along[axis] * l.edge();
            t.along[axis] = neighbours_of(l, index, t.sites, axis, c.boundary(static_cast<std::size_t>(axis)));
        }
    }
    for (int axis = 0; axis < l.dimensions; ++axis) {
        view_.open = view_.open || c.boundary(static_cast<std::size_t>(axis)) == Boundary::open;
        count_rows_ += l.tiles[axis] * l.edge();
        phases_[axis] = unit_circle(l.extent[axis]);
        view_.phases[axis] = phases_[axis].data();
    }
    view_.tile = tiles_.data();
}

/// The signs of the bonds to the next sites are drawn as in a sweep of a single lattice; those to the previous sites are
/// the same, at the other site of each bond.
void Replicas::set_signs(std::size_t replica, const Couplings& c) {
    if (c.uniform) return;
    const TileLattice& l = view_.lattice;
    const std::size_t lane = replica % group_replicas, tiles = tiles_.size();
    ReplicaWords* negative = negative_.data() + replica / group_replicas * 2 * tiles * l.dimensions;
    for (int axis = 0; axis < l.dimensions; ++axis) {
        const auto sign = [&](std::uint64_t tile, int direction) -> std::uint64_t& {
            return negative[(tile * l.dimensions + axis) * 2 + direction].lane[lane];
        };
        for (std::uint64_t tile = 0; tile < tiles; ++tile) {
            const ReplicaTile& t = tiles_[tile];
            const bool at_end = TileIndex(l, tile).along[axis] + 1 == l.tiles[axis];
            sign(tile, 0) = satisfied_bonds(c, tile, axis, 0, t.sites, at_end ? t.along[axis].last & t.sites : 0);
        }
        for (std::uint64_t tile = 0; tile < tiles; ++tile) {
            const TileNeighbours& n = tiles_[tile].along[axis];
            sign(tile, 1) = n.from_previous(sign(tile, 0), sign(n.previous, 0));
        }
    }
}

/// Where the classes stay the same, only the digits of this replica change.
void Replicas::set_table(std::size_t replica, const MetropolisTable& table) {
    const std::size_t lane = replica % group_replicas;
    Table& t = tables_[replica / group_replicas];
    const auto entries = [](const MetropolisTable& of) {
        return std::span(of.entries).first(static_cast<std::size_t>(of.count));
    };
    t.changed = t.changed || !std::ranges::equal(entries(t.of_replica[lane]), entries(table), same_class);
    t.of_replica[lane] = table;
    if (!t.changed) set_digits(t, lane);
}

void Replicas::set_digits(Table& t, std::size_t lane) {
    const MetropolisTable& table = t.of_replica[lane];
    const std::size_t classes = t.entries.size();
    for (std::size_t i = 0; i < classes; ++i) {
        std::uint64_t threshold = MetropolisTable::otherwise;
        for (int k = 0; k < table.count; ++k)
            if (contains(table.entries[k], t.entries[i])) threshold = table.entries[k].threshold;
        for (std::size_t digit = 0; digit < 64; ++digit)
            t.digits[digit * classes + i].lane[lane] = 0 - (threshold >> (63 - digit) & 1);
    }
}

/// A class that only other replicas have accepts the flips of this one as those of no class.
void Replicas::set_classes(std::size_t group) {
    Table& t = tables_[group];
    t.entries = classes_of(t.of_replica);
    const std::size_t classes = t.entries.size();
    t.digits.assign(64 * classes, {});
    for (std::size_t lane = 0; lane < group_replicas; ++lane) set_digits(t, lane);
    t.accepted.resize(tiles_.size() * (classes + 1));
    groups_[group].accepted = t.accepted.data();
    groups_[group].table = {t.entries.data(), static_cast<int>(classes),
                            is_standard(t.entries, view_.lattice.dimensions), t.digits.data()};
    t.changed = false;
}

void Replicas::read(std::size_t replica, std::span<std::uint64_t> words) const {
    const ReplicaWords* tile = spins_.data() + replica / group_replicas * tiles_.size();
    for (std::uint64_t& word : words) word = (tile++)->lane[replica % group_replicas];
}

void Replicas::write(std::size_t replica, std::span<const std::uint64_t> words) {
    ReplicaWords* tile = spins(replica / group_replicas);
    for (const std::uint64_t word : words) (tile++)->lane[replica % group_replicas] = word;
}

void Replicas::sweep(std::uint64_t step, Timers& timers) {
    const Timers::Scope scope = timers.scope("metropolis");
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        if (tables_[g].changed) set_classes(g);
        for (std::size_t r = g * group_replicas; r < std::min(first_random_.size(), (g + 1) * group_replicas); ++r)
            groups_[g].sweep.lane[r % group_replicas] = first_random_[r] + step;
        kernels_.sweep_replicas(view_, groups_[g]);
    }
}

void Replicas::count(Timers& timers) {
    const Timers::Scope scope = timers.scope("observation");
    std::ranges::fill(counts_, ReplicaWords());
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        ReplicaWords* row = counts_.data() + g * count_rows_;
        ReplicaCounts counts = {row, row + 1, {}, &modes_[g]};
        row += 2;
        for (int axis = 0; axis < view_.lattice.dimensions; ++axis) {
            counts.plane[axis] = row;
            row += view_.lattice.tiles[axis] * view_.lattice.edge();
        }
        kernels_.count_replicas(view_, groups_[g], counts);
    }
}

}  // namespace strata::swendsen_wang
