// SPDX-License-Identifier: BSD-3-Clause
// Sectors of lattice symmetries. In the product basis of two spin components a state of the sector has
//
//     Psi(T_g u, T_g d) = chi(g) Psi(u, d),      T_g: all particles moved, operators ordered again (signs included),
//
// so that rows u are stored for representatives of the orbits of the up bit strings only, with all down bit strings.
// These are ordered as images of representatives, d = T_h o: the row T_g u is then the row u with its columns moved
// from h to g^-1 h, in whole lines of orbits o (kernels/lanczos/symmetric_sweeps_cpu.cpp):
//
//     column = ((o / n) |G| + h) n + o % n,      n orbits to a line of 32 bytes
//
//     (H_up psi)(u, T_h o)   += t s chi(g) psi(r, T_(g^-1 h) o)     for a hop from u' = s T_g r to u
//     (H_down psi)(u, T_h o) += t s psi(u, T_(h g) o')              for a hop from d' = s T_g o' to o
//
// On each spin component alone T_g T_h may be -T_(g h) (SymmetryGroup::component_sign); these sums then have the signs of
// T_g^-1 T_h = +- T_(g^-1 h) and T_h T_g = +- T_(h g).
//
// Orbits shorter than |G|, with stabilisers S, are also stored with |G| images; stored numbers are psi sqrt(|G| /
// (|S_u| |S_o|)), so that scalar products are plain sums.
//
// With one spin component, Psi(T_g u) = chi(g) Psi(u), a row is the single number of a representative
// (kernels/lanczos/orbit_sweeps_cpu.cpp): the factors chi(g) are part of the amplitudes of hops, and the group does not
// act on columns. H may then have any terms, each an operator of bits (split_terms.hpp) from u' to u like a hop, and
// sites may be coded: the group permutes their bits.
#pragma once

#include <memory>
#include <optional>

#include "lanczos/physics/orbits.hpp"
#include "models/symmetry.hpp"

namespace strata::lanczos {

/// What a job decides of a symmetric sector.
struct SymmetricLayout {
    std::uint64_t line_reals = 4;  ///< number of reals in a line of 32 bytes
    bool computes_hops = false;    ///< one spin component alone: hops are computed in every step, not stored
};

/// Sizes of a symmetric sector, by counting.
struct SymmetricCounts {
    /// `up`: all up bit strings, and the states of their sites; `terms`: further ones, of them alone.
    SymmetricCounts(std::shared_ptr<const SymmetryGroup> group, const Model& model, const BitStrings& up,
                    const SiteStates& up_states, int down, const std::vector<BitTerm>& terms,
                    const SymmetricLayout& layout);

    std::shared_ptr<const SymmetryGroup> group;
    bool one_component;           ///< a row is one number
    bool computes_hops;           ///< no tables of hops
    std::uint64_t line_reals;     ///< with two spin components: number of reals in a line of 32 bytes
    std::uint32_t column_images;  ///< images of an orbit of columns: |G|, or 1 with one spin component
    /// Numbers of orbits of up and of down bit strings; with one spin component `orbits` is 1.
    std::uint64_t rows = 0, orbits = 0;
    std::uint64_t up_entries = 0, down_entries = 0;  ///< upper bounds of the entries of both matrices
    double states = 0;                               ///< dimension of the sector
    std::uint64_t list_bytes = 0;                    ///< bytes of the lists and tables of orbits, of one component

    /// Number of elements of a row as it is stored, of two spin components padded to whole lines.
    std::uint64_t columns(Arithmetic arithmetic) const;
    /// Number of reals of a row in one panel.
    std::uint64_t panel(Arithmetic arithmetic) const;
    std::uint64_t table_bytes(Arithmetic arithmetic) const;
};

/// Stabilisers (kernels/lanczos/component_table.hpp) with their memory.
struct StabiliserTable {
    StabiliserTable() = default;  ///< without entries: rows and columns of single numbers have none
    StabiliserTable(const SymmetryGroup& group, const Orbits& orbits, bool with_character);
    StabiliserView view() const { return {first.data(), element.data(), re.data(), im.data()}; }

    std::vector<std::uint64_t> first;
    std::vector<std::uint32_t> element;
    std::vector<double> re, im;
};

/// The terms of H off the diagonal as a kernel computes them, with their memory.
struct ComputedHops {
    std::vector<OrbitTerm> terms;
    std::vector<std::uint32_t> flip_values;
    std::vector<double> character;
    std::vector<HopAmplitude> amplitudes;
    ComputedHopsView view;
};

/// Matrices by orbits of both components, and the action of the group on rows and columns. `counts`, `model` and `terms`
/// must outlive the object.
class SymmetricTables {
  public:
    /// `arithmetic` sets the number of orbits in a line; `terms`: further ones, of the up bit strings.
    SymmetricTables(const SymmetricCounts& counts, const Model& model, const BitStrings& up, int down,
                    const std::vector<BitTerm>& terms, Arithmetic arithmetic);
    SymmetricTables(const SymmetricTables&) = delete;  // views point into it
    SymmetricTables& operator=(const SymmetricTables&) = delete;

    ComponentTable up_table() const;
    ComponentTable down_table() const;
    SymmetryView view() const;
    /// Null unless hops are computed in every step.
    const ComputedHopsView* computed_hops() const { return computed_ ? &computed_->view : nullptr; }
    const std::vector<int>& bit_of_site() const { return up_.images().bit_of_site(); }
    /// Occupied sites of the representative of a row.
    std::uint64_t representative(std::uint64_t row) const { return up_.representative(row); }

    /// The column of a down bit string; the first one found if several columns have the same bit string.
    std::uint64_t column_of(std::uint64_t down) const;
    /// The row of an up bit string, and the order of the stabiliser of a row.
    Orbits::Place row_place(std::uint64_t up) const { return up_.find(up); }
    std::uint32_t row_stabilisers(std::uint64_t row) const { return up_.stabilisers(row); }
    /// The column T_(g^-1 h) o of a column T_h o.
    std::uint64_t moved_column(std::uint32_t g, std::uint64_t column) const;
    /// The sign s of T_g^-1 T_h o = s T_(g^-1 h) o for a column T_h o.
    double moved_sign(std::uint32_t g, std::uint64_t column) const;
    /// Row and column of the image of a basis state whose up bit string is a representative. Amplitudes of a basis
    /// state and its image differ by a phase.
    std::pair<std::uint64_t, std::uint64_t> place_of(std::uint64_t up, std::uint64_t down) const;
    /// Factor from the amplitude of a column's bit string to its stored number, beside the factor of the row: the sign
    /// of T_h o times 1 / sqrt(|S_o|). 0 in padding columns, which have no orbit.
    double column_factor(std::uint64_t column) const;

  private:
    std::uint32_t images() const { return counts_.column_images; }
    std::uint64_t line() const { return counts_.line_reals / reals_; }  ///< number of orbits in a line
    ComponentTable table(const Orbits& orbits, bool of_rows, std::vector<std::uint64_t> bit_strings) const;
    ComponentTable diagonal_alone() const;
    void mark_vanishing_rows();
    void list_terms();
    void list_amplitudes(ComputedHops& hops) const;

    const SymmetricCounts& counts_;
    const SymmetryGroup& group_;
    const Model& model_;
    const std::vector<BitTerm>& terms_;
    BitStrings up_strings_, down_strings_;
    std::uint64_t reals_;  ///< reals of an element
    Orbits up_, down_;
    StabiliserTable rows_, columns_;
    std::vector<std::uint64_t> vanishing_;  ///< with one spin component (SymmetryView)
    std::optional<ComputedHops> computed_;
    std::vector<std::uint32_t> left_, right_;     ///< [g][h] offsets in reals (SymmetryView)
    std::vector<double> left_sign_, right_sign_;  ///< [g][h] empty where all are 1
};

}  // namespace strata::lanczos
