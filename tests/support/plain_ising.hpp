// SPDX-License-Identifier: BSD-3-Clause
// Reference algorithms of Swendsen and Wang, of Wolff and of Metropolis: one byte per site, one bond at a time, clusters by
// breadth-first search, and the same random words as the program (kernels/swendsen_wang/counters.hpp). The fast sweeps
// must give the same spins.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/swendsen_wang/cluster_moments.hpp"
#include "kernels/swendsen_wang/counter_words.hpp"
#include "kernels/swendsen_wang/sweep.hpp"
#include "kernels/swendsen_wang/tile_lattice.hpp"

namespace strata::swendsen_wang {

class PlainIsing {
  public:
    /// `states`: q of the Potts model; 2: the Ising model.
    PlainIsing(std::vector<std::uint64_t> extents, std::uint64_t seed, const Couplings& couplings = {}, int states = 2)
        : lattice_(static_cast<int>(extents.size()), extents.data()),
          couplings_(couplings),
          seed_(seed),
          states_(states),
          up_(lattice_.sites(), 1) {}

    std::uint64_t sites() const { return lattice_.sites(); }
    /// [site] 1: up; states of the Potts model.
    std::vector<std::uint8_t>& up() { return up_; }

    struct Position {
        std::uint64_t tile, bit;
    };
    /// Tile and bit of a site; sites are numbered with x fastest.
    Position position(std::uint64_t site) const {
        std::uint64_t tile = 0, bit = 0, stride = 1, tiles = 1;
        for (int axis = 0; axis < lattice_.dimensions; ++axis) {
            const std::uint64_t x = site % lattice_.extent[axis];
            site /= lattice_.extent[axis];
            tile += x / lattice_.edge() * tiles;
            bit += x % lattice_.edge() * stride;
            tiles *= lattice_.tiles[axis];
            stride *= lattice_.edge();
        }
        return {tile, bit};
    }
    std::uint64_t neighbour(std::uint64_t site, int axis) const {
        std::uint64_t stride = 1;
        for (int a = 0; a < axis; ++a) stride *= lattice_.extent[a];
        const std::uint64_t x = site / stride % lattice_.extent[axis];
        return x + 1 == lattice_.extent[axis] ? site - x * stride : site + stride;
    }
    std::uint64_t previous(std::uint64_t site, int axis) const {
        std::uint64_t stride = 1;
        for (int a = 0; a < axis; ++a) stride *= lattice_.extent[a];
        return site / stride % lattice_.extent[axis] == 0 ? site + (lattice_.extent[axis] - 1) * stride : site - stride;
    }
    /// Spins as tile words in global order, one digit of the states after another.
    std::vector<std::uint64_t> words() const {
        const std::uint64_t tiles = lattice_.tiles[0] * lattice_.tiles[1] * lattice_.tiles[2];
        const auto digits = static_cast<std::uint64_t>(std::bit_width(static_cast<unsigned>(states_) - 1));
        std::vector<std::uint64_t> w(digits * tiles, 0);
        for (std::uint64_t digit = 0; digit < digits; ++digit)
            for (std::uint64_t s = 0; s < sites(); ++s)
                w[digit * tiles + position(s).tile] |= std::uint64_t{up_[s] >> digit & 1u} << position(s).bit;
        return w;
    }
    /// Sets the spins to those of words().
    void set_words(const std::vector<std::uint64_t>& w) {
        const std::uint64_t tiles = lattice_.tiles[0] * lattice_.tiles[1] * lattice_.tiles[2];
        for (std::uint64_t s = 0; s < sites(); ++s) {
            up_[s] = 0;
            for (std::uint64_t digit = 0; digit < w.size() / tiles; ++digit)
                up_[s] = static_cast<std::uint8_t>(up_[s] | (w[digit * tiles + position(s).tile] >> position(s).bit & 1)
                                                                << digit);
        }
    }
    /// The state floor(q u) of a site, with the digits of u from the random words of its tile, the last one first.
    std::uint8_t random_state(std::uint64_t tile, std::uint64_t bit, Purpose purpose, std::uint64_t number) const {
        const bool power_of_two = std::has_single_bit(static_cast<unsigned>(states_));
        const int calls = power_of_two ? (std::bit_width(static_cast<unsigned>(states_)) - 1 + 3) / 4 : 12;
        std::uint64_t u = 0;
        for (int call = 0; call < calls; ++call) {
            const auto w = half_tile_words(seed_, 2 * tile + bit / 32, counter_purpose(purpose, 0, call), number);
            for (int level = 0; level < 4; ++level)
                u |= std::uint64_t{w[static_cast<std::size_t>(level)] >> (bit % 32) & 1} << (4 * call + level);
        }
        // u has 48 bits at most, states_ 9
        return static_cast<std::uint8_t>(u * static_cast<unsigned>(states_) >> 4 * calls);
    }
    /// Random states of a hot start of the Potts model.
    void start_hot() {
        for (std::uint64_t s = 0; s < sites(); ++s)
            up_[s] = random_state(position(s).tile, position(s).bit, Purpose::start, 0);
    }

    struct Observed {
        double energy = 0, magnetisation = 0;
        std::vector<std::uint64_t> cluster_sizes;
        std::vector<std::uint64_t> bound_sizes;  ///< those of clusters that are bound to the ghost spin
    };

    /// One sweep; returns observables of the configuration before it and of its clusters.
    Observed sweep(std::uint64_t number, std::uint64_t threshold, const GhostSpin& ghost = {}) {
        std::vector<std::vector<std::uint64_t>> bonded(sites());
        leaving_.assign(sites(), false);
        Observed observed;
        for (std::uint64_t s = 0; s < sites(); ++s)
            for (int axis = 0; axis < lattice_.dimensions; ++axis) {
                const std::uint64_t n = neighbour(s, axis);
                const int sign = coupling(s, axis);
                if (sign == 0) continue;
                const bool satisfied = (up_[s] == up_[n]) == (sign > 0);
                observed.energy -= satisfied ? 1 : states_ == 2 ? -1 : 0;
                if (!satisfied || random(seed_, Purpose::bond, s, axis, number) >= threshold) continue;
                bonded[s].push_back(n);
                bonded[n].push_back(s);
                if (leaves_tile(s, axis)) leaving_[s] = leaving_[n] = true;
            }
        for (std::uint64_t s = 0; s < sites(); ++s) observed.magnetisation += up_[s] ? 1 : -1;
        bound_.assign(sites(), false);
        for (std::uint64_t s = 0; s < sites(); ++s)
            bound_[s] = up_[s] == (ghost.up ? 1 : 0) &&
                        (ghost.bond.always || random(seed_, Purpose::ghost, s, 0, number) < ghost.bond.threshold);
        std::vector<bool> visited(sites(), false);
        for (std::uint64_t s = 0; s < sites(); ++s)
            if (!visited[s]) flip_cluster(s, bonded, visited, number, observed);
        return observed;
    }

    /// One cluster of Wolff, grown site by site; returns its sites.
    std::vector<std::uint64_t> wolff(std::uint64_t number, Probability p) {
        const auto w = half_tile_words(seed_, 0, counter_purpose(Purpose::wolff, 0, 0), number);
        const auto below = [](std::uint64_t count, std::uint32_t low, std::uint32_t high) {
            return static_cast<std::uint64_t>(static_cast<WideCount>(count) * (std::uint64_t{high} << 32 | low) >> 64);
        };
        const std::uint64_t first = below(sites() + 1, w[0], w[1]);
        if (first == sites()) return {};
        const std::uint64_t shift = 1 + below(static_cast<std::uint64_t>(states_ - 1), w[2], w[3]);
        std::vector<std::uint64_t> members = {first};
        std::vector<bool> visited(sites(), false);
        visited[first] = true;
        const auto cross = [&](std::uint64_t from, std::uint64_t to, int axis, std::uint64_t there) {
            const int sign = coupling(from, axis);
            if (visited[there] || sign == 0 || (up_[from] == up_[to]) != (sign > 0)) return;
            if (!p.always && random(seed_, Purpose::bond, from, axis, number) >= p.threshold) return;
            visited[there] = true;
            members.push_back(there);
        };
        for (std::size_t i = 0; i < members.size(); ++i)
            for (int axis = 0; axis < lattice_.dimensions; ++axis) {
                cross(members[i], neighbour(members[i], axis), axis, neighbour(members[i], axis));
                const std::uint64_t before = previous(members[i], axis);
                cross(before, members[i], axis, before);
            }
        const auto state = static_cast<std::uint8_t>((up_[first] + shift) % static_cast<unsigned>(states_));
        for (const std::uint64_t s : members) up_[s] = states_ == 2 ? up_[s] ^ 1 : state;
        return members;
    }

    /// One Metropolis sweep at K = beta |J| and H = beta h: first the sites with even x + y + z, then the others,
    /// each chosen with probability 7/8.
    void metropolis(std::uint64_t number, double k, double h) {
        for (const std::uint64_t colour : {0, 1}) {
            std::vector<int> alignment(sites(), 0);  // satisfied less unsatisfied bonds
            for (std::uint64_t s = 0; s < sites(); ++s)
                for (int axis = 0; axis < lattice_.dimensions; ++axis) {
                    const std::uint64_t n = neighbour(s, axis);
                    const int satisfied = up_[s] == up_[n] ? coupling(s, axis) : -coupling(s, axis);
                    alignment[s] += satisfied;
                    alignment[n] += satisfied;
                }
            for (std::uint64_t s = 0; s < sites(); ++s) {
                if (coordinate_sum(s) % 2 != colour) continue;
                const long double cost = 2 * (static_cast<long double>(k) * alignment[s] + (up_[s] ? h : -h));
                const std::uint64_t number_of_site = random(seed_, Purpose::metropolis, s, 0, number);
                const long double p = 0.875L * (cost <= 0 ? 1 : std::exp(-cost));
                if (static_cast<long double>(number_of_site) < std::floor(std::ldexp(p, 64))) up_[s] ^= 1;
            }
        }
    }

    /// Sign of the coupling of a site with its next site along an axis; 0 if there is no bond.
    int coupling(std::uint64_t site, int axis) const {
        if (couplings_.uniform) return 1;
        std::uint64_t stride = 1;
        for (int a = 0; a < axis; ++a) stride *= lattice_.extent[a];
        const bool across = site / stride % lattice_.extent[axis] + 1 == lattice_.extent[axis];
        const Boundary boundary = couplings_.boundary[axis];
        if (across && boundary == Boundary::open) return 0;
        int sign = couplings_.inverted ? -1 : 1;
        if (couplings_.opposite.always ||
            random(couplings_.seed, Purpose::coupling, site, axis, 0) < couplings_.opposite.threshold)
            sign = -sign;
        return across && boundary == Boundary::antiperiodic ? -sign : sign;
    }

  private:
    std::uint64_t coordinate_sum(std::uint64_t site) const {
        std::uint64_t sum = 0;
        for (int axis = 0; axis < lattice_.dimensions; site /= lattice_.extent[axis++])
            sum += site % lattice_.extent[axis];
        return sum;
    }
    bool leaves_tile(std::uint64_t site, int axis) const {
        for (int a = 0; a < axis; ++a) site /= lattice_.extent[a];
        const std::uint64_t x = site % lattice_.extent[axis];
        return x + 1 == lattice_.extent[axis] || (x + 1) % lattice_.edge() == 0;
    }
    /// Position of a site in the order that determines the minimal site of its cluster (counters.hpp).
    std::uint64_t order_of(std::uint64_t site) const {
        const Position p = position(site);
        return 128 * p.tile + (leaving_[site] ? 0 : 64) + p.bit;
    }
    /// The uniform 64-bit number of a bond. Its binary digits come from 16 calls of four words, most significant first.
    std::uint64_t random(std::uint64_t seed, Purpose purpose, std::uint64_t site, int axis,
                         std::uint64_t number) const {
        const Position p = position(site);
        std::uint64_t value = 0;
        for (int call = 0; call < 16; ++call) {
            const auto w = half_tile_words(seed, 2 * p.tile + p.bit / 32, counter_purpose(purpose, axis, call), number);
            for (int level = 0; level < 4; ++level)
                value |= std::uint64_t{w[static_cast<std::size_t>(level)] >> (p.bit % 32) & 1}
                         << (63 - 4 * call - level);
        }
        return value;
    }
    void flip_cluster(std::uint64_t start, const std::vector<std::vector<std::uint64_t>>& bonded,
                      std::vector<bool>& visited, std::uint64_t number, Observed& observed) {
        std::vector<std::uint64_t> members = {start};
        visited[start] = true;
        for (std::size_t i = 0; i < members.size(); ++i)
            for (std::uint64_t n : bonded[members[i]])
                if (!visited[n]) {
                    visited[n] = true;
                    members.push_back(n);
                }
        observed.cluster_sizes.push_back(members.size());
        if (std::ranges::any_of(members, [&](std::uint64_t s) { return bound_[s]; })) {
            observed.bound_sizes.push_back(members.size());
            return;
        }
        std::uint64_t minimum = order_of(start);
        for (std::uint64_t s : members) minimum = std::min(minimum, order_of(s));
        if (states_ > 2) {
            const std::uint8_t state = random_state(minimum / 128, minimum % 64, Purpose::state, number);
            for (std::uint64_t s : members) up_[s] = state;
        } else if (cluster_spin_word(seed_, minimum / 128, number) >> (minimum % 64) & 1) {
            for (std::uint64_t s : members) up_[s] ^= 1;
        }
    }

    TileLattice lattice_;
    Couplings couplings_;
    std::uint64_t seed_;
    int states_;
    std::vector<std::uint8_t> up_;
    std::vector<bool> leaving_;  ///< sites with an active bond that leaves their tile
    std::vector<bool> bound_;    ///< sites that are bound to the ghost spin
};

}  // namespace strata::swendsen_wang
