// SPDX-License-Identifier: BSD-3-Clause
// The overlaps of an enlarged sector are computed segment by segment of the current state: the overlap of the block's
// states times the rows of the previous state's tensor that have the same state of the site and the same charge.
#include "dmrg/run/overlaps.hpp"

namespace strata::dmrg {
namespace {

/// Environment of zero sites: the identity of the bond's only sector.
std::vector<Matrix> one(const Sectors& bond) {
    Matrix m(bond.states[0], bond.states[0]);
    for (std::uint64_t i = 0; i < m.rows; ++i) m(i, i) = 1;
    return {m};
}

}  // namespace

FoundState::FoundState(const Model& model, const ChainState& chain) : bonds(chain.bonds()) {
    for (const SiteTensor& tensor : chain.tensors()) {
        const SiteTensor other = regrouped(tensor, model.charges);
        left.push_back(tensor.side == Side::left ? tensor : other);
        right.push_back(tensor.side == Side::left ? other : tensor);
    }
}

FoundState FoundState::times_imaginary_unit(const Model& model) const {
    FoundState state = *this;
    state.right.back() = dmrg::times_imaginary_unit(right.back());
    state.left.back() = regrouped(state.right.back(), model.charges);
    return state;
}

Overlaps::Overlaps(const Algebra& algebra, FoundState found)
    : algebra_(algebra), found_(std::move(found)), left_(found_.bonds.size()), right_(found_.bonds.size()) {
    left_.front() = {found_.bonds.front(), one(found_.bonds.front())};
    right_.back() = {found_.bonds.back(), one(found_.bonds.back())};
}

void Overlaps::absorb(int site, const SiteTensor& own) {
    const std::vector<Matrix> e = enlarged(own.side, site, own.enlarged);
    OfBlock& to =
        own.side == Side::left ? left_[static_cast<std::size_t>(site) + 1] : right_[static_cast<std::size_t>(site)];
    to = {own.kept, std::vector<Matrix>(own.kept.size())};
    for_each(algebra_, own.kept.size(), [&](std::size_t k) {
        const auto sector = own.enlarged_sector(k);
        if (sector && !e[*sector].empty()) to.matrices[k] = algebra_.product(transposed(own.matrices[k]), e[*sector]);
    });
}

std::vector<Matrix> Overlaps::wave_function(int centre, const EnlargedSectors& left,
                                            const EnlargedSectors& right) const {
    const std::vector<Matrix> e = enlarged(Side::left, centre, left), f = enlarged(Side::right, centre + 1, right);
    std::vector<Matrix> phi(left.sectors.size());
    for_each(algebra_, phi.size(), [&](std::size_t l) {
        const auto r = right.sectors.find(left.sectors.charges[l]);
        if (r && !e[l].empty() && !f[*r].empty()) phi[l] = algebra_.product(f[*r], transposed(e[l]));
    });
    return phi;
}

std::vector<Matrix> Overlaps::enlarged(Side side, int site, const EnlargedSectors& own) const {
    std::vector<Matrix> result(own.sectors.size());
    for_each(algebra_, result.size(),
             [&](std::size_t sector) { result[sector] = enlarged_sector(side, site, own, sector); });
    return result;
}

Matrix Overlaps::enlarged_sector(Side side, int site, const EnlargedSectors& own, std::size_t sector) const {
    const auto s = static_cast<std::size_t>(site);
    const SiteTensor& other = side == Side::left ? found_.left[s] : found_.right[s];
    const OfBlock& block = side == Side::left ? left_[s] : right_[s + 1];
    const Sectors& bond = found_.bonds[side == Side::left ? s : s + 1];
    const auto kept = other.kept.find(own.sectors.charges[sector]);
    const auto enlarged_other = kept ? other.enlarged_sector(*kept) : std::nullopt;
    if (!enlarged_other) return {};
    Matrix result(own.sectors.states[sector], other.kept.states[*kept]);
    for (const Segment& segment : own.segments[sector]) {
        const Matrix& overlap = block.matrices[segment.sector];
        const auto label = bond.find(block.own.charges[segment.sector]);
        if (overlap.empty() || !label) continue;
        const Segment* rows = other.enlarged.find(*enlarged_other, segment.site_state, *label);
        if (rows != nullptr)
            algebra_.multiply(overlap, other.matrices[*kept], rows->rows, result, segment.rows,
                              kronecker::GemmUpdate::set);
    }
    return result;
}

}  // namespace strata::dmrg
