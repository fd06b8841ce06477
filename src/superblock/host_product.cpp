// SPDX-License-Identifier: BSD-3-Clause
// A rank reads every patch as a whole that a block of its columns reads: its own patches and their neighbours.
#include "superblock/host_product.hpp"

#include <algorithm>

#include "comm/collectives.hpp"

namespace strata::kronecker {
namespace {

std::vector<Range> elements_of_ranks(const MultiplyPlan& plan) {
    std::vector<Range> owned;
    for (int rank = 0; rank < plan.ranks(); ++rank) owned.push_back(plan.elements(rank));
    return owned;
}

std::vector<Range> elements_of(const PatchLayout& layout, const std::vector<std::size_t>& patches) {
    std::vector<Range> pieces;
    for (std::size_t i : patches) pieces.push_back(layout.elements_of(i));
    return pieces;
}

}  // namespace

template <class Real>
HostProduct<Real>::HostProduct(const Communicator& comm, const MultiplyPlan& plan, const Node& node, Timers& timers)
    : plan_(plan),
      timers_(timers),
      patches_read_(patches_read(plan.target(), plan.columns())),
      exchange_(comm, node, elements_of_ranks(plan), elements_of(plan.layout(), patches_read_), sizeof(Real)),
      in_place_(all_max(comm, exchange_.gathered_bytes()) == 0),
      piece_of_patch_(plan.layout().size()) {
    for (std::size_t piece = 0; piece < patches_read_.size(); ++piece) piece_of_patch_[patches_read_[piece]] = piece;
}

template <class Real>
std::uint64_t HostProduct<Real>::first_in_y(std::size_t patch) const {
    const std::uint64_t column = plan_.layout().columns_of(patch).first;
    return plan_.layout().element_of(std::max(column, plan_.columns().first)) - plan_.elements().first;
}

template class HostProduct<double>;
template class HostProduct<float>;

}  // namespace strata::kronecker
