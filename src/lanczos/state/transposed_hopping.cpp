// SPDX-License-Identifier: BSD-3-Clause
// Tiles of a group are packed panel by panel, so that one message per pair of ranks contains a whole group. Own tiles are
// packed too, but neither sent nor copied.
#include "lanczos/state/transposed_hopping.hpp"

#include "strata/parallel.hpp"

namespace strata::lanczos {

template <class Real>
TransposedHopping<Real>::TransposedHopping(const Communicator& comm, const StepKernels<Real>& kernels,
                                           const HamiltonianView& hamiltonian, std::vector<Range> blocks)
    : comm_(comm),
      kernels_(kernels),
      h_(hamiltonian),
      blocks_(std::move(blocks)),
      groups_{hamiltonian.layout.panels(), static_cast<std::uint64_t>(comm.size())},
      exchange_(make_exchange()) {}

/// Parts have the size of the first group, the largest.
template <class Real>
typename TransposedHopping<Real>::Transpose TransposedHopping<Real>::make_exchange() const {
    const auto own = static_cast<std::size_t>(comm_.rank());
    const std::size_t tile = h_.layout.tile() * sizeof(Real);
    Transpose::Parts parts;
    std::vector<bool> remote(blocks_.size(), true);
    remote[own] = false;
    for (int r = 0; r < comm_.size(); ++r) {
        parts.rows.push_back(blocks_[own].size() * groups_.of(0, r).size() * tile);
        parts.columns.push_back(blocks_[static_cast<std::size_t>(r)].size() * groups_.of(0, comm_.rank()).size() *
                                tile);
    }
    return Transpose(PiecesUnderWay::two, parts, TransposeResults::apart, remote,
                     [&] { return std::make_unique<Exchange<Cpu>>(comm_); });
}

template <class Real>
void TransposedHopping<Real>::pack(std::uint64_t group, int slot, const Real* v) {
    const std::uint64_t tile = h_.layout.tile(), panels = h_.layout.panels();
    const std::uint64_t blocks = blocks_[static_cast<std::size_t>(comm_.rank())].size();
    for (int r = 0; r < comm_.size(); ++r) {
        const Range p = groups_.of(group, r);
        auto* out = reinterpret_cast<Real*>(exchange_.rows(slot, r));
        for_each_parallel({0, p.size() * blocks}, [&](std::uint64_t i) {
            const std::uint64_t panel = p.first + i / blocks, block = i % blocks;
            std::copy_n(v + (block * panels + panel) * tile, tile, out + i * tile);
        });
    }
}

template <class Real>
void TransposedHopping<Real>::multiply(std::uint64_t group, int slot) {
    std::vector<const Real*> gathered;
    std::vector<Real*> results;
    for (int r = 0; r < comm_.size(); ++r) {
        char* tiles = r == comm_.rank() ? exchange_.rows(slot, r) : exchange_.columns(slot, r);
        gathered.push_back(reinterpret_cast<const Real*>(tiles));
        results.push_back(reinterpret_cast<Real*>(exchange_.results(slot, r)));
    }
    kernels_.up_gathered(h_, {gathered.data(), blocks_.data(), comm_.size()}, groups_.of(group, comm_.rank()).size(),
                         results.data());
}

template <class Real>
void TransposedHopping<Real>::apply(const Real* v, Real* w, TileSums* sums) {
    exchange_.run(
        groups_.count(), [&](std::uint64_t group, int slot) { pack(group, slot, v); },
        [&](std::uint64_t group, int slot) { multiply(group, slot); },
        [&](std::uint64_t group, int slot) {
            for (int r = 0; r < comm_.size(); ++r) {
                const char* tiles = r == comm_.rank() ? exchange_.results(slot, r) : exchange_.rows(slot, r);
                kernels_.add_up(h_, reinterpret_cast<const Real*>(tiles), groups_.of(group, r), v, w, sums);
            }
        });
}

template class TransposedHopping<double>;
template class TransposedHopping<float>;

}  // namespace strata::lanczos
