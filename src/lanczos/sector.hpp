// SPDX-License-Identifier: BSD-3-Clause
// A sector with its tables: strings and hops of every product, and hops between products.
#pragma once

#include <vector>

#include "lanczos/sector_counts.hpp"

namespace strata::lanczos {

/// One product of strings.
struct Product {
    SpeciesTable up, dn;
};

struct Crossing : CrossingCounts {
    std::vector<HopRows> hops;  ///< [site that takes part] from dn strings of `from` (columns) to those of `to` (rows)
};

class Sector : public SectorCounts {
  public:
    explicit Sector(const SectorCounts& counts);
    Sector(const Sector&) = delete;
    Sector& operator=(const Sector&) = delete;

    const std::vector<Product>& products() const { return products_; }
    const std::vector<Crossing>& crossings() const { return crossings_; }

    /// All of a product's Hamiltonian but the rows of H_up.
    HamiltonianView hamiltonian(std::size_t product, const BlockLayout& layout) const;
    /// Source of `row` of crossing.to by a hop at crossing.sites[s]: its row in crossing.from, and whether with a
    /// minus.
    struct Source {
        std::uint64_t row;
        bool minus;
    };
    static constexpr std::uint64_t no_row = ~std::uint64_t{0};
    Source source(const Crossing& crossing, std::uint64_t row, std::size_t s) const;

    /// Occupied sites of a state, one bit each: of the first species, or of the only one, and of the second.
    std::uint64_t occupied(std::size_t product, std::uint64_t up, std::uint64_t dn) const;
    std::uint64_t occupied_down(std::size_t product, std::uint64_t dn) const;

  private:
    void add_crossing(const CrossingCounts& counts);

    std::vector<Product> products_;
    std::vector<Crossing> crossings_;
};

}  // namespace strata::lanczos
