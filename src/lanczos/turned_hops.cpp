// SPDX-License-Identifier: BSD-3-Clause
#include "lanczos/turned_hops.hpp"

namespace strata::lanczos {

TurnedHops::TurnedHops(const Communicator& comm, const StepKernels& kernels, const HamiltonianView& hamiltonian,
                       std::vector<Range> blocks)
    : comm_(comm),
      kernels_(kernels),
      h_(hamiltonian),
      exchange_(comm, std::move(blocks), hamiltonian.layout.panels(), tile_reals) {}

void TurnedHops::apply(const double* f, double* q, TileSums* sums) {
    const std::uint64_t groups = exchange_.groups();
    exchange_.start_gather(0, f);
    for (std::uint64_t g = 0; g < groups; ++g) {
        exchange_.finish_gather(g);
        if (g > 0) add_returned(g - 1, f, q, sums);
        if (g + 1 < groups) exchange_.start_gather(g + 1, f);
        const GatheredPanels panels = {exchange_.gathered(g), exchange_.blocks().data(), comm_.size()};
        kernels_.up_gathered(h_, panels, exchange_.panels(g, comm_.rank()).size(), exchange_.answer(g));
        exchange_.start_return(g);
    }
    add_returned(groups - 1, f, q, sums);
}

void TurnedHops::add_returned(std::uint64_t group, const double* f, double* q, TileSums* sums) {
    exchange_.finish_return(group);
    for (int r = 0; r < comm_.size(); ++r)
        kernels_.add_up(h_, exchange_.returned(group, r), exchange_.panels(group, r), f, q, sums);
}

}  // namespace strata::lanczos
