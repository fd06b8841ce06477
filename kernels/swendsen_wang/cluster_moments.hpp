// SPDX-License-Identifier: BSD-3-Clause
// Moments of the cluster sizes of one configuration, for the improved estimators of the magnetisation. They are sums of
// integers, so that they are exact and do not depend on the order of summation.
#pragma once

#include <cstdint>

#include "strata/backend.hpp"

namespace strata::swendsen_wang {

/// 128-bit integer, because the square of a cluster's size need not fit into 64 bits.
__extension__ typedef unsigned __int128 WideCount;

/// Number, sites, largest size, second and fourth moment of the clusters, and of those that are bound to the ghost spin.
struct ClusterMoments {
    std::uint64_t clusters = 0;
    std::uint64_t sites = 0;        ///< sum of the sizes
    std::uint64_t largest = 0;      ///< size of the largest cluster
    std::uint64_t bound_sites = 0;  ///< sum of the sizes of clusters that are bound to the ghost spin (sweep.hpp)
    WideCount squares = 0;          ///< sum of size^2
    WideCount fourths = 0;          ///< sum of (size^2 >> shift)^2, shift = fourth_moment_shift(sites of the lattice)
    WideCount bound_squares = 0;    ///< sum of size^2 of clusters that are bound to the ghost spin

    /// Adds `count` clusters of one size.
    STRATA_HOST_DEVICE void add(std::uint64_t size, std::uint64_t count, int shift) {
        if (count == 0) return;
        const WideCount square = static_cast<WideCount>(size) * size;
        clusters += count;
        sites += size * count;
        if (size > largest) largest = size;
        squares += square * count;
        fourths += (square >> shift) * (square >> shift) * count;
    }
    /// Counts clusters that add() has counted as bound to the ghost spin.
    STRATA_HOST_DEVICE void add_bound(std::uint64_t size, std::uint64_t count) {
        bound_sites += size * count;
        bound_squares += static_cast<WideCount>(size) * size * count;
    }
    STRATA_HOST_DEVICE ClusterMoments& operator+=(const ClusterMoments& other) {
        clusters += other.clusters;
        sites += other.sites;
        if (other.largest > largest) largest = other.largest;
        squares += other.squares;
        bound_sites += other.bound_sites;
        bound_squares += other.bound_squares;
        fourths += other.fourths;
        return *this;
    }
};

/// Shift of a squared size that keeps the sum of fourth powers below 2^127 for a lattice of `sites` sites.
constexpr int fourth_moment_shift(std::uint64_t sites) {
    int bits = 0;
    while (bits < 64 && sites >> bits != 0) ++bits;
    return 4 * bits <= 127 ? 0 : (4 * bits - 126) / 2;
}

}  // namespace strata::swendsen_wang
