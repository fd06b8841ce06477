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
#include "lanczos/engine.hpp"
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

class GroundState {
  public:
    /// Makes up to `max_states` orthonormal states of the lowest energy; with 0 only the energy is found. `engine` and
    /// `timers` must outlive it.
    GroundState(Engine& engine, std::size_t max_states, Timers& timers);

    void allocate();
    /// Back to step 0.
    void initialise();
    void add_state(std::vector<DistributedArray>& arrays);
    void restored();

    bool done() const;
    std::uint64_t made() const { return static_cast<std::uint64_t>(n_->made); }  ///< steps, of all passes
    /// Upper bound of all steps; equal to made() when done.
    std::uint64_t total_steps() const;
    void step();
    /// Whether the step just made belongs to the first pass.
    bool in_first_pass() const { return n_->made == n_->iterations; }

    std::uint64_t iterations() const { return static_cast<std::uint64_t>(n_->iterations); }  ///< of the first pass
    double energy() const { return n_->energy; }
    double estimate() const { return n_->estimate; }  ///< of the residual, from the recurrence
    double alpha() const { return n_->alpha[iterations() - 1]; }
    double beta() const { return n_->beta[iterations() - 1]; }

    /// States made so far; each has the norm 1.
    std::size_t states() const { return static_cast<std::size_t>(n_->found); }
    const Vector& vector(std::size_t i) const { return states_[i]; }
    double residual() const;  ///< largest true one of the states; NaN if there is none
    /// The true residual of every state is below the tolerance; without states, its estimate is.
    bool converged() const;
    Degeneracy degeneracy() const { return static_cast<Degeneracy>(static_cast<int>(n_->degeneracy)); }
    /// Expectation values are those of the whole multiplet, as far as is known.
    bool whole_multiplet() const;
    std::vector<Quantity> results() const;
    /// What is missing although all steps are made, as a sentence; empty if nothing is.
    std::string shortfall() const;
    /// What the user should know of the multiplet, as a sentence; empty if there is nothing.
    std::string remark() const;

  private:
    enum class Phase { search, assembly, examination, over };
    struct Numbers {
        double phase = 0, made = 0, found = 0, degeneracy = 0;
        double iterations = 0;  ///< of the first pass
        double length = 0;      ///< of the pass that is repeated
        double energy = 0;      ///< lowest Ritz value, offset included
        double estimate = 0;    ///< of its residual
        double scale = 0;       ///< of energies: what tolerances are relative to
        double found_out = 0;   ///< 1: the first pass has ended by its estimate
        double next = NAN;      ///< lowest energy beyond the states
        double growth = 1;      ///< bound of how much components along the states have grown since they were taken out
        RecurrenceState recurrence;
        double alpha[max_steps] = {}, beta[max_steps] = {};
    };

    Phase phase() const { return static_cast<Phase>(static_cast<int>(n_->phase)); }
    std::uint64_t steps_beyond() const;  ///< at most, in the search for another state
    void enter(Phase phase);
    void begin();
    void advance();
    void search();
    void judge_first(double value, double estimate);
    void judge_beyond(double value, double estimate);
    void assemble();
    void examine();
    double tolerance() const { return engine_.plan().config().tolerance * n_->scale; }

    Engine& engine_;
    const std::size_t max_states_;
    Timers& timers_;
    std::vector<Vector> states_;
    std::vector<double> energies_, residuals_;  ///< of the states
    std::unique_ptr<Numbers> n_;
    std::vector<double> ritz_vector_;  ///< for the second pass
};

}  // namespace strata::lanczos
