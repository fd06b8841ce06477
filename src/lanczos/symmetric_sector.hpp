// SPDX-License-Identifier: BSD-3-Clause
// Sectors of lattice symmetries. In the product basis of two spin components a state of the sector has
//
//     Psi(T_g u, T_g d) = chi(g) Psi(u, d),      T_g: all particles moved, operators ordered again (signs included),
//
// so that rows u are needed for representatives of the orbits of the up bit strings only, with all down bit strings.
// These are ordered as images of representatives, d = T_h o: the row T_g u then is the row u with its columns moved from
// h to g^-1 h, whole lines of orbits o at a time (kernels/lanczos/symmetric_sweeps_cpu.cpp):
//
//     column = ((o / n) |G| + h) n + o % n,      n orbits to a line of 32 bytes
//
//     (H_up psi)(u, T_h o)   += t s chi(g) psi(r, T_(g^-1 h) o)     for a hop from u' = s T_g r to u
//     (H_down psi)(u, T_h o) += t s psi(u, T_(h g) o')              for a hop from d' = s T_g o' to o
//
// Orbits shorter than |G|, left unchanged by elements S, are stored |G| long all the same; numbers are
// psi sqrt(|G| / (|S_u| |S_o|)), so that scalar products are plain sums.
//
// With one spin component, Psi(T_g u) = chi(g) Psi(u), a row is the one number of a representative, in a line of its own:
// the factors chi(g) become part of the amplitudes of hops, and the columns carry no group.
#pragma once

#include <memory>

#include "lanczos/orbits.hpp"
#include "models/symmetry.hpp"

namespace strata::lanczos {

/// Sizes of a symmetric sector, by counting.
struct SymmetricCounts {
    SymmetricCounts(std::shared_ptr<const SymmetryGroup> group, const Model& model, int up, int down,
                    std::uint64_t line_reals);

    std::shared_ptr<const SymmetryGroup> group;
    std::uint64_t line_reals;     ///< of 32 bytes
    std::uint32_t column_images;  ///< images of an orbit of columns: |G|, or 1 with one spin component
    std::uint64_t rows = 0, orbits = 0;
    std::uint64_t up_entries = 0, down_entries = 0;  ///< upper bounds of the entries of both matrices
    double states = 0;                               ///< dimension of the sector

    /// Elements of a row as it is stored.
    std::uint64_t columns(Arithmetic arithmetic) const;
    std::uint64_t table_bytes(Arithmetic arithmetic) const;
};

/// Stabilisers (kernels/lanczos/component_table.hpp) with their memory.
struct StabiliserTable {
    StabiliserTable(const SymmetryGroup& group, const Orbits& orbits, bool with_character);
    /// Of rows of one number, which the elements do not move: those that no state of the sector has become 0.
    static StabiliserTable of_numbers(const SymmetryGroup& group, const Orbits& orbits);
    /// Of columns without a group.
    static StabiliserTable none(std::uint64_t orbits);
    StabiliserView view() const { return {first.data(), element.data(), re.data(), im.data()}; }

    std::vector<std::uint64_t> first;
    std::vector<std::uint32_t> element;
    std::vector<double> re, im;

  private:
    StabiliserTable() = default;
};

/// Matrices by orbits of both components, and how the group acts on rows and columns. What it is made from must outlive
/// it.
class SymmetricTables {
  public:
    /// `arithmetic`: how many orbits a line has.
    SymmetricTables(const SymmetricCounts& counts, const Model& model, int up, int down, Arithmetic arithmetic);

    ComponentTable up_table() const;
    ComponentTable down_table() const;
    SymmetryView view() const;

    /// The column of a down bit string; of several that have the same one, the first that is found.
    std::uint64_t column_of(std::uint64_t down) const;
    /// The row of a representative and the column that a basis state is moved to, up to a phase.
    std::pair<std::uint64_t, std::uint64_t> place_of(std::uint64_t up, std::uint64_t down) const;
    /// What multiplies the amplitude of a column's bit string to give its number, beside the factor of the row: the
    /// sign of T_h o and 1 / sqrt(|S_o|). 0 where there is no orbit.
    double column_factor(std::uint64_t column) const;

  private:
    std::uint64_t line() const { return line_reals_ / reals_; }  ///< orbits
    ComponentTable table(const Orbits& orbits, bool of_rows, std::vector<std::uint64_t> bit_strings) const;

    const SymmetryGroup& group_;
    const Model& model_;
    int up_particles_, down_particles_;
    std::uint32_t images_;              ///< of an orbit of columns
    std::uint64_t line_reals_, reals_;  ///< of a line, and of an element
    Orbits up_, down_;
    StabiliserTable rows_, columns_;
    std::vector<std::uint32_t> left_, right_;
};

}  // namespace strata::lanczos
