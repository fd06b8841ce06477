// SPDX-License-Identifier: BSD-3-Clause
// Orbits of the occupation bit strings of one spin component under a symmetry group. The representative of an orbit is
// its smallest bit string; every bit string is +- T_g of one, where T_g moves the particles and orders their operators
// again, which gives the sign; spins have none.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lanczos/physics/string_charges.hpp"
#include "models/symmetry.hpp"

namespace strata::lanczos {

/// Numbers of orbits of bit strings and of states of a sector, computed without a list of them. A group of coded sites
/// permutes their bits (make_symmetry_group).
struct OrbitCounts {
    /// Number of orbits by Burnside's lemma: the mean number of bit strings that an element leaves unchanged.
    static std::uint64_t orbits(const SymmetryGroup& group, const SiteStates& strings);
    /// Dimension of the sector of the group's character: the mean of conj(chi) times the traces of the components.
    static double states(const SymmetryGroup& group, const Model& model, const Filling& filling);
};

/// |P Psi|^2 of the basis state Psi with these bit strings, P the projection onto the sector of the group's character:
/// the order of the state's stabiliser divided by the order of the group, or 0.
double projected_square(const SymmetryGroup& group, Statistics statistics, std::uint64_t up, std::uint64_t down);

class Orbits {
  public:
    /// Those of all `strings`. The group, which must outlive it, permutes their bits.
    Orbits(const SymmetryGroup& group, Statistics statistics, const BitStrings& strings);

    std::uint64_t count() const { return representatives_.size(); }
    std::uint64_t representative(std::uint64_t orbit) const { return representatives_[orbit]; }

    /// An element under which a representative is unchanged up to its sign.
    struct Stabiliser {
        std::uint32_t element;
        bool minus;
    };
    /// Stabiliser of a representative, which contains at least the identity.
    std::span<const Stabiliser> stabiliser(std::uint64_t orbit) const {
        return {stabilisers_.data() + first_[orbit], first_[orbit + 1] - first_[orbit]};
    }

    /// A bit string as +- T_element of a representative.
    struct Place {
        std::uint64_t orbit;
        std::uint32_t element;
        bool minus;
    };
    Place find(std::uint64_t occupation) const;

    /// Occupied sites of T_g of a bit string.
    std::uint64_t image(std::uint32_t g, std::uint64_t occupation) const;
    /// Whether ordering the operators of T_g of a bit string takes an odd number of exchanges.
    bool minus(std::uint32_t g, std::uint64_t occupation) const;

  private:
    const SymmetryGroup& group_;
    Statistics statistics_;
    std::uint64_t all_sites_;                 ///< all sites, one bit each
    std::vector<std::uint64_t> byte_images_;  ///< [element][byte of the bit string][its value]
    std::uint64_t bytes_ = 0;
    std::vector<std::uint64_t> representatives_;  ///< ascending
    std::vector<std::uint64_t> first_;            ///< [orbit] index of its first entry in stabilisers_
    std::vector<Stabiliser> stabilisers_;
};

}  // namespace strata::lanczos
