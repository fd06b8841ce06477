// SPDX-License-Identifier: BSD-3-Clause
// Baselines of the sweep, written from the descriptions in the literature.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace strata::perf {

/// A Swendsen-Wang code that starts from given spins.
class Baseline {
  public:
    virtual ~Baseline() = default;
    virtual void sweep() = 0;
    /// Energy per site of the current configuration.
    virtual double energy() const = 0;
    /// Seconds spent per phase so far.
    virtual std::vector<std::pair<std::string, double>> phases() const { return {}; }
};

/// Spins of all sites: `up[x + nx * (y + ny * z)]` is 1 or 0.
using Spins = std::vector<std::uint8_t>;

/// The algorithm of F. Wende and T. Steinke, SC13, sections 3 and 4.1, for wide vectors: sub-lattices of 16 x 8 (16 x 4
/// x 2) sites label themselves in registers by iterated minima over bonds, sub-lattices are joined by atomic minima on
/// root labels, then every site looks up its root and flips with it. Mersenne twister, one 32-bit number per bond.
/// Extents must be multiples of the sub-lattice.
std::unique_ptr<Baseline> make_wende_steinke(int dimensions, std::uint64_t extent, double probability, int threads,
                                             const Spins& spins);

/// The textbook algorithm: visits sites in order and grows the cluster of each unvisited site by breadth-first search,
/// drawing bonds on the way. One thread; Mersenne twister.
std::unique_ptr<Baseline> make_textbook(int dimensions, std::uint64_t extent, double probability, const Spins& spins);

}  // namespace strata::perf
