// SPDX-License-Identifier: BSD-3-Clause
// The initial state of an evolution: a product state or, in a sector of lattice symmetries, its normalised projection; or
// the ground state of a Hamiltonian, found by a search (krylov/ground_state.hpp) whose steps come first. An operator of
// the job's observables may then act on it, and the result is normalised; it may lead from another sector to that of
// the evolution.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "krylov/ground_state.hpp"
#include "lanczos/run/operator_means.hpp"
#include "lanczos/run/task.hpp"

namespace strata::lanczos {

/// Adds errors of the keys of the initial state, and of [observables]. Throws as read_observables().
void check_initial_state(const Config& config, const LanczosConfig& c, const Model& model, InputErrors& found);
/// Adds errors of a second Hamiltonian, which must have the symmetries of the sector; sentences begin with `subject`. Throws as
/// make_symmetry_group().
void check_other_model(const LanczosConfig& c, const LanczosConfig& of_other, const Model& model,
                       const std::string& subject, InputErrors& found);
/// Weight of the product state in the requested sector of symmetries; 1 without symmetries.
double product_weight(const LanczosConfig& c, const Model& model);
/// The Hamiltonian and the sector of the initial state, before evolution.operator acts; nothing if they are those of the
/// evolution.
std::vector<OtherOperator> initial_operator(const LanczosPlan& plan);
/// Bytes of the operator that leads to the sector of the evolution, and of a vector before; 0 if none does.
std::uint64_t initial_bytes(const LanczosPlan& plan, int rank, BackendKind backend);
/// Steps of the search for the ground state; none for product states.
StepCounts initial_steps(const LanczosPlan& plan);

class InitialState {
  public:
    /// `plan`, `hamiltonian`, `observables` and `timers` must outlive it. Collective.
    InitialState(const LanczosPlan& plan, HamiltonianOperator& hamiltonian, OperatorMeans& observables,
                 const MakeHamiltonian& make, Timers& timers);

    std::string description() const;
    void add_memory(MemoryPrediction& memory) const;
    void allocate();
    void initialise();
    void add_state(std::vector<DistributedArray>& arrays);
    /// Adds the ground state of another run (lanczos::add_final_state()). Throws CollectiveError(bad_input) if the initial
    /// state is no ground state, or that of another H.
    void add_final_state(const std::vector<ArrayShape>& stored, std::vector<DistributedArray>& arrays);

    bool is_searched() const { return solver_ != nullptr; }
    /// Whether the search has ended; always true of product states.
    bool found() const { return solver_ == nullptr || solver_->done(); }
    /// Whether the evolution has a state to begin with: a search may end without one.
    bool exists() const;
    std::uint64_t steps() const { return solver_ == nullptr ? 0 : solver_->steps(); }
    /// Steps of the whole search, at most.
    std::uint64_t total_steps() const { return solver_ == nullptr ? 0 : solver_->total_steps(); }
    /// A step of the search. Collective.
    void step() { solver_->step(); }
    /// out <- the state, normalised. Overwrites the working pair of the Hamiltonian. Throws CollectiveError(bad_input) if
    /// the product state has no part in the sector, or the operator annihilates the state. Collective.
    void set(DistributedVector& out);

    std::string shortfall() const;
    std::string remark() const;
    void add_results(std::vector<Quantity>& q) const;

  private:
    void apply_operator(const DistributedVector& x, DistributedVector& out);
    /// Operator in the sector and with the Hamiltonian of the state that is searched for.
    HamiltonianOperator& searched() { return other_ == nullptr ? hamiltonian_ : *other_; }

    const LanczosPlan& plan_;
    HamiltonianOperator& hamiltonian_;
    OperatorMeans& observables_;
    const MakeHamiltonian make_;
    Timers& timers_;
    /// Null if the initial state is that of H itself, in the sector of the evolution.
    const std::unique_ptr<const LanczosPlan> other_plan_;
    const std::unique_ptr<HamiltonianOperator> other_;
    std::unique_ptr<krylov::GroundStateSolver> solver_;  ///< null for product states
    double norm_ = 0;                                    ///< |O psi| of evolution.operator
};

}  // namespace strata::lanczos
