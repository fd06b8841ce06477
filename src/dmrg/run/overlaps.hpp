// SPDX-License-Identifier: BSD-3-Clause
// Overlaps of the current state with a previous one, to which it must be orthogonal. <previous|psi> is linear in the
// wave function at the centre: it is the scalar product with phi, the previous state in the basis of the superblock,
//
//     phi_Q = F_Q E_Q^T       E: states of the enlarged left block x states of the previous state's bond, F: right one
//
// E and F are extended with the blocks, site by site, like the environments of an expectation value (Schollwoeck, Ann.
// Phys. 326, 96 (2011), section 4.2.1).
#pragma once

#include "dmrg/state/chain_state.hpp"

namespace strata::dmrg {

/// A previous state, as a matrix product state.
struct FoundState {
    std::vector<Sectors> bonds;           ///< [bond]
    std::vector<SiteTensor> left, right;  ///< [site] the same elements as tensors of either side

    FoundState(const Model& model, const ChainState& chain);
    /// J times the state, of a complex H (job/terms.hpp).
    FoundState times_imaginary_unit(const Model& model) const;
};

class Overlaps {
  public:
    /// Overlaps with `found`, initially for the blocks without sites. `algebra` must outlive the object.
    Overlaps(const Algebra& algebra, FoundState found);

    const FoundState& found() const { return found_; }
    /// Extends the overlap environment of the tensor's side by the current state's tensor at `site`.
    void absorb(int site, const SiteTensor& own);
    /// phi at a centre, [sector of the enlarged left block]: rows are states of the enlarged right block, columns
    /// states of the left one; empty where the previous state has no weight.
    std::vector<Matrix> wave_function(int centre, const EnlargedSectors& left, const EnlargedSectors& right) const;

  private:
    /// Overlaps of a block: [sector] states of the block x states of the bond of the previous state; empty where that
    /// has none.
    struct OfBlock {
        Sectors own;
        std::vector<Matrix> matrices;
    };
    /// [sector] overlaps of an enlarged block, as in OfBlock.
    std::vector<Matrix> enlarged(Side side, int site, const EnlargedSectors& own) const;
    Matrix enlarged_sector(Side side, int site, const EnlargedSectors& own, std::size_t sector) const;

    const Algebra& algebra_;
    FoundState found_;
    std::vector<OfBlock> left_, right_;  ///< [bond]
};

}  // namespace strata::dmrg
