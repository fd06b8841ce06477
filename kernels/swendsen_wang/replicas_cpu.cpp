// SPDX-License-Identifier: BSD-3-Clause
// Metropolis sweeps and counts of replicas side by side (replicas.hpp). A site of one colour has no neighbour of the same
// colour, and one thread computes a group, so that spins change in place.
#include <algorithm>
#include <cstring>

#include "kernels/swendsen_wang/metropolis.hpp"
#include "kernels/swendsen_wang/modes.hpp"
#include "kernels/swendsen_wang/philox_simd.hpp"
#include "kernels/swendsen_wang/sweep_kernels.hpp"

namespace strata::swendsen_wang::STRATA_ISA {
namespace {

static_assert(group_replicas % lanes == 0);

/// Calls that nearly all tiles need.
constexpr int usual_calls = 3;

/// Sites whose uniform number is below a threshold, by the binary digits so far, and those with equal digits.
struct Comparison {
    Words below = {}, undecided;
    [[gnu::always_inline]] void add(Words word, Words digit) {
        below = or_decided_below(below, undecided, word, digit);
        undecided = still_equal(undecided, word, digit);
    }
};

/// Number of classes: known to the compiler, which then keeps all of them in registers, or not.
template <int Count>
struct Classes {
    static constexpr int most = Count;
    static int count(const ReplicaTable&) { return Count; }
    static MetropolisTable::Entry entry(const ReplicaTable&, int i) {
        return {static_cast<std::uint8_t>(Count + 1 + i)};
    }
};
struct AnyClasses {
    static constexpr int most = MetropolisTable::most;
    static int count(const ReplicaTable& table) { return table.count; }
    static MetropolisTable::Entry entry(const ReplicaTable& table, int i) { return table.entries[i]; }
};

/// The sites of all tiles whose flips are accepted, in every class that a site may be in. The two colours take different
/// bits of the same random words, and what is accepted does not depend on the spins, so that both are drawn at once.
template <class Classes>
void draw_accepted(const ReplicaView& v, const ReplicaGroup& g, int first) {
    const int classes = Classes::count(g.table);
    for (std::uint64_t t = 0; t < v.lattice.slab_tiles(); ++t) {
        const Words even = set(2 * t);
        const RandomOf random(even, even + 1, ReplicaKeys(g, first));
        Comparison of_class[Classes::most], of_others;
        for (int i = 0; i < classes; ++i) of_class[i].undecided = set(v.tile[t].sites);
        of_others.undecided = set(v.tile[t].sites);
        const auto add_call = [&](int call) {
            const WordQuad quad = random.words(counter_purpose(Purpose::metropolis, 0, call));
            for (int level = 0; level < 4; ++level) {
                const ReplicaWords* digits = g.table.digits + (4 * call + level) * classes;
                for (int i = 0; i < classes; ++i) of_class[i].add(quad.w[level], load(digits[i].lane + first));
                if (call == 0) of_others.add(quad.w[level], set(0 - (MetropolisTable::otherwise >> (63 - level) & 1)));
            }
        };
        const auto undecided = [&] {
            Words all = {};
            for (int i = 0; i < classes; ++i) all |= of_class[i].undecided;
            return any(all);
        };
#pragma GCC unroll 3
        for (int call = 0; call < usual_calls; ++call) add_call(call);
        for (int call = usual_calls; call < 16 && undecided(); ++call) add_call(call);
        ReplicaWords* accepted = g.accepted + t * static_cast<unsigned>(classes + 1);
        for (int i = 0; i < classes; ++i) store(accepted[i].lane + first, of_class[i].below);
        store(accepted[classes].lane + first, of_others.below);
    }
}

/// Spins of the neighbours of a tile along an axis.
struct NeighbourSpins {
    Words next, previous;
};

/// `lanes` replicas of a group, from lane `first` on.
template <int D>
class Lanes {
  public:
    Lanes(const ReplicaView& v, const ReplicaGroup& g, int first) : v_(v), g_(g), first_(first) {}

    /// Flips the sites of a colour whose flips are accepted.
    template <bool Open, class Classes>
    void flip(int colour) const {
        const int classes = Classes::count(g_.table);
        for (std::uint32_t t = 0; t < tiles(); ++t) {
            const Words here = spins(t);
            BondCounts<Words> counts;
            for (int axis = 0; axis < D; ++axis) count_bonds<Open>(counts, here, t, axis);
            const ReplicaWords* accepted = g_.accepted + t * static_cast<unsigned>(classes + 1);
            Words flips = {}, others = set(sites_of_colour(D, colour));
            for (int i = 0; i < classes; ++i) {
                const Words in_class = sites_in_class(counts, here, Classes::entry(g_.table, i)) & others;
                flips |= in_class & load(accepted[i].lane + first_);
                others &= ~in_class;
            }
            store(g_.spins[t].lane + first_, here ^ (flips | (others & load(accepted[classes].lane + first_))));
        }
    }

    void count(const ReplicaCounts& counts) const {
        Words satisfied = {}, up = {};
        for (std::uint32_t t = 0; t < tiles(); ++t) {
            const Words here = spins(t);
            const ReplicaTile& tile = v_.tile[t];
            up += popcount(here);
            for (int axis = 0; axis < D; ++axis) {
                const Words next = neighbours(here, t, axis).next;
                satisfied += popcount(~(here ^ next ^ negative(t, axis, 0)) & (tile.sites & ~tile.along[axis].missing));
                for (unsigned i = 0; i < edge; ++i) {
                    std::uint64_t* plane = counts.plane[axis][tile.first[axis] + i].lane + first_;
                    store(plane, load(plane) + popcount(here & last_sites(D, axis, i + 1)));
                }
            }
        }
        store(counts.satisfied->lane + first_, satisfied);
        store(counts.up->lane + first_, up);
        store_mode(counts, up);
    }

  private:
    static constexpr unsigned edge = D == 2 ? 8 : 4;
    using Reals = double __attribute__((vector_size(sizeof(Words))));
    using Integers = std::int64_t __attribute__((vector_size(sizeof(Words))));

    std::uint64_t tiles() const { return v_.lattice.slab_tiles(); }
    /// As Observation::smallest_mode() for one configuration.
    void store_mode(const ReplicaCounts& counts, Words up) const {
        const TileLattice& l = v_.lattice;
        const std::uint64_t longest = *std::max_element(l.extent, l.extent + D);
        Reals sum = {};
        int axes = 0;
        for (int axis = 0; axis < D; ++axis) {
            if (l.extent[axis] != longest) continue;
            sum += squared_mode<Reals>(
                       longest, v_.phases[axis], 1,
                       [&](std::uint64_t x) {
                           const Words excess = longest * load(counts.plane[axis][x].lane + first_) - up;
                           const Reals real = __builtin_convertvector(reinterpret_cast<Integers>(excess), Reals);
                           return deviation_of(2.0, real, longest);
                       }) /
                   static_cast<double>(l.sites());
            ++axes;
        }
        sum /= static_cast<double>(axes);
        std::memcpy(counts.mode->lane + first_, &sum, sizeof sum);
    }
    Words spins(std::uint32_t t) const { return load(g_.spins[t].lane + first_); }
    /// Signs of the bonds to the next sites (direction 0) or to the previous ones (1).
    Words negative(std::uint32_t t, int axis, int direction) const {
        return load(g_.negative[(D * t + static_cast<unsigned>(axis)) * 2 + static_cast<unsigned>(direction)].lane +
                    first_);
    }
    NeighbourSpins neighbours(Words here, std::uint32_t t, int axis) const {
        const TileNeighbours& n = v_.tile[t].along[axis];
        return {n.from_next(here, spins(n.next), first_sites(D, axis)), n.from_previous(here, spins(n.previous))};
    }
    /// Counts the bonds in both directions of an axis; those beyond the lattice count for nothing.
    template <bool Open>
    void count_bonds(BondCounts<Words>& counts, Words here, std::uint32_t t, int axis) const {
        const TileNeighbours& n = v_.tile[t].along[axis];
        const NeighbourSpins spins = neighbours(here, t, axis);
        const Words next = ~(here ^ spins.next ^ negative(t, axis, 0));
        const Words previous = ~(here ^ spins.previous ^ negative(t, axis, 1));
        if constexpr (Open) {
            counts.add(next & ~n.missing, set(n.missing));
            counts.add(previous & ~n.missing_before, set(n.missing_before));
        } else {
            counts.add(next, Words{});
            counts.add(previous, Words{});
        }
    }

    const ReplicaView& v_;
    const ReplicaGroup& g_;
    const int first_;
};

template <int D, bool Open, class Classes>
void sweep_group(const ReplicaView& v, const ReplicaGroup& g) {
    for (int first = 0; first < group_replicas; first += lanes) {
        draw_accepted<Classes>(v, g, first);
        for (const int colour : {0, 1}) Lanes<D>(v, g, first).template flip<Open, Classes>(colour);
    }
}

template <int D>
void sweep_group(const ReplicaView& v, const ReplicaGroup& g) {
    if (v.open) return sweep_group<D, true, AnyClasses>(v, g);
    if (g.table.standard) return sweep_group<D, false, Classes<D>>(v, g);
    sweep_group<D, false, AnyClasses>(v, g);
}

void sweep_replicas(const ReplicaView& v, const ReplicaGroup& g) {
    if (v.lattice.dimensions == 2)
        sweep_group<2>(v, g);
    else
        sweep_group<3>(v, g);
}

void count_replicas(const ReplicaView& v, const ReplicaGroup& g, const ReplicaCounts& counts) {
    for (int first = 0; first < group_replicas; first += lanes)
        if (v.lattice.dimensions == 2)
            Lanes<2>(v, g, first).count(counts);
        else
            Lanes<3>(v, g, first).count(counts);
}

}  // namespace

void fill_replicas(SweepKernels& table) {
    table.sweep_replicas = sweep_replicas;
    table.count_replicas = count_replicas;
}

}  // namespace strata::swendsen_wang::STRATA_ISA
