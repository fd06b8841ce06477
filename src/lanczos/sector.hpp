// SPDX-License-Identifier: BSD-3-Clause
// A sector with its tables: bit strings and hops of every subspace, and hops between subspaces.
#pragma once

#include <vector>

#include "lanczos/sector_counts.hpp"

namespace strata::lanczos {

/// One subspace of bit strings.
struct Subspace {
    ComponentTable up, down;
};

struct SubspaceHops : SubspaceHopCounts {
    std::vector<HoppingRows>
        hops;  ///< [site that takes part] from down bit strings of `from` (columns) to those of `to` (rows)
};

class Sector : public SectorCounts {
  public:
    explicit Sector(const SectorCounts& counts);
    Sector(const Sector&) = delete;
    Sector& operator=(const Sector&) = delete;

    const std::vector<Subspace>& subspaces() const { return subspaces_; }
    const std::vector<SubspaceHops>& subspace_hops() const { return subspace_hops_; }

    /// All of a subspace's Hamiltonian but the rows of H_up.
    HamiltonianView hamiltonian(std::size_t subspace, const BlockLayout& layout) const;
    /// Source of `row` of crossing.to by a hop at crossing.sites[s]: its row in crossing.from, and whether with a
    /// minus.
    struct Source {
        std::uint64_t row;
        bool minus;
    };
    static constexpr std::uint64_t no_row = ~std::uint64_t{0};
    Source source(const SubspaceHops& between, std::uint64_t row, std::size_t s) const;

    /// Occupied sites of a state, one bit each: of the first spin component, or of the only one, and of the second.
    std::uint64_t occupied(std::size_t subspace, std::uint64_t up, std::uint64_t down) const;
    std::uint64_t occupied_down(std::size_t subspace, std::uint64_t down) const;

  private:
    void add_subspace_hops(const SubspaceHopCounts& counts);

    std::vector<Subspace> subspaces_;
    std::vector<SubspaceHops> subspace_hops_;
};

}  // namespace strata::lanczos
