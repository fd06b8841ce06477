// SPDX-License-Identifier: BSD-3-Clause
// The count walks the up bit strings of a rank's rows and follows every hop to the row that it comes from. To save
// steps, a bit string is cut into a prefix, the occupation of the sites from `low` on, and a rest with the lowest `low`
// sites:
//
//     bit string   | prefix: sites low ... n-1 | rest: sites 0 ... low-1 |       low = 0: every row is a prefix
//
// Rows with the same prefix are consecutive. A hop between two sites of the prefix needs all rows of another prefix. A
// hop with one end in the rest needs those rows of another prefix whose rest has that site occupied, or empty. With
// sets A and B of such sites, all rests are needed but those with A empty and B occupied: C(low, k) - C(low - |A| -
// |B|, k - |B|) of the rests with k particles.
#include "lanczos/state/ghost_rows.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace strata::lanczos {
namespace {

constexpr std::uint64_t one = 1;

/// The prefixes of all bit strings of a basis, in the order of the rows, and their indices.
class Prefixes {
  public:
    /// Prefixes of the bit strings of `basis`, without its `low` lowest sites.
    Prefixes(const BitStrings& basis, int low)
        : basis_(basis),
          low_(low),
          min_particles_(std::max(0, basis.particles() - low)),
          max_particles_(std::min(basis.particles(), basis.sites() - low)) {
        for (int c = 0; c <= 65; ++c) completions_[0][c] = c >= min_particles_ && c <= max_particles_ ? 1 : 0;
        for (int bits = 1; bits <= basis.sites() - low; ++bits)
            for (int c = 0; c + bits <= 65; ++c)
                completions_[bits][c] = completions_[bits - 1][c] + completions_[bits - 1][c + 1];
    }
    /// Number of prefixes.
    std::uint64_t count() const { return completions_[basis_.sites() - low_][0]; }
    /// Whether some bit string has this prefix.
    bool valid(std::uint64_t prefix) const {
        const int n = __builtin_popcountll(prefix);
        return n >= min_particles_ && n <= max_particles_;
    }
    /// Number of valid prefixes that are smaller.
    std::uint64_t index_of(std::uint64_t prefix) const {
        std::uint64_t smaller = 0;
        for (int above = 0; prefix != 0; ++above) {
            const int bit = 63 - __builtin_clzll(prefix);
            smaller += completions_[bit][above];
            prefix ^= one << bit;
        }
        return smaller;
    }
    std::uint64_t of_row(std::uint64_t row) const { return basis_.occupation(row) >> low_; }
    /// The next larger valid prefix.
    std::uint64_t next(std::uint64_t prefix) const {
        ++prefix;
        while (__builtin_popcountll(prefix) > max_particles_) prefix += prefix & (0 - prefix);
        while (__builtin_popcountll(prefix) < min_particles_) prefix |= prefix + 1;
        return prefix;
    }
    /// Number of particles on the `low` lowest sites.
    int rest(std::uint64_t prefix) const { return basis_.particles() - __builtin_popcountll(prefix); }
    std::uint64_t first_row(std::uint64_t prefix) const {
        return basis_.index_of(prefix << low_ | ((one << rest(prefix)) - 1));
    }
    /// Number of rows with this prefix.
    std::uint64_t rows(std::uint64_t prefix) const { return choose(low_, rest(prefix)); }

  private:
    const BitStrings& basis_;
    int low_, min_particles_, max_particles_;
    /// [free sites][particles on the others]: number of ways to fill the free sites to a valid prefix.
    std::uint64_t completions_[65][66];
};

struct Hop {
    int to, from;
};

std::vector<Hop> up_hops(const SectorCounts& sector) {
    std::vector<Hop> hops;
    for (const auto& [sites, amplitude] : sector.up_model().hops()) hops.push_back({sites.first, sites.second});
    return hops;
}

/// Counts the ghost rows of all ranks, one rank after another.
class GhostRowCount {
  public:
    GhostRowCount(const SectorCounts& sector, Arithmetic arithmetic, int ranks, int low)
        : sector_(sector), arithmetic_(arithmetic), ranks_(ranks), low_(low), hops_(up_hops(sector)) {
        for (const SubspaceCounts& p : sector.subspace_counts()) prefixes_.emplace_back(p.up, low);
        needed_of_.resize(static_cast<std::size_t>(ranks), 0);
    }

    /// Adds the exchange of all ranks within `subspace`, and from it to other subspaces.
    void add_subspace(std::size_t subspace, GhostRows& all) {
        const BlockLayout l = sector_.layout(subspace, arithmetic_, 1, 0);
        touched_.assign(prefixes_[subspace].count(), Touched());
        for (int rank = 0; rank < static_cast<int>(all.of_rank.size()); ++rank) {
            order_.clear();
            all.of_rank[static_cast<std::size_t>(rank)].up_entries += follow_hops(subspace, rank);
            for (const SubspaceHopCounts& c : sector_.subspace_hop_counts())
                if (c.from == subspace) follow_subspace_hops(c, rank);
            assign_owners(subspace, rank);
            for (int owner : owners_) {
                const std::uint64_t rows = std::exchange(needed_of_[static_cast<std::size_t>(owner)], 0);
                const std::uint64_t reals = (rows + block_rows - 1) / block_rows * l.block_size();
                all.of_rank[static_cast<std::size_t>(rank)].received += reals;
                all.of_rank[static_cast<std::size_t>(owner)].sent += reals;
                all.elements += static_cast<double>(rows) * static_cast<double>(l.dim_down);
            }
        }
    }

  private:
    /// Rests of a prefix that a rank needs: those with one of the sites `occupied` occupied or one of `empty` empty.
    struct Touched {
        int rank = -1;                          ///< rank that needs them; entries of other ranks are invalid
        std::uint64_t occupied = 0, empty = 0;  ///< sites, one bit each
    };

    Range rows(std::size_t subspace, int rank) const {
        return sector_.layout(subspace, arithmetic_, ranks_, rank).own_rows();
    }
    /// Calls visit(prefix) for the prefixes of the rank's rows.
    template <class Visit>
    void for_each_prefix(std::size_t subspace, int rank, Visit visit) const {
        const Range own = rows(subspace, rank);
        if (own.empty()) return;
        const Prefixes& prefixes = prefixes_[subspace];
        const std::uint64_t last = prefixes.of_row(own.last - 1);
        for (std::uint64_t prefix = prefixes.of_row(own.first);; prefix = prefixes.next(prefix)) {
            visit(prefix);
            if (prefix == last) return;
        }
    }
    /// Notes that `rank` needs the rests of `prefix` with one of these sites occupied, or empty.
    void touch(std::size_t subspace, int rank, std::uint64_t prefix, std::uint64_t occupied, std::uint64_t empty) {
        if (!prefixes_[subspace].valid(prefix)) return;
        Touched& touched = touched_[prefixes_[subspace].index_of(prefix)];
        if (touched.rank != rank) {
            touched = {rank, 0, 0};
            order_.push_back(prefix);
        }
        touched.occupied |= occupied;
        touched.empty |= empty;
    }
    /// The bit of a site within its part, the prefix or the rest.
    std::uint64_t bit(int site) const { return one << (site < low_ ? site : site - low_); }

    /// Follows hops within the subspace. Returns the number of entries in the rank's rows of H_up.
    std::uint64_t follow_hops(std::size_t subspace, int rank) {
        constexpr std::uint64_t all = ~std::uint64_t{0};
        std::uint64_t entries = 0;
        for_each_prefix(subspace, rank, [&](std::uint64_t prefix) {
            const int rest = prefixes_[subspace].rest(prefix);
            touch(subspace, rank, prefix, all, all);
            for (const Hop& hop : hops_) {
                const bool to_high = hop.to >= low_, from_high = hop.from >= low_;
                if (to_high && (prefix & bit(hop.to)) == 0) continue;
                if (from_high && (prefix & bit(hop.from)) != 0) continue;
                entries += choose(low_ - (to_high ? 0 : 1) - (from_high ? 0 : 1), rest - (to_high ? 0 : 1));
                if (!to_high && !from_high) continue;  // the same prefix
                const std::uint64_t source = prefix ^ (to_high ? bit(hop.to) : 0) ^ (from_high ? bit(hop.from) : 0);
                const bool whole = to_high && from_high;
                touch(subspace, rank, source,
                      whole       ? all
                      : from_high ? 0
                                  : bit(hop.from),
                      whole     ? all
                      : to_high ? 0
                                : bit(hop.to));
            }
        });
        return entries;
    }
    /// Follows hops that lead from subspace c.from to the rank's rows of subspace c.to.
    void follow_subspace_hops(const SubspaceHopCounts& c, int rank) {
        constexpr std::uint64_t all = ~std::uint64_t{0};
        const bool gains = c.to > c.from;
        for_each_prefix(c.to, rank, [&](std::uint64_t prefix) {
            for (const RowTerm& hop : c.rows) {
                const int site = std::countr_zero(hop.row.flip);
                if (site < low_)
                    touch(c.from, rank, prefix, gains ? 0 : bit(site), gains ? bit(site) : 0);
                else if (((prefix & bit(site)) != 0) == gains)
                    touch(c.from, rank, prefix ^ bit(site), all, all);
            }
        });
    }
    /// Number of needed rows of a prefix.
    std::uint64_t needed(std::size_t subspace, std::uint64_t prefix) const {
        const Prefixes& prefixes = prefixes_[subspace];
        const Touched& t = touched_[prefixes.index_of(prefix)];
        if ((t.occupied & t.empty) != 0) return prefixes.rows(prefix);
        const int occupied = __builtin_popcountll(t.occupied), empty = __builtin_popcountll(t.empty);
        return prefixes.rows(prefix) - choose(low_ - occupied - empty, prefixes.rest(prefix) - empty);
    }
    /// Assigns the needed rows to the ranks that own them. If a prefix has several owners, each is assumed to own as
    /// many needed rows as its part of the prefix allows: an upper bound.
    void assign_owners(std::size_t subspace, int rank) {
        owners_.clear();
        const BlockLayout l = sector_.layout(subspace, arithmetic_, ranks_, 0);
        for (std::uint64_t prefix : order_) {
            const std::uint64_t count = needed(subspace, prefix), first = prefixes_[subspace].first_row(prefix);
            const std::uint64_t end = first + prefixes_[subspace].rows(prefix);
            for (std::uint64_t row = first; row < end && count != 0;) {
                const auto owner =
                    static_cast<int>(part_of(l.all_blocks(), static_cast<std::uint64_t>(ranks_), row / block_rows));
                const std::uint64_t last = std::min(end, rows(subspace, owner).last);
                if (owner != rank) {
                    std::uint64_t& of_owner = needed_of_[static_cast<std::size_t>(owner)];
                    if (of_owner == 0) owners_.push_back(owner);
                    of_owner += std::min(count, last - row);
                }
                row = last;
            }
        }
    }

    const SectorCounts& sector_;
    Arithmetic arithmetic_;
    int ranks_, low_;
    std::vector<Hop> hops_;
    std::vector<Prefixes> prefixes_;
    std::vector<Touched> touched_;          ///< [prefix of one subspace]
    std::vector<std::uint64_t> order_;      ///< prefixes with rows that the current rank needs
    std::vector<std::uint64_t> needed_of_;  ///< [owner] number of its rows that the current rank needs
    std::vector<int> owners_;               ///< owners of rows that the current rank needs
};

/// Largest number of steps of the count per row or prefix: hops within the subspace and terms that lead to it from others.
std::uint64_t hops_per_row(const SectorCounts& sector) {
    std::uint64_t terms = 0, most = 0;  // of row terms into a subspace, and of those from one to another
    std::vector<std::uint64_t> into(sector.subspace_counts().size());
    for (const SubspaceHopCounts& c : sector.subspace_hop_counts()) {
        most = std::max<std::uint64_t>(most, c.rows.size());
        terms = std::max(terms, into[c.to] += c.rows.size());
    }
    return 1 + sector.up_model().hops().size() + sector.up_terms().size() + std::max(2 * most, terms);
}

std::uint64_t prefix_count(const SectorCounts& sector, int low) {
    std::uint64_t count = 0;
    for (const SubspaceCounts& p : sector.subspace_counts()) count += Prefixes(p.up, low).count();
    return count;
}

/// Upper bounds for rank 0, which has the most rows, used where even the coarsest count takes too long.
void bound(const SectorCounts& sector, Arithmetic arithmetic, int ranks, GhostRows& all) {
    all.of_rank = {{0, 0, 0, false}};
    const auto peers = static_cast<std::uint64_t>(ranks - 1);
    const std::uint64_t hops = hops_per_row(sector);
    for (std::size_t p = 0; p < sector.subspace_counts().size(); ++p) {
        const BlockLayout l = sector.layout(p, arithmetic, ranks, 0);
        const std::uint64_t own = l.blocks.size(), rows = l.own_rows().size();
        all.of_rank[0].received += std::min(l.all_blocks() - own, rows * hops) * l.block_size();
        all.of_rank[0].sent += std::min(own * peers, rows * hops) * l.block_size();
        all.of_rank[0].up_entries += std::min(rows * hops, sector.subspace_counts()[p].up_entries);
        all.elements +=
            static_cast<double>(std::min(l.dim_up * hops, l.dim_up * peers)) * static_cast<double>(l.dim_down);
    }
}

/// What the layouts of all ranks have in common.
struct LayoutOfRanks {
    Arithmetic arithmetic;
    int ranks;
};

/// Adds the rows of a subspace that a rank needs from others, from the tables.
void add_listed_rows(const Sector& sector, std::size_t subspace, LayoutOfRanks d, int rank, GhostRows& all) {
    const HoppingView hops = sector.subspaces()[subspace].up.view().hops;
    const BlockLayout l = sector.layout(subspace, d.arithmetic, d.ranks, rank);
    const Range own = l.own_rows();
    RankRows& of_rank = all.of_rank[static_cast<std::size_t>(rank)];
    of_rank.up_entries += hops.first[own.last] - hops.first[own.first];
    const std::vector<bool> needed = needed_rows(sector, subspace, d.ranks, rank);
    for (int owner = 0; owner < d.ranks; ++owner) {
        const Range rows = sector.layout(subspace, d.arithmetic, d.ranks, owner).own_rows();
        if (owner == rank) continue;
        const auto count =
            static_cast<std::uint64_t>(std::count(needed.begin() + static_cast<std::ptrdiff_t>(rows.first),
                                                  needed.begin() + static_cast<std::ptrdiff_t>(rows.last), true));
        const std::uint64_t reals = (count + block_rows - 1) / block_rows * l.block_size();
        of_rank.received += reals;
        all.of_rank[static_cast<std::size_t>(owner)].sent += reals;
        all.elements += static_cast<double>(count) * static_cast<double>(l.dim_down);
    }
}

}  // namespace

std::vector<bool> needed_rows(const Sector& sector, std::size_t subspace, int ranks, int rank) {
    const auto own_rows = [&](std::size_t p) { return sector.layout(p, Arithmetic::real, ranks, rank).own_rows(); };
    const ComponentView up = sector.subspaces()[subspace].up.view();
    std::vector<bool> needed(up.dim, false);
    const Range own = own_rows(subspace);
    for (std::uint64_t row = own.first; row < own.last; ++row) {
        needed[row] = true;
        for (std::uint64_t e = up.hops.first[row]; e < up.hops.first[row + 1]; ++e)
            needed[up.hops.entries[e] >> up.hops.bits] = true;
    }
    for (const SubspaceHops& c : sector.subspace_hops()) {
        if (c.from != subspace) continue;
        const Range to = own_rows(c.to);
        for (std::uint64_t row = to.first; row < to.last; ++row)
            for (std::size_t r = 0; r < c.rows.size(); ++r) {
                const Sector::Source source = sector.source(c, row, r);
                if (source.row != Sector::no_row) needed[source.row] = true;
            }
    }
    return needed;
}

GhostRows listed_ghost_rows(const Sector& sector, Arithmetic arithmetic, int ranks) {
    GhostRows all;
    all.of_rank.resize(static_cast<std::size_t>(ranks));
    for (std::size_t p = 0; p < sector.subspaces().size(); ++p)
        for (int rank = 0; rank < ranks; ++rank) add_listed_rows(sector, p, {arithmetic, ranks}, rank, all);
    return all;
}

GhostRows count_ghost_rows(const SectorCounts& sector, Arithmetic arithmetic, int ranks, std::uint64_t visits) {
    GhostRows all;
    if (ranks == 1) {
        all.of_rank.resize(1);
        for (const SubspaceCounts& p : sector.subspace_counts()) all.of_rank[0].up_entries += p.up_entries;
        return all;
    }
    if (sector.computes_hops()) {
        const BlockLayout l = sector.layout(0, arithmetic, 1, 0);
        all.of_rank.resize(1);
        all.of_rank[0].received = l.size();
        all.elements = static_cast<double>(l.size() / l.reals()) * (ranks - 1);
        return all;
    }
    std::uint64_t max_blocks = 1;
    for (std::size_t p = 0; p < sector.subspace_counts().size(); ++p)
        max_blocks = std::max(max_blocks, sector.layout(p, arithmetic, 1, 0).all_blocks());
    const std::uint64_t holders = std::min(max_blocks, static_cast<std::uint64_t>(ranks));
    const std::uint64_t max_prefixes = visits / hops_per_row(sector), subspaces = sector.subspace_counts().size();
    if (holders * subspaces > max_prefixes) {
        all.exact = false;
        bound(sector, arithmetic, ranks, all);
        return all;
    }
    int low = 0;
    while (low < std::min(sector.up_sites(), 60) && prefix_count(sector, low) > max_prefixes) ++low;
    all.exact = low == 0;
    all.of_rank.assign(holders, {0, 0, 0, all.exact});
    GhostRowCount count(sector, arithmetic, ranks, low);
    for (std::size_t p = 0; p < subspaces; ++p) count.add_subspace(p, all);
    return all;
}

}  // namespace strata::lanczos
