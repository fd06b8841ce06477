// SPDX-License-Identifier: BSD-3-Clause
// Groups of permutations of the sites under which a cluster is mapped onto itself, with a one-dimensional character:
// translations with a momentum, and point operations with a parity or an angular momentum. Characters are roots of
// unity, which are kept as integers, so that products are exact and a character that is real is known to be real.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/lattice.hpp"

namespace strata {

/// [site]: the site that its particles are moved to.
using SitePermutation = std::vector<int>;

/// An operation T, which moves the particles of a configuration x, and its factor in a sector: Psi(T x) = exp(2 pi i
/// turn / turns) Psi(x).
struct SymmetryOperation {
    SitePermutation image;
    std::int64_t turn = 0;
    /// Whether T then also fills empty sites and empties occupied ones: it inverts all spins, or exchanges particles and
    /// holes.
    bool complements = false;
};

class SymmetryGroup {
  public:
    /// The group of all products of the operations; `turns` is the number of turns of a full circle. Empty if the
    /// factors contradict each other: the sector then holds no state. `sublattice_signs`: those of an exchange of
    /// particles and holes.
    static std::optional<SymmetryGroup> generated_by(const std::vector<SymmetryOperation>& operations,
                                                     std::int64_t turns, int sites,
                                                     const std::vector<int>& sublattice_signs = {});

    std::uint32_t order() const { return static_cast<std::uint32_t>(image_.size()); }
    int sites() const { return static_cast<int>(image_[0].size()); }
    /// Element 0 is the identity.
    const SitePermutation& image(std::uint32_t g) const { return image_[g]; }
    bool complements(std::uint32_t g) const { return complements_[g]; }
    /// [site] e_i of the exchange c_i -> e_i c+_i of particles and holes; empty if complements are inversions of spins.
    const std::vector<int>& sublattice_signs() const { return sublattice_signs_; }
    /// The sites whose particles change the sign of a bit string that is complemented. With P |0> = prod_i c+_i |0>, in
    /// the order of the sites, P prod_i c+_i |0> over the occupied sites is prod_i e_i (-1)^i times the complement.
    std::uint64_t negative_sites() const { return negative_sites_; }
    /// The sign of T_g T_h = +- T_(g h) on half filled bit strings of one spin component, where both spins together have
    /// none: P T is defined as T first, T P = s P T (commutation_sign()), and P P may be -1.
    int component_sign(std::uint32_t g, std::uint32_t h) const {
        const bool minus = complements(h) && anticommutes_[g] != (complements(g) && squares_to_minus_);
        return minus ? -1 : 1;
    }
    bool has_component_signs() const;
    /// Index of the element that applies h first and then g.
    std::uint32_t product(std::uint32_t g, std::uint32_t h) const { return product_[g * order() + h]; }
    std::uint32_t inverse(std::uint32_t g) const { return inverse_[g]; }
    /// The factor of Psi(T_g x) = chi(g) Psi(x); exact where it is 1, -1, i or -i.
    Complex character(std::uint32_t g) const;
    /// chi(g) = exp(2 pi i turn(g) / turns()).
    std::int64_t turn(std::uint32_t g) const { return turn_[g]; }
    std::int64_t turns() const { return turns_; }
    bool real() const;  ///< whether all characters are real
    /// The same group as permutations of so many adjacent bits of every site.
    SymmetryGroup of_bits(int bits) const;

  private:
    std::vector<SitePermutation> image_;
    std::vector<bool> complements_;
    std::vector<int> sublattice_signs_;
    std::uint64_t negative_sites_ = 0;
    bool squares_to_minus_ = false;
    std::vector<bool> anticommutes_;  ///< [element] whether its permutation and the exchange of particles and holes do
    std::vector<std::int64_t> turn_;  ///< [element]
    std::int64_t turns_ = 1;
    std::vector<std::uint32_t> product_, inverse_;
};

/// The sites with e_i (-1)^i = -1 (SymmetryGroup::negative_sites), and whether P P = 1 on bit strings of one spin component.
std::uint64_t negative_sites(const std::vector<int>& sublattice_signs);
bool squares_to_one(const std::vector<int>& sublattice_signs);
/// The sign s of T P T^-1 = s P on half filled bit strings of one spin component, for a permutation T of the sites and
/// the exchange P of particles and holes with these e_i: the sign of the permutation, times e_(T i) / e_i for every
/// particle. Empty if the latter differ from site to site.
std::optional<int> commutation_sign(const std::vector<int>& sublattice_signs, const SitePermutation& image);

/// Whether all elements of both groups are the same, and so the sectors of their characters.
bool are_equal(const SymmetryGroup& a, const SymmetryGroup& b);

/// Number of turns of a full circle for the characters of a periodic cluster: the phases of every momentum, of every
/// parity, and of rotations by 2 pi / 2, 3, 4 or 6 are whole numbers of turns.
std::int64_t character_turns(const Lattice& lattice);
/// The translations by one cell along each axis with the momentum whose wave vector has k . (torus vector i) = 2 pi
/// m[i]: a state with this momentum has chi = exp(i k . r) for the translation by r.
std::vector<SymmetryOperation> translations(const Lattice& lattice, const std::vector<std::int64_t>& m);
/// A linear map of the plane in Cartesian coordinates, [row][column].
using PlaneMap = std::array<Vector2, 2>;
PlaneMap rotation_by(double angle);
inline constexpr PlaneMap inversion = {{{-1, 0}, {0, -1}}};
/// (x, y) -> (x, -y): the mirror line is along the first axis of every cell.
inline constexpr PlaneMap reflection = {{{1, 0}, {0, -1}}};

/// A linear map in units of the axes of the cell, [row][column].
using CellMap = std::array<std::array<int, 2>, 2>;
/// The map in units of the axes; empty if it does not map cells to cells.
std::optional<CellMap> in_cells(const Lattice& lattice, const PlaneMap& map);
/// Permutations by r -> M r + t for a map M in Cartesian coordinates, one for every t that maps the sites onto sites of
/// the cluster, in the order of the site 0, 1, ... that site 0 is moved to. Empty if M does not map cells to cells.
std::vector<SitePermutation> point_operations(const Lattice& lattice, const PlaneMap& map);

/// An operation r -> M r + t: its map M and its permutation of the sites, which may be the same for different maps on a
/// small torus.
struct AffineOperation {
    CellMap map;
    SitePermutation image;
};

/// Number of elements with the map 1, the identity included, in the group that the operations generate; `most` + 1 if
/// it is larger than `most`.
std::size_t pure_translations(const std::vector<AffineOperation>& operations, std::size_t most);

}  // namespace strata
