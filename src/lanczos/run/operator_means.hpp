// SPDX-License-Identifier: BSD-3-Clause
// Expectation values <x|O|x> of the observables of a job, by one multiplication for each member of each: with the
// Hermitian operator (O + O^+) / 2 for its real part, and (O - O^+) / 2i for its imaginary part.
#pragma once

#include <vector>

#include "lanczos/physics/observables.hpp"
#include "lanczos/state/hamiltonian_operator.hpp"
#include "strata/record.hpp"

namespace strata::lanczos {

/// The observables of a job; throws as read_observables().
std::vector<Observable> observables_of(const LanczosConfig& config, int sites);

/// Memory of the largest operator among them, beside two vectors.
MemoryPrediction::Item means_memory(const LanczosPlan& plan, BackendKind backend);

class OperatorMeans {
  public:
    /// `plan` and `timers` must outlive it.
    OperatorMeans(const LanczosPlan& plan, const MakeHamiltonian& make, Timers& timers);

    void initialise();
    void add_fields(Record& record);
    std::uint64_t total_steps() const { return parts_.size(); }
    bool complete() const { return steps_ == parts_.size(); }
    /// Computes the next part for a normalised state. Collective.
    void step(const DistributedVector& state);
    /// NAME, and NAME-imaginary of operators that are not Hermitian.
    std::vector<Quantity> results() const;

  private:
    /// A Hermitian operator whose expectation value is number `value` of values_.
    struct Part {
        OperatorSum sum;
        std::size_t value;
    };
    void add_part(OperatorSum sum);

    const LanczosPlan& plan_;
    const MakeHamiltonian make_;
    Timers& timers_;
    std::vector<Observable> observables_;
    std::vector<Part> parts_;
    std::vector<double> values_;  ///< real parts of all members of an observable, then imaginary parts if there are
    std::uint64_t steps_ = 0;
};

}  // namespace strata::lanczos
