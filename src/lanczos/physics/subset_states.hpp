// SPDX-License-Identifier: BSD-3-Clause
// The states of a set of sites, in blocks of the charges that the sector conserves: their reduced density matrix has no
// other elements. A basis state is two words of bits in the order of its modes: of two spin components the bits of spin
// down and of spin up, else one word of all sites. Operators of the set stand before those of all other sites; fermions
// that they pass give the sign
//
//     |a> |b>  =  (-1)^(pairs of a particle of b on a mode before one of a particle of a)  |words>
#pragma once

#include <cstdint>
#include <vector>

#include "lanczos/job/config.hpp"
#include "lanczos/physics/sector.hpp"

namespace strata::lanczos {

class SubsetStates {
  public:
    /// Largest number of states, and of elements of all blocks.
    static constexpr std::size_t max_states = 4096;
    static constexpr std::uint64_t max_elements = std::uint64_t{1} << 22;

    /// Throws Error(bad_input) for more states or elements than these.
    SubsetStates(const std::vector<int>& sites, const Model& model, Conserved conserved);

    std::size_t size() const { return states_.size(); }
    /// Sizes of the blocks, and the number of the first element of each among those of all blocks.
    const std::vector<std::size_t>& blocks() const { return blocks_; }
    const std::vector<std::uint64_t>& first_element() const { return first_element_; }
    std::uint64_t elements() const;

    /// The bits of the other sites.
    BasisWords rest(const BasisWords& words) const { return {words[0] & ~mask_[0], words[1] & ~mask_[1]}; }
    /// Block of the state of the set, and its number there.
    struct Place {
        std::uint32_t block = 0, number = 0;
    };
    Place place(const BasisWords& words) const;
    /// The bits of the states of a block, by their numbers.
    const std::vector<BasisWords>& states_of(std::uint32_t block) const { return states_of_block_[block]; }
    /// Whether the sign is minus.
    bool minus(const BasisWords& words) const;

  private:
    BasisWords mask_ = {0, 0};
    bool fermions_;
    std::vector<BasisWords> states_;  ///< ascending
    std::vector<Place> places_;       ///< [state]
    std::vector<std::size_t> blocks_;
    std::vector<std::vector<BasisWords>> states_of_block_;
    std::vector<std::uint64_t> first_element_;
};

}  // namespace strata::lanczos
