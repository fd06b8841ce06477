// SPDX-License-Identifier: BSD-3-Clause
// The observables of a job as Hermitian operators, one for the real and one for the imaginary part of an expectation value
// (operator_sums.hpp), which take one multiplication each.
#pragma once

#include <memory>
#include <vector>

#include "krylov/lowest_states.hpp"
#include "lanczos/physics/observables.hpp"
#include "lanczos/run/operator_sums.hpp"
#include "lanczos/run/task.hpp"
#include "lanczos/state/hamiltonian_operator.hpp"
#include "strata/record.hpp"

namespace strata::lanczos {

/// Adds errors of [observables] that all tasks share. Throws as read_observables().
void check_observables(const Config& config, const LanczosConfig& c, InputErrors& found);

/// The mean of the sum over the operations of a group, which has the same expectation values in a sector of its
/// symmetries and leads to no other one. `bits`: those of a site.
OperatorSum symmetrised(const OperatorSum& sum, const SymmetryGroup& group, int bits);

/// The Hermitian operators of a job's observables, and the lists of numbers that they are results of.
class ObservedOperators : public ObservableLists {
  public:
    /// An operator that is not 0, and the places of its expectation value among the numbers of all lists: one, or several
    /// in a sector of symmetries, where operators that the group maps to each other have the same mean.
    struct Part {
        OperatorSum sum;
        std::vector<std::size_t> places;
    };

    explicit ObservedOperators(const LanczosPlan& plan);

    const std::vector<Part>& parts() const { return parts_; }

  private:
    ObservedOperators(const std::vector<OwnObservable>& observables, const LanczosPlan& plan);

    std::vector<Part> parts_;
};

/// Memory of all operators where they are kept, else of the largest one, beside two vectors; nothing if there are none.
MemoryItems means_memory(const LanczosPlan& plan, BackendKind backend);
/// Work of one of their multiplications, by an operator of a few terms with its tables.
inline constexpr TaskSize::Work work_of_mean = {4, 10, step_overhead};
/// Number of multiplications for the expectation values of one state.
std::uint64_t means_steps(const LanczosPlan& plan);

/// Expectation values of one state or of several.
class OperatorMeans {
  public:
    /// `plan` and `timers` must outlive it.
    OperatorMeans(const LanczosPlan& plan, const MakeHamiltonian& make, Timers& timers, std::size_t states = 1);

    const ObservedOperators& operators() const { return operators_; }
    void initialise();
    void add_fields(Record& record);
    std::uint64_t total_steps() const { return states_ * operators_.parts().size(); }
    bool complete() const { return steps_ == total_steps(); }
    /// Index of the state of the next step.
    std::size_t next_state() const { return steps_ / operators_.parts().size(); }
    /// Computes the next value, from the state next_state(). Collective.
    void step(const DistributedVector& state);
    const std::vector<double>& values() const { return values_; }  ///< [state][number of all lists]
    /// The lists of one state.
    std::vector<Quantity> results() const { return operators_.quantities(values_); }
    /// The lists of all states, averaged over the states of each level; NaN for levels that are not resolved.
    std::vector<Quantity> results(const std::vector<krylov::ComputedLevel>& levels) const;
    /// y <- O x for an operator of the file that is no list, by its number. Collective.
    void apply_observable(std::size_t observable, const DistributedVector& x, krylov::VectorSpace& space,
                          DistributedVector& y);
    /// y <- O x for the operator of a part. Collective.
    void apply(std::size_t part, const DistributedVector& x, krylov::VectorSpace& space, DistributedVector& y);
    /// Mean and spread of the operator of a part in the state x. Collective.
    HermitianSum::Moments moments(std::size_t part, const DistributedVector& x) { return operator_of(part).moments(x); }

  private:
    /// The operator of a part, which is made when it is first used and, unless all are kept, freed when the next one is.
    HermitianSum& operator_of(std::size_t part);

    const LanczosPlan& plan_;
    const MakeHamiltonian make_;
    Timers& timers_;
    const ObservedOperators operators_;
    const std::size_t states_;
    const bool keeps_;
    std::vector<std::unique_ptr<HermitianSum>> made_;  ///< [part]
    std::vector<double> values_;
    std::uint64_t steps_ = 0;
};

}  // namespace strata::lanczos
