// SPDX-License-Identifier: BSD-3-Clause
// H_up of a vector whose blocks are spread over the ranks: in place on one rank; else group by group of panels, while
// the next group is on its way here and the last one on its way back.
#pragma once

#include <memory>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/subvector_exchange.hpp"
#include "lanczos/plan.hpp"

namespace strata::lanczos {

class UpHops {
  public:
    UpHops(const Communicator& comm, const LanczosPlan& plan, const HamiltonianView& hamiltonian);

    /// q += H_up f. Returns the sums over the whole vector of f and the new q, the same on all ranks. Collective.
    TileSums apply(const double* f, double* q);
    /// Sums of tiles, added in global order, whatever the ranks and threads. Collective.
    TileSums total(std::vector<TileSums>& tiles) const;
    /// One per tile of this rank.
    std::vector<TileSums>& tiles() { return tiles_; }

  private:
    void add_returned(std::uint64_t group, const double* f, double* q);

    const Communicator& comm_;
    const StepKernels& kernels_;
    const HamiltonianView& h_;
    std::unique_ptr<SubvectorExchange> exchange_;
    std::vector<TileSums> tiles_;
};

}  // namespace strata::lanczos
