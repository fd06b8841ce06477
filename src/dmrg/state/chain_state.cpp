// SPDX-License-Identifier: BSD-3-Clause
// A start is right-canonical: its tensors are made from right to left, each in the basis of the block to its right.
#include "dmrg/state/chain_state.hpp"

#include <algorithm>
#include <cmath>

namespace strata::dmrg {

ChainState::ChainState(const Model& model, const Algebra& algebra)
    : model_(model), algebra_(algebra), tensors_(static_cast<std::size_t>(model.sites)), blocks_(model) {}

void ChainState::begin(StartColumns columns, const RandomStream& stream, std::uint64_t states) {
    if (start_energies_.empty()) start_energies_ = estimate_energies(model_, algebra_);
    Block block = Block::right_end(model_);
    for (int site = model_.sites; site-- > 0;) {
        const EnlargedBlock grown = grow(model_, block, Side::right, site, allowed(site));
        tensor(site) = start_tensor(model_, grown, site, site == 0 ? 1 : states,
                                    start_energies_[static_cast<std::size_t>(site)], columns, stream);
        block = rotate(algebra_, grown, tensor(site));
    }
    tensor(0) = regrouped(tensor(0), model_.charges);
    centre_ = 0;
}

void ChainState::begin_product(const std::vector<std::size_t>& states) {
    std::vector<Sectors> bonds = {{{Charge{}}, {1}}};
    const std::uint64_t parts = model_.end_states();
    for (const std::size_t s : states) bonds.push_back({{bonds.back().charges[0] + model_.charges[s]}, {parts}});
    set_shapes(0, bonds);
    const auto element = [&](SiteTensor& t, int site, std::uint64_t row, std::uint64_t column) -> double& {
        const Segment* s = t.enlarged.find(*t.enlarged_sector(0), states[static_cast<std::size_t>(site)], 0);
        return t.matrices[0](s->rows.first + row, column);
    };
    for (int site = 1; site < model_.sites; ++site)
        for (std::uint64_t part = 0; part < parts; ++part) element(tensor(site), site, part, part) = 1;
    element(tensor(0), 0, 0, 0) = 1 / std::sqrt(static_cast<double>(parts));
    if (!model_.complex) return;
    become_complex(0);
    element(imaginary_, 0, 0, 1) = -1 / std::sqrt(static_cast<double>(parts));
}

void ChainState::set_tensors(std::vector<SiteTensor> tensors) {
    tensors_ = std::move(tensors);
    centre_ = 0;
}

void ChainState::become_complex(int site) {
    complex_site_ = site;
    imaginary_ = tensor(site);
    for (Matrix& m : imaginary_.matrices) std::ranges::fill(m.elements, 0.0);
}

void ChainState::set_complex(int site, SiteTensor real, SiteTensor imaginary) {
    complex_site_ = site;
    tensor(site) = std::move(real);
    imaginary_ = std::move(imaginary);
}

/// The tensor becomes one of the other side.
void ChainState::regroup(int site) {
    tensor(site) = regrouped(tensor(site), model_.charges);
    if (site == complex_site_) imaginary_ = regrouped(imaginary_, model_.charges);
}

void ChainState::move_right() { regroup(++centre_); }

void ChainState::move_left() { regroup(centre_--); }

EnlargedBlock ChainState::enlarged_left() const {
    return grow(model_, blocks_[centre_], Side::left, centre_, allowed(centre_ + 1));
}

EnlargedBlock ChainState::enlarged_right() const {
    return grow(model_, blocks_[centre_ + 2], Side::right, centre_ + 1, allowed(centre_ + 1));
}

std::vector<Matrix> ChainState::wave_function(const Sectors& left) const {
    const auto c = static_cast<std::size_t>(centre_);
    return wave_function(left, tensors_[c], tensors_[c + 1]);
}

std::vector<Matrix> ChainState::imaginary_wave_function(const Sectors& left) const {
    const auto c = static_cast<std::size_t>(centre_);
    return complex_site_ == centre_ ? wave_function(left, imaginary_, tensors_[c + 1])
                                    : wave_function(left, tensors_[c], imaginary_);
}

std::vector<Matrix> ChainState::wave_function(const Sectors& left, const SiteTensor& t, const SiteTensor& u) const {
    std::vector<Matrix> of_tensors = joined(algebra_, t, u), x(left.size());
    for (std::size_t s = 0; s < of_tensors.size(); ++s)
        if (const auto sector = left.find(t.enlarged.sectors.charges[s])) x[*sector] = std::move(of_tensors[s]);
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
