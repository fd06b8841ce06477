// SPDX-License-Identifier: BSD-3-Clause
// A start is right-canonical: its tensors are made from right to left, each in the basis of the block to its right.
#include "dmrg/state/chain_state.hpp"

#include <algorithm>
#include <cmath>

namespace strata::dmrg {

ChainState::ChainState(const Model& model, const Algebra& algebra)
    : model_(model),
      algebra_(algebra),
      tensors_(static_cast<std::size_t>(model.sites)),
      blocks_(model.sites, model.target) {}

void ChainState::begin(StartColumns columns, const RandomStream& stream, std::uint64_t states) {
    if (start_energies_.empty()) start_energies_ = estimate_energies(model_, algebra_);
    Block block = Block::empty(model_.target);
    for (int site = model_.sites; site-- > 0;) {
        const EnlargedBlock grown = grow(model_, block, Side::right, site, allowed(site));
        tensor(site) = start_tensor(model_, grown, site, site == 0 ? 1 : states,
                                    start_energies_[static_cast<std::size_t>(site)], columns, stream);
        block = rotate(algebra_, grown, tensor(site));
    }
    tensor(0) = regrouped(tensor(0), model_.charges);
    centre_ = 0;
}

void ChainState::set_tensors(std::vector<SiteTensor> tensors) {
    tensors_ = std::move(tensors);
    centre_ = 0;
}

void ChainState::move_right() {
    ++centre_;
    tensor(centre_) = regrouped(tensor(centre_), model_.charges);
}

void ChainState::move_left() {
    tensor(centre_) = regrouped(tensor(centre_), model_.charges);
    --centre_;
}

EnlargedBlock ChainState::enlarged_left() const {
    return grow(model_, blocks_[centre_], Side::left, centre_, allowed(centre_ + 1));
}

EnlargedBlock ChainState::enlarged_right() const {
    return grow(model_, blocks_[centre_ + 2], Side::right, centre_ + 1, allowed(centre_ + 1));
}

std::vector<Matrix> ChainState::wave_function(const Sectors& left) const {
    const auto c = static_cast<std::size_t>(centre_);
    std::vector<Matrix> of_tensor = joined(algebra_, tensors_[c], tensors_[c + 1]), x(left.size());
    for (std::size_t s = 0; s < of_tensor.size(); ++s)
        if (const auto sector = left.find(tensors_[c].enlarged.sectors.charges[s]))
            x[*sector] = std::move(of_tensor[s]);
    return x;
}

void ChainState::rebuild_blocks(Side orthonormal) {
    const int right_begin = left_end(orthonormal) + 1;
    blocks_.clear();
    for (int site = 0; site + 1 < right_begin; ++site) {
        blocks_.focus(site);
        const EnlargedBlock grown = grow(model_, blocks_[site], Side::left, site, allowed(site + 1));
        blocks_.set(site + 1, rotate(algebra_, grown, tensor(site)));
    }
    for (int site = model_.sites - 1; site >= right_begin; --site) {
        blocks_.focus(site - 1);
        const EnlargedBlock grown = grow(model_, blocks_[site + 1], Side::right, site, allowed(site));
        blocks_.set(site, rotate(algebra_, grown, tensor(site)));
    }
}

std::vector<Sectors> ChainState::bonds() const {
    std::vector<Sectors> bonds = {blocks_[0].sectors};
    for (int site = 0; site <= centre_; ++site) bonds.push_back(tensors_[static_cast<std::size_t>(site)].kept);
    for (int site = centre_ + 2; site < model_.sites; ++site)
        bonds.push_back(tensors_[static_cast<std::size_t>(site)].kept);
    bonds.push_back(blocks_[model_.sites].sectors);
    return bonds;
}

void ChainState::set_shapes(int centre, const std::vector<Sectors>& bonds) {
    centre_ = centre;
    for (int site = 0; site < model_.sites; ++site) {
        const auto s = static_cast<std::size_t>(site);
        SiteTensor& t = tensors_[s];
        t.side = site <= centre ? Side::left : Side::right;
        const bool left = t.side == Side::left;
        t.kept = bonds[left ? s + 1 : s];
        t.enlarged = enlarge(bonds[left ? s : s + 1], model_.charges, t.side, allowed(left ? site + 1 : site));
        t.allocate_matrices();
    }
}

}  // namespace strata::dmrg
