// SPDX-License-Identifier: BSD-3-Clause
// Overlaps of the state under way with one that was found before, which it shall be orthogonal to. <found|psi> is linear
// in the wave function at the centre: it is the scalar product with phi, the found state in the basis of the superblock,
//
//     phi_Q = F_Q E_Q^T       E: states of the enlarged left block x those of the found state's bond, F: of the right one
//
// E and F grow with the blocks, site by site, as the environments of an expectation value do (Schollwoeck, Ann. Phys.
// 326, 96 (2011), section 4.2.1).
#pragma once

#include "dmrg/chain_state.hpp"

namespace strata::dmrg {

/// A matrix product state that does not change any more.
struct FoundState {
    std::vector<Sectors> bonds;           ///< [bond]
    std::vector<SiteTensor> left, right;  ///< [site] the same numbers as a tensor of either side

    FoundState(const Model& model, const ChainState& chain);
};

class Overlaps {
  public:
    /// With `found`, in the blocks without sites. The references must outlive it.
    Overlaps(const Algebra& algebra, FoundState found);

    const FoundState& found() const { return found_; }
    /// Takes in the tensor of a site of the state under way, next to the sites of that side that it holds already.
    void absorb(int site, const SiteTensor& own);
    /// phi at a centre, [sector of the enlarged left block]: rows are states of the enlarged right block, columns of the
    /// left one; empty where the found state has nothing.
    std::vector<Matrix> wave_function(int centre, const EnlargedSectors& left, const EnlargedSectors& right) const;

  private:
    /// Of a block: [sector] its states x those of the found state's bond, empty where there are none.
    struct OfBlock {
        Sectors own;
        std::vector<Matrix> matrices;
    };
    /// [sector] of an enlarged block, as OfBlock.
    std::vector<Matrix> enlarged(Side side, int site, const EnlargedSectors& own) const;
    Matrix enlarged_sector(Side side, int site, const EnlargedSectors& own, std::size_t sector) const;

    const Algebra& algebra_;
    FoundState found_;
    std::vector<OfBlock> left_, right_;  ///< [bond]
};

}  // namespace strata::dmrg
