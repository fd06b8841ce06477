// SPDX-License-Identifier: BSD-3-Clause
// The lowest state of a Hermitian operator with two working vectors. A first pass of the recurrence finds its energy; a
// second one repeats it, bit by bit, and adds up the state, which is then multiplied once more for its true residual |H
// x - E x|: only that decides whether it has converged. Then the same search goes on in the space orthogonal to what
// was found, so that another state of the same energy, or a lower one, is not passed over in silence: expectation
// values of one state of a multiplet would depend on the random start vector. Where the two are so near that their
// residuals mix levels, all of it is repeated with smaller residuals.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "krylov/recurrence.hpp"
#include "strata/checkpoint.hpp"
#include "strata/timer.hpp"

namespace strata::krylov {

/// Whether the search goes on beyond the states that were found.
enum class MultipletSearch { off, on };

struct GroundStateOptions {
    std::size_t max_states = 1;        ///< orthonormal states of the lowest energy; 0: only the energy is computed
    std::uint64_t max_steps = 1000;    ///< largest number of steps of the first pass
    std::size_t max_coefficients = 0;  ///< memory for alpha and beta, at least max_steps; 0: max_steps
    double tolerance = 1e-10;          ///< largest residual, relative to the scale of energies
    MultipletSearch multiplet = MultipletSearch::on;
};

/// What the search beyond the states that were found has shown.
enum class Degeneracy : std::uint64_t {
    undecided,  ///< not searched for, or max_steps were not enough
    complete,   ///< what lies beyond has a higher energy
    more,       ///< there are further states of the lowest energy
    lower,      ///< there is a lower energy: what was found is no ground state
    unresolved  ///< further states are so near that rounding does not tell their levels apart
};

class GroundStateSolver {
  public:
    /// `op` and `timers` must outlive it.
    GroundStateSolver(HermitianOperator& op, const GroundStateOptions& options, Timers& timers);

    /// The states, zero. Collective.
    void allocate();
    /// Back to step 0.
    void initialise();
    /// Beside the working pair, which is the operator's.
    void add_state(std::vector<DistributedArray>& arrays);

    bool done() const;
    /// Multiplications by H, of all passes.
    std::uint64_t steps() const { return s_.steps; }
    /// Upper bound of all steps; equal to steps() when done.
    std::uint64_t total_steps() const;
    /// One multiplication by H. Collective.
    void step();

    bool in_first_pass() const { return s_.steps == s_.iterations; }  ///< whether the step just done was one of it
    std::uint64_t iterations() const { return s_.iterations; }        ///< steps of the first pass
    double energy() const { return s_.energy; }
    double residual_estimate() const { return s_.residual_estimate; }  ///< from the recurrence
    double alpha() const { return alpha_[iterations() - 1]; }          ///< last one of the first pass
    double beta() const { return beta_[iterations() - 1]; }

    std::size_t max_states() const { return options_.max_states; }
    std::size_t states() const { return s_.states; }  ///< found so far; each has the norm 1
    const DistributedVector& vector(std::size_t i) const { return states_[i]; }
    double residual() const;  ///< largest true one of the states; NaN if there is none
    double tolerance() const { return options_.tolerance * s_.scale; }  ///< largest residual
    /// The first pass has ended by its residual estimate, not by max_steps.
    bool energy_converged() const { return s_.energy_converged != 0; }
    /// The true residual of every state is below the tolerance; without states, its estimate is.
    bool converged() const;
    Degeneracy degeneracy() const { return static_cast<Degeneracy>(s_.degeneracy); }
    /// Levels nearer than that may be mixed.
    double resolved() const { return std::min(tolerance(), s_.resolution); }
    /// Expectation values over the states are those of the whole multiplet, as far as is known.
    bool whole_multiplet() const;
    double next_energy() const { return s_.next_energy; }  ///< roughly, of the lowest state beyond; NaN: not known

  private:
    enum class Phase : std::uint64_t { search, assembly, examination, over };
    /// All but the coefficients of the recurrence; computed on rank 0 where it steers the run.
    struct SolverState {
        std::uint64_t phase = 0, steps = 0, states = 0, degeneracy = 0;
        std::uint64_t iterations = 0;   ///< steps of the first pass
        std::uint64_t pass_length = 0;  ///< steps of the pass that is repeated
        double energy = 0;              ///< lowest Ritz value, offset included
        double residual_estimate = 0;
        double scale = 0;  ///< scale of energies, which tolerances are relative to
        std::uint64_t energy_converged = 0;
        double next_energy = NAN;
        double resolution = INFINITY;  ///< largest residual that tells apart levels that were too near before
        double growth = 1;  ///< bound of the growth of components along the states since they were subtracted
        RecurrenceState recurrence;
    };

    Phase phase() const { return static_cast<Phase>(s_.phase); }
    std::uint64_t max_steps_beyond() const;
    void enter(Phase phase);
    void begin();
    void advance();
    void search();
    void judge();
    void judge_first(double value, double estimate);
    void judge_beyond(double value, double estimate);
    void refine(double distance);
    void decide(Degeneracy degeneracy);
    void assemble();
    void examine();

    HermitianOperator& op_;
    const GroundStateOptions options_;
    Timers& timers_;
    std::vector<DistributedVector> states_;
    std::vector<double> energies_, residuals_;  ///< [state]; energies without the offset
    SolverState s_;
    std::vector<double> alpha_, beta_;  ///< coefficients of the current pass or the last one
    std::vector<double> ritz_vector_;   ///< coefficients of the state that the second pass adds up
};

}  // namespace strata::krylov
