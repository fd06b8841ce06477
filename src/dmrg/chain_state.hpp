// SPDX-License-Identifier: BSD-3-Clause
// The state of a renormalization: a matrix product state with a centre bond, and the blocks on both sides of it.
//
//     site      0  1  ...  c   |   c+1  ...  L-1        tensors 0..c are of the left side, the others of the right;
//     block     L_0 L_1 .. L_c | R_(c+2) ...   R_L      block L_b holds sites below bond b, R_b those from bond b on
//
// All tensors but one of the two at the centre have orthonormal columns. The blocks follow from the tensors; a
// checkpoint holds the tensors only.
#pragma once

#include "dmrg/block_store.hpp"
#include "dmrg/start_state.hpp"

namespace strata::dmrg {

class ChainState {
  public:
    /// The references must outlive it.
    ChainState(const Model& model, const Algebra& algebra);

    /// A start with about `states` states per bond, its centre at bond 0, without blocks. The same numbers for the same
    /// stream.
    void begin(StartColumns columns, const RandomStream& stream, std::uint64_t states);

    int centre() const { return centre_; }
    /// Moves the centre by one bond, without truncation; then blocks up to there must be made by grow_left/right.
    void move_right();
    void move_left();

    const std::vector<SiteTensor>& tensors() const { return tensors_; }
    /// The tensors of a state whose centre is at bond 0.
    void set_tensors(std::vector<SiteTensor> tensors);
    SiteTensor& tensor(int site) { return tensors_[static_cast<std::size_t>(site)]; }
    /// Labels that a bond may have.
    ChargeRange allowed(int bond) const { return reachable_charges(model_, bond); }

    BlockStore& blocks() { return blocks_; }
    /// Blocks next to the sites at the centre, with these sites.
    EnlargedBlock enlarged_left() const;
    EnlargedBlock enlarged_right() const;
    /// The wave function at the centre (see joined()), [sector of the enlarged left block], which has the sectors
    /// `left`.
    std::vector<Matrix> wave_function(const Sectors& left) const;

    /// The block at the bond between the sites of the centre, which one of the blocks next to them has become.
    void set_block(Block block) { blocks_.set(centre_ + 1, std::move(block)); }
    /// Makes all blocks that the centre and the bond next to it need from the tensors; of those at the centre the one
    /// of `orthonormal` has orthonormal columns.
    void rebuild_blocks(Side orthonormal);
    /// Sites that are then in left blocks; those behind the next one are in right blocks.
    int left_end(Side orthonormal) const { return orthonormal == Side::left ? centre_ + 1 : centre_; }
    /// Sectors of the bonds, 0 to L.
    std::vector<Sectors> bonds() const;
    /// Tensors without elements for these bonds, with the centre given.
    void set_shapes(int centre, const std::vector<Sectors>& bonds);

  private:
    const Model& model_;
    const Algebra& algebra_;
    std::vector<ChargeEnergies> start_energies_;  ///< empty until a start is made
    int centre_ = 0;
    std::vector<SiteTensor> tensors_;
    BlockStore blocks_;
};

}  // namespace strata::dmrg
