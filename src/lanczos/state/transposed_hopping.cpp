// SPDX-License-Identifier: BSD-3-Clause
// Tiles are sent as doubles, also where they hold pairs of floats, so that one exchange serves both precisions.
#include "lanczos/state/transposed_hopping.hpp"

namespace strata::lanczos {

template <class Real>
TransposedHopping<Real>::TransposedHopping(const Communicator& comm, const StepKernels<Real>& kernels,
                                           const HamiltonianView& hamiltonian, std::vector<Range> blocks)
    : comm_(comm),
      kernels_(kernels),
      h_(hamiltonian),
      exchange_(comm, std::move(blocks), hamiltonian.layout.panels(),
                hamiltonian.layout.tile() * sizeof(Real) / sizeof(double)) {}

template <class Real>
void TransposedHopping<Real>::apply(const Real* v, Real* w, TileSums* sums) {
    const auto* doubles = reinterpret_cast<const double*>(v);
    const std::uint64_t groups = exchange_.groups();
    exchange_.start_gather(0, doubles);
    for (std::uint64_t g = 0; g < groups; ++g) {
        exchange_.finish_gather(g);
        if (g > 0) add_returned(g - 1, v, w, sums);
        if (g + 1 < groups) exchange_.start_gather(g + 1, doubles);
        const GatheredPanels<Real> panels = {reinterpret_cast<const Real* const*>(exchange_.gathered(g)),
                                             exchange_.blocks().data(), comm_.size()};
        kernels_.up_gathered(h_, panels, exchange_.panels(g, comm_.rank()).size(),
                             reinterpret_cast<Real* const*>(exchange_.answer(g)));
        exchange_.start_return(g);
    }
    add_returned(groups - 1, v, w, sums);
}

template <class Real>
void TransposedHopping<Real>::add_returned(std::uint64_t group, const Real* v, Real* w, TileSums* sums) {
    exchange_.finish_return(group);
    for (int r = 0; r < comm_.size(); ++r)
        kernels_.add_up(h_, reinterpret_cast<const Real*>(exchange_.returned(group, r)), exchange_.panels(group, r), v,
                        w, sums);
}

template class TransposedHopping<double>;
template class TransposedHopping<float>;

}  // namespace strata::lanczos
