// SPDX-License-Identifier: BSD-3-Clause
// H_up over nodes that share no memory, by turning: group by group of panels, while the next group is on its way here
// and the last one on its way back.
#pragma once

#include <memory>

#include "comm/subvector_exchange.hpp"
#include "kernels/lanczos/step_kernels.hpp"

namespace strata::lanczos {

template <class Real>
class TransposedHopping {
  public:
    /// `blocks`: of each rank.
    TransposedHopping(const Communicator& comm, const StepKernels<Real>& kernels, const HamiltonianView& hamiltonian,
                      std::vector<Range> blocks);
    /// w += H_up v, and the sums of this rank's tiles. Collective.
    void apply(const Real* v, Real* w, TileSums* sums);

  private:
    void add_returned(std::uint64_t group, const Real* v, Real* w, TileSums* sums);

    const Communicator& comm_;
    const StepKernels<Real>& kernels_;
    const HamiltonianView h_;
    SubvectorExchange exchange_;
};

}  // namespace strata::lanczos
