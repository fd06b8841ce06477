// SPDX-License-Identifier: BSD-3-Clause
// The Hamiltonian of the sector that the operators of a spectrum lead to (spectral_target.hpp): that of the job itself, of
// one other sector, or in a sector of lattice symmetries of one for every wave, whose tables and vectors are made when the
// recurrence of the wave begins.
#pragma once

#include <memory>
#include <vector>

#include "lanczos/physics/plane_waves.hpp"
#include "lanczos/state/hamiltonian_operator.hpp"

namespace strata::lanczos {

class TargetOperator {
  public:
    /// `own`: operator of the job's sector; it and `timers` must outlive the object. Collective.
    TargetOperator(HamiltonianOperator& own, std::vector<PlaneWave> waves, MakeHamiltonian make, Timers& timers);

    /// Whether every wave leads to a sector of its own, of another character.
    bool changes() const { return changes_; }
    /// The operator of the one other sector or of that of the current wave; null if there is none.
    HamiltonianOperator* other() { return other_.get(); }
    const HamiltonianOperator* other() const { return other_.get(); }
    HamiltonianOperator& get() { return other_ != nullptr ? *other_ : own_; }

    /// Allocates the operator of one other sector, if there is one.
    void allocate();
    /// Makes and allocates the operator of the sector of a wave where every wave has its own; false if there is nothing
    /// to make. Vectors of the previous one must not be used any more. Collective.
    bool make(std::size_t wave);
    /// Frees the operator of a wave.
    void clear();
    /// Makes the sector of a checkpoint's recurrence, before the state is read; false if there is nothing to make.
    bool prepare_state(const std::vector<ArrayShape>& stored);
    /// Adds the working pairs of the job's sector and of the other one to the arrays of a checkpoint.
    void add_working_pairs(std::vector<DistributedArray>& arrays);
    /// Words that follow a description of recurrences: where they lead.
    std::string words() const;
    /// Adds the memory of the largest operator.
    void add_memory(BackendKind backend, MemoryPrediction& memory) const;

  private:
    HamiltonianOperator& own_;
    const std::vector<PlaneWave> waves_;
    const MakeHamiltonian make_;
    Timers& timers_;
    const bool changes_;
    std::unique_ptr<LanczosPlan> plan_;  ///< plan of the other sector
    std::unique_ptr<HamiltonianOperator> other_;
    ShapingNumber wave_{"target", "As many numbers as the wave whose sector is built, from 1, and one more."};
};

}  // namespace strata::lanczos
