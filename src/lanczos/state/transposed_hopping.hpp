// SPDX-License-Identifier: BSD-3-Clause
// H_up between nodes that share no memory, by an all-to-all transpose of panels (comm/subvector_exchange.hpp): while
// H_up acts on one group of panels, the next group is received and the results of the previous one are sent back.
#pragma once

#include <memory>

#include "comm/subvector_exchange.hpp"
#include "kernels/lanczos/step_kernels.hpp"

namespace strata::lanczos {

template <class Real>
class TransposedHopping {
  public:
    /// `blocks`: [rank] its blocks. `comm` and `kernels` must outlive the object.
    TransposedHopping(const Communicator& comm, const StepKernels<Real>& kernels, const HamiltonianView& hamiltonian,
                      std::vector<Range> blocks);
    /// w += H_up v; sums[tile] as up_sweep leaves them. Collective.
    void apply(const Real* v, Real* w, TileSums* sums);

  private:
    void add_returned(std::uint64_t group, const Real* v, Real* w, TileSums* sums);

    const Communicator& comm_;
    const StepKernels<Real>& kernels_;
    const HamiltonianView h_;
    SubvectorExchange exchange_;
};

}  // namespace strata::lanczos
