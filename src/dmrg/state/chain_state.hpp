// SPDX-License-Identifier: BSD-3-Clause
// The state of a renormalization: a matrix product state with a centre bond, and the blocks on both sides of it.
//
//     site      0  1  ...  c   |   c+1  ...  L-1        tensors 0..c are of the left side, the others of the right;
//     block     L_0 L_1 .. L_c | R_(c+2) ...   R_L      L_b contains the sites below bond b, R_b all others
//
// All tensors but one of the two at the centre have orthonormal columns. In a time evolution this one is complex, and all
// others stay real (S. R. White, A. Feiguin, Phys. Rev. Lett. 93, 076401 (2004)): its imaginary part is a tensor of the same
// shape. Blocks are computed from the tensors; a checkpoint contains the tensors only.
//
// A complex state psi of a complex H has one of two forms, by the two states of the bond behind the last site
// (job/terms.hpp): the real state x = (Re psi, Im psi) of a search, and (psi, -i psi) / sqrt(2) = (1 - i J) x / sqrt(2), on
// which J acts as the number i. The second one evolves in time, and is measured.
#pragma once

#include "dmrg/state/block_store.hpp"
#include "dmrg/state/start_state.hpp"

namespace strata::dmrg {

class ChainState {
  public:
    /// `model` and `algebra` must outlive the object.
    ChainState(const Model& model, const Algebra& algebra);

    /// Makes a start state with about `states` states per bond and its centre at bond 0, without blocks. Equal streams
    /// give equal numbers.
    void begin(StartColumns columns, const RandomStream& stream, std::uint64_t states);

    /// Makes the product state with these states of the sites, which have the charge of the target, in the complex form if H
    /// is complex. Its centre is at bond 0.
    void begin_product(const std::vector<std::size_t>& states);

    const Model& model() const { return model_; }
    int centre() const { return centre_; }
    /// Moves the centre by one bond without truncation. The blocks are not changed.
    void move_right();
    void move_left();

    const std::vector<SiteTensor>& tensors() const { return tensors_; }
    /// Sets the tensors of a state whose centre is at bond 0.
    void set_tensors(std::vector<SiteTensor> tensors);
    SiteTensor& tensor(int site) { return tensors_[static_cast<std::size_t>(site)]; }
    /// Makes the state complex, with an imaginary part of zero. `site`: that of the tensor which is not orthonormal.
    void become_complex(int site);
    /// Replaces the complex tensor, which lies at the centre.
    void set_complex(int site, SiteTensor real, SiteTensor imaginary);
    bool is_complex() const { return complex_site_ >= 0; }
    /// The site whose tensor has an imaginary part, and this part.
    int complex_site() const { return complex_site_; }
    SiteTensor& imaginary() { return imaginary_; }
    const SiteTensor& imaginary() const { return imaginary_; }
    /// Charges that a bond may have.
    ChargeRange allowed(int bond) const { return reachable_charges(model_, bond); }

    BlockStore& blocks() { return blocks_; }
    /// The blocks next to the two sites at the centre, enlarged by these sites.
    EnlargedBlock enlarged_left() const;
    EnlargedBlock enlarged_right() const;
    /// The wave function at the centre (see joined()), [sector of the enlarged left block]. `left`: sectors of the
    /// enlarged left block.
    std::vector<Matrix> wave_function(const Sectors& left) const;
    /// Its imaginary part, of a complex state.
    std::vector<Matrix> imaginary_wave_function(const Sectors& left) const;

    /// Sets the block at the bond between the two sites of the centre.
    void set_block(Block block) { blocks_.set(centre_ + 1, std::move(block)); }
    /// Computes all blocks that steps at the centre and next to it need from the tensors. `orthonormal`: the side of
    /// the tensor at the centre whose columns are orthonormal.
    void rebuild_blocks(Side orthonormal);
    /// Number of sites that left blocks then contain; right blocks contain the sites behind the next one.
    int left_end(Side orthonormal) const { return orthonormal == Side::left ? centre_ + 1 : centre_; }
    /// [bond, 0 to L] sectors.
    std::vector<Sectors> bonds() const;
    /// Allocates tensors for these bonds and this centre; their elements are 0.
    void set_shapes(int centre, const std::vector<Sectors>& bonds);

  private:
    std::vector<Matrix> wave_function(const Sectors& left, const SiteTensor& t, const SiteTensor& u) const;
    void regroup(int site);

    const Model& model_;
    const Algebra& algebra_;
    std::vector<ChargeEnergies> start_energies_;  ///< empty before the first begin()
    int centre_ = 0;
    std::vector<SiteTensor> tensors_;
    int complex_site_ = -1;  ///< -1: the state is real
    SiteTensor imaginary_;
    BlockStore blocks_;
};

}  // namespace strata::dmrg
