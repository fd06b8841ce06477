// SPDX-License-Identifier: BSD-3-Clause
// Groups of permutations of the sites under which a cluster is mapped onto itself, with a one-dimensional character:
// translations with a momentum, and point operations with a parity. Characters are roots of unity, which are kept as
// integers, so that products are exact and a character that is real is known to be real.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lattices/lattice.hpp"

namespace strata {

/// [site] the site that it is moved to.
using SitePermutation = std::vector<int>;

/// An operation, and the factor exp(2 pi i turn / turns) that the amplitudes of a sector take with it:
/// Psi(T x) = exp(2 pi i turn / turns) Psi(x), where T moves the particles of x.
struct SymmetryOperation {
    SitePermutation image;
    std::int64_t turn = 0;
};

class SymmetryGroup {
  public:
    /// All products of the operations. `turns`: of a full circle. Empty if the factors contradict each other: the
    /// sector holds no state then.
    static std::optional<SymmetryGroup> generated_by(const std::vector<SymmetryOperation>& operations,
                                                     std::int64_t turns, int sites);

    std::uint32_t order() const { return static_cast<std::uint32_t>(image_.size()); }
    int sites() const { return static_cast<int>(image_[0].size()); }
    /// Element 0 is the identity.
    const SitePermutation& image(std::uint32_t g) const { return image_[g]; }
    /// g after h.
    std::uint32_t product(std::uint32_t g, std::uint32_t h) const { return product_[g * order() + h]; }
    std::uint32_t inverse(std::uint32_t g) const { return inverse_[g]; }
    /// The factor of Psi(T_g x) = chi(g) Psi(x); exact where it is 1, -1, i or -i.
    Complex character(std::uint32_t g) const;
    bool real() const;

  private:
    std::vector<SitePermutation> image_;
    std::vector<std::int64_t> turn_;  ///< [element] chi = exp(2 pi i turn / turns)
    std::int64_t turns_ = 1;
    std::vector<std::uint32_t> product_, inverse_;
};

/// Turns of the characters of a periodic cluster: every momentum and every parity is a multiple of one of them.
std::int64_t character_turns(const Lattice& lattice);
/// The translations by one cell along each axis with the momentum whose wave vector has k . (torus vector i) = 2 pi
/// m[i]: a state with this momentum has chi = exp(i k . r) for the translation by r.
std::vector<SymmetryOperation> translations(const Lattice& lattice, const std::vector<std::int64_t>& m);
/// Permutations by r -> M r + t for an integer matrix M in units of the axes of the cell, one for every t that maps the
/// sites onto sites of the cluster; t is that which moves site 0 to site 0, 1, ... in this order.
std::vector<SitePermutation> point_operations(const Lattice& lattice, const std::array<std::array<int, 2>, 2>& matrix);

}  // namespace strata
