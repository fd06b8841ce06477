// SPDX-License-Identifier: BSD-3-Clause
// Fidelity |<0|0'>| of the ground states of H and of H' in the same sector, where one value of [model] is larger by a step in H'
// (fidelity.parameter), and the fidelity susceptibility -2 ln |<0|0'>| / step^2 (W.-L. You, Y.-W. Li, S.-J. Gu, Phys. Rev. E 76,
// 022101 (2007)). H' has tables and a working pair of its own, and is searched for its ground state after H.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "krylov/ground_state.hpp"
#include "lanczos/run/task.hpp"

namespace strata::lanczos {

/// Adds errors of fidelity.parameter. Throws as make_model().
void check_fidelity(const Config& config, const LanczosConfig& c, const Model& model, InputErrors& found);
/// H' of a plan; nothing if it is not requested.
std::vector<OtherOperator> fidelity_operator(const LanczosPlan& plan);

class Fidelity {
  public:
    /// `plan` and `timers` must outlive it. Collective.
    Fidelity(const LanczosPlan& plan, const MakeHamiltonian& make, Timers& timers);

    bool exists() const { return solver_ != nullptr; }
    void add_memory(MemoryPrediction& memory) const;
    void allocate();
    void initialise();
    void add_state(std::vector<DistributedArray>& arrays);
    /// Whether both states are known, or the search for the second one has ended without it.
    bool complete() const { return solver_ == nullptr || solver_->done(); }
    std::uint64_t total_steps() const { return solver_ == nullptr ? 0 : solver_->total_steps(); }
    /// A step of the search for the ground state of H', which ends with the product with the ground state of H. Collective.
    void step(const DistributedVector& ground_state, krylov::VectorSpace& space);

    std::string shortfall() const;
    std::string remark() const;
    std::vector<Quantity> results() const;

  private:
    /// Whether there is one ground state of H', and no other one.
    bool is_single() const;
    /// Numbers that the product of both states gives.
    struct Products {
        double overlap = 0, rest = 0;  ///< |<0|0'>|, and the square of the norm of |0'> - |0><0|0'>
    };

    const LanczosPlan& plan_;
    const std::unique_ptr<const LanczosPlan> other_plan_;  ///< null if it is not requested
    const std::unique_ptr<HamiltonianOperator> other_;
    std::unique_ptr<krylov::GroundStateSolver> solver_;
    Products products_;
};

}  // namespace strata::lanczos
