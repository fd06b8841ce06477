// SPDX-License-Identifier: BSD-3-Clause
// A sector of fixed particle numbers with its tables: bit strings and hopping matrices of every subspace, and the
// hopping between subspaces (lanczos/sector_counts.hpp has the decomposition and all sizes).
#pragma once

#include <array>
#include <vector>

#include "lanczos/physics/left_hops.hpp"
#include "lanczos/physics/sector_counts.hpp"

namespace strata::lanczos {

/// One subspace: all pairs of an up and a down bit string.
struct Subspace {
    ComponentTable up, down;
};

struct SubspaceHops : SubspaceHopCounts {
    std::vector<HoppingRows>
        hops;  ///< [row term] C_R, from down bit strings of `from` (columns) to those of `to` (rows)
    std::unique_ptr<const LeftHops> left;  ///< between halves: the same hops by left sites, for CPUs
};

/// Bits of a basis state: those of the columns of two components, or of all sites; then those of the rows.
using BasisWords = std::array<std::uint64_t, 2>;

class Sector : public SectorCounts {
  public:
    /// `arithmetic` sets the column order of a symmetric sector; other sectors ignore it.
    Sector(const SectorCounts& counts, Arithmetic arithmetic);
    Sector(const Sector&) = delete;
    Sector& operator=(const Sector&) = delete;

    const std::vector<Subspace>& subspaces() const { return subspaces_; }
    const std::vector<SubspaceHops>& subspace_hops() const { return subspace_hops_; }

    /// The Hamiltonian within a subspace, without HamiltonianView::rows.
    HamiltonianView hamiltonian(std::size_t subspace, const BlockLayout& layout) const;
    /// The entry of R in a row of subspace between.to, for R of row term number `term`.
    struct Source {
        std::uint64_t row;  ///< source row, in subspace between.from; no_row without an entry
        bool minus;         ///< sign of the entry
    };
    static constexpr std::uint64_t no_row = ~std::uint64_t{0};
    Source source(const SubspaceHops& between, std::uint64_t row, std::size_t term) const;

    /// Occupied sites of a basis state, one bit each, for spin up or the only component, and for spin down.
    std::uint64_t occupied(std::size_t subspace, std::uint64_t up, std::uint64_t down) const;
    /// In a sector of symmetries of one spin component: the order of the sites in which representatives are smallest.
    const std::vector<int>& bit_of_site() const { return symmetric_tables_->bit_of_site(); }
    /// The basis state of two bit strings of a subspace (SubspaceCounts).
    BasisWords words(std::uint64_t up, std::uint64_t down) const {
        return model().spin_components == 2 ? BasisWords{down, up} : BasisWords{up << down_sites() | down, 0};
    }
    /// A stored number, and the factor from it to the amplitude of a basis state.
    struct Stored {
        std::size_t subspace;
        std::uint64_t row, column;
        Complex factor;
    };
    /// That of a basis state of the sector without symmetries; its number is 0 if the symmetries exclude it.
    Stored stored(const BasisWords& words) const;
    /// The up bit string of a row.
    std::uint64_t up_string(std::size_t subspace, std::uint64_t up) const;
    std::uint64_t occupied_down(std::size_t subspace, std::uint64_t down) const;
    /// For two spin components: the column of a down bit string, and the factor from its amplitude to the stored
    /// element of the column (symmetric_sector.hpp; 1 without symmetries, 0 where a column has no bit string).
    std::uint64_t column_of(std::uint64_t down) const;
    double column_factor(std::uint64_t column) const;
    /// In a sector of symmetries: the row and the column of a basis state or, up to a phase, of one of its images.
    std::pair<std::uint64_t, std::uint64_t> place_of(std::uint64_t up, std::uint64_t down) const {
        return symmetric_tables_->place_of(up, down);
    }
    /// In a sector of symmetries: the row of an up bit string, and the element by which its representative becomes it.
    Orbits::Place row_place(std::uint64_t up) const { return symmetric_tables_->row_place(up); }
    /// Order of the stabiliser of a row's representative.
    std::uint32_t row_stabilisers(std::uint64_t row) const { return symmetric_tables_->row_stabilisers(row); }
    /// The column T_(g^-1 h) o of a column T_h o.
    std::uint64_t moved_column(std::uint32_t g, std::uint64_t column) const {
        return symmetric_tables_->moved_column(g, column);
    }
    double moved_sign(std::uint32_t g, std::uint64_t column) const { return symmetric_tables_->moved_sign(g, column); }

  private:
    void add_subspace_hops(const SubspaceHopCounts& counts);
    void add_left_hops(SubspaceHops& between) const;
    Stored stored_by_symmetry(std::uint64_t up, std::uint64_t down) const;

    std::vector<Subspace> subspaces_;
    std::vector<SubspaceHops> subspace_hops_;
    std::unique_ptr<const SymmetricTables> symmetric_tables_;
};

}  // namespace strata::lanczos
