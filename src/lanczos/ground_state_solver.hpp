// SPDX-License-Identifier: BSD-3-Clause
// The lowest state of a sector with two working vectors. A first pass of the recurrence finds its energy; a second one
// repeats it, bit by bit, and adds up the state, which is then multiplied once more for its true residual |H x - E x|:
// only that decides whether it has converged. Then the same search goes on in the space orthogonal to what was found:
// another state of the same energy, or a lower one, is not passed over in silence. Without it correlations and spectra of
// a degenerate ground state would depend on the random start vector.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "lanczos/config.hpp"
#include "lanczos/hamiltonian_operator.hpp"
#include "lanczos/recurrence.hpp"
#include "strata/record.hpp"

namespace strata::lanczos {

/// What the search beyond the states that were made has shown.
enum class Degeneracy {
    undecided,  ///< not searched for, or run.max-steps were not enough
    complete,   ///< what lies beyond has a higher energy
    more,       ///< there are further states of the lowest energy
    lower       ///< there is a lower energy: what was found is no ground state
};

class GroundStateSolver {
  public:
    /// Makes up to `max_states` orthonormal states of the lowest energy; with 0 only the energy is found. `operator` and
    /// `timers` must outlive it.
    GroundStateSolver(HamiltonianOperator& hamiltonian, std::size_t max_states, Timers& timers);

    void allocate();
    /// Back to step 0.
    void initialise();
    void add_state(std::vector<DistributedArray>& arrays);
    void restored();

    bool done() const;
    std::uint64_t iterations() const {
        return static_cast<std::uint64_t>(state_->iterations);
    }  ///< steps, of all passes
    /// Upper bound of all steps; equal to iterations() when done.
    std::uint64_t total_steps() const;
    void step();
    /// Whether the step just made belongs to the first pass.
    bool in_first_pass() const { return state_->iterations == state_->first_pass_iterations; }

    std::uint64_t first_pass_iterations() const {
        return static_cast<std::uint64_t>(state_->first_pass_iterations);
    }  ///< of the first pass
    double energy() const { return state_->energy; }
    double residual_estimate() const { return state_->residual_estimate; }  ///< of the residual, from the recurrence
    double alpha() const { return state_->alpha[first_pass_iterations() - 1]; }
    double beta() const { return state_->beta[first_pass_iterations() - 1]; }

    /// States made so far; each has the norm 1.
    std::size_t states() const { return static_cast<std::size_t>(state_->found); }
    const DistributedVector& vector(std::size_t i) const { return states_[i]; }
    double residual() const;  ///< largest true one of the states; NaN if there is none
    /// The true residual of every state is below the tolerance; without states, its estimate is.
    bool converged() const;
    Degeneracy degeneracy() const { return static_cast<Degeneracy>(static_cast<int>(state_->degeneracy)); }
    /// Expectation values are those of the whole multiplet, as far as is known.
    bool whole_multiplet() const;
    std::vector<Quantity> results() const;
    /// What is missing although all steps are made, as a sentence; empty if nothing is.
    std::string shortfall() const;
    /// What the user should know of the multiplet, as a sentence; empty if there is nothing.
    std::string remark() const;

  private:
    enum class Phase { search, assembly, examination, over };
    struct SolverState {
        double phase = 0, iterations = 0, found = 0, degeneracy = 0;
        double first_pass_iterations = 0;  ///< of the first pass
        double length = 0;                 ///< of the pass that is repeated
        double energy = 0;                 ///< lowest Ritz value, offset included
        double residual_estimate = 0;      ///< of the recurrence
        double scale = 0;                  ///< of energies: what tolerances are relative to
        double found_out = 0;              ///< 1: the first pass has ended by its estimate
        double next = NAN;                 ///< lowest energy beyond the states
        double growth = 1;  ///< bound of how much components along the states have grown since they were taken out
        RecurrenceState recurrence;
        double alpha[max_steps] = {}, beta[max_steps] = {};
    };

    Phase phase() const { return static_cast<Phase>(static_cast<int>(state_->phase)); }
    std::uint64_t steps_beyond() const;  ///< at most, in the search for another state
    void enter(Phase phase);
    void begin();
    void advance();
    void search();
    void judge_first(double value, double residual_estimate);
    void judge_beyond(double value, double residual_estimate);
    void assemble();
    void examine();
    double tolerance() const { return hamiltonian_.plan().config().tolerance * state_->scale; }

    HamiltonianOperator& hamiltonian_;
    const std::size_t max_states_;
    Timers& timers_;
    std::vector<DistributedVector> states_;
    std::vector<double> energies_, residuals_;  ///< of the states
    std::unique_ptr<SolverState> state_;
    std::vector<double> ritz_vector_;  ///< for the second pass
};

}  // namespace strata::lanczos
