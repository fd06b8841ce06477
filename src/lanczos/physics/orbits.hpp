// SPDX-License-Identifier: BSD-3-Clause
// Orbits of the occupation bit strings of one spin component under a symmetry group. The representative of an orbit is
// its smallest bit string, in an order of the sites in which the search is fast (smallest_images.hpp); every bit string
// is +- T_g of one, where T_g moves the particles and orders their operators again, which gives the sign; spins have none.
// An exchange of particles and holes then complements the string, with a sign for each particle on the group's
// negative_sites(). The operations on the strings must multiply like those of the group, signs included
// (particle_hole.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "lanczos/physics/smallest_images.hpp"
#include "lanczos/physics/string_charges.hpp"
#include "models/symmetry.hpp"
#include "strata/buffer.hpp"

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
/// the order of the state's stabiliser divided by the order of the group, or 0. With one spin component `down` is empty.
double projected_square(const SymmetryGroup& group, Statistics statistics, int components, std::uint64_t up,
                        std::uint64_t down);

class Orbits {
  public:
    /// How strings are compared: as numbers, or in the order of sites that makes the search fast.
    enum class Order { numerical, by_blocks };
    /// Those of all `strings`. The group, which must outlive it, permutes their bits.
    Orbits(const SymmetryGroup& group, Statistics statistics, const BitStrings& strings, Order order);

    /// Upper bound of the bytes of `count` orbits in the order by blocks, and of the search, without a list of them.
    static std::uint64_t bytes(const SymmetryGroup& group, const BitStrings& strings, std::uint64_t count);

    std::uint64_t count() const { return first_.back(); }
    std::uint64_t representative(std::uint64_t orbit) const { return images_.occupation(coded(orbit)); }
    const SmallestImages& images() const { return images_; }
    OrbitListView view() const {
        return {images_.view(),
                first_.data(),
                first_cell_.data(),
                cells_.data(),
                marks_.size() == 0 ? nullptr : marks_.data(),
                other_bits_,
                low_.size() == 0 ? nullptr : low_.data(),
                wide_low_.size() == 0 ? nullptr : wide_low_.data()};
    }

    /// An element under which a representative is unchanged up to its sign.
    struct Stabiliser {
        std::uint32_t element;
        bool minus;
    };
    /// Stabiliser of a representative, which contains at least the identity, and its order.
    std::vector<Stabiliser> stabiliser(std::uint64_t orbit) const;
    std::uint32_t stabilisers(std::uint64_t orbit) const {
        return stabilisers_.empty() ? images_.find(coded(orbit)).count : stabilisers_[orbit];
    }

    /// A bit string as +- T_element of a representative with so many stabilisers.
    struct Place {
        std::uint64_t orbit;
        std::uint32_t element;
        bool minus;
        std::uint32_t stabilisers;
    };
    Place find(std::uint64_t occupation) const;

    /// Occupied sites of T_g of a bit string.
    std::uint64_t image(std::uint32_t g, std::uint64_t occupation) const;
    /// Whether T_g of a bit string has a minus sign: that of ordering its operators, and of an exchange of particles and
    /// holes.
    bool minus(std::uint32_t g, std::uint64_t occupation) const;

  private:
    std::uint64_t coded(std::uint64_t orbit) const {
        const OrbitListView orbits = view();
        return OrbitStrings(orbits, orbit).next();
    }
    void list(const BitStrings& strings);
    void list_by_tops(int particles);
    std::uint64_t tops_with_representatives() const;
    void reserve();
    void set(std::uint64_t orbit, std::uint64_t coded);
    void make_cells();
    void number_marks();

    const SymmetryGroup& group_;
    Statistics statistics_;
    SmallestImages images_;
    std::vector<std::uint64_t> first_;               ///< [value of the highest bits] first representative; one more
    std::vector<std::uint32_t> first_cell_, cells_;  ///< OrbitListView
    std::vector<OrbitListView::Mark> marks_;
    int other_bits_ = 0;
    Buffer<std::uint32_t> low_;               ///< [orbit] other bits of the coded representative; empty with marks
    Buffer<std::uint64_t> wide_low_;          ///< the same where they are more than 32
    std::vector<std::uint32_t> stabilisers_;  ///< [orbit] order of its stabiliser; empty where they are too many
};

}  // namespace strata::lanczos
