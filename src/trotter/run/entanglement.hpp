// SPDX-License-Identifier: BSD-3-Clause
// Entanglement entropy S = -tr rho ln rho (in nats) of some spins with all others, from the reduced density matrix rho
// of the smaller side: both sides of a pure state have the same entropy. Every rank of a state receives all amplitudes,
// batch by batch in the order of the states b of the larger side, and sums its own tiles of rho
// (kernels/trotter/density_tiles.hpp); rank 0 of the state diagonalises rho. No result depends on the number of ranks.
#pragma once

#include <vector>

#include "comm/communicator.hpp"
#include "kernels/trotter/density_tiles.hpp"
#include "kernels/trotter/pass_kernels.hpp"
#include "strata/buffer.hpp"
#include "strata/checkpoint.hpp"
#include "strata/timer.hpp"
#include "trotter/state/cut_layout.hpp"

namespace strata::trotter {

class TrotterPlan;

class Entanglement {
  public:
    /// `comm`, `plan` and `timers` must outlive the object. Collective.
    Entanglement(const Communicator& comm, const TrotterPlan& plan, Timers& timers);

    void allocate();
    /// Entropies in nats, [state], on all ranks; `psi`: amplitudes of the states in the basis of z. Collective.
    std::vector<double> entropies(const DistributedArray& psi);

  private:
    /// Broadcasts a batch of a state, chunk by chunk, into panels_ on all ranks of the state.
    void load_batch(const DistributedArray& psi, std::uint64_t state, std::uint64_t batch);
    /// Copies chunk_ into panels_, where its first amplitude has the offset `place`.
    template <class Real>
    void scatter(std::uint64_t place);
    double entropy_of_tiles() const;

    const Communicator& comm_;
    const TrotterPlan& plan_;
    Timers& timers_;
    const PassKernels<double>& kernels_;
    const CutLayout& cut_;
    Communicator state_comm_;  ///< ranks that share this rank's state
    Range tiles_;              ///< tiles of rho that this rank sums
    CutLayout::Places places_;
    Buffer<double> chunk_, panels_, sums_;  ///< one chunk, one batch, and tiles_ of rho
};

}  // namespace strata::trotter
