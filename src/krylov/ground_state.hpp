// SPDX-License-Identifier: BSD-3-Clause
// The lowest state of a Hermitian operator with two working vectors. A first pass of the recurrence finds its energy; a
// second one repeats it, bit by bit, or reads its vectors where they were kept, and adds up the state. One more product
// gives the true residual |H x - E x|: only that decides whether it has converged. The search then continues in the space
// orthogonal to the computed states, so that another state of the same energy, or a lower one, is detected: expectation
// values of one state of a multiplet would depend on the random start vector. Where two levels are so close that the
// residuals mix them, all of it is repeated with smaller residuals.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "krylov/recurrence.hpp"
#include "strata/checkpoint.hpp"
#include "strata/timer.hpp"

namespace strata::krylov {

/// Whether the search continues beyond the computed states.
enum class MultipletSearch { off, on };

struct GroundStateOptions {
    std::size_t max_states = 1;        ///< orthonormal states of the lowest energy; 0: only the energy is computed
    std::uint64_t max_steps = 1000;    ///< largest number of steps of the first pass
    std::size_t max_coefficients = 0;  ///< memory for alpha and beta, at least max_steps; 0: max_steps
    double tolerance = 1e-10;          ///< largest residual, relative to the scale of energies
    MultipletSearch multiplet = MultipletSearch::on;
    /// Residual that the first pass aims at where it is smaller, relative to the scale of energies.
    double first_residual = INFINITY;
    /// Lanczos vectors of the first pass that are kept in memory: if it is no longer, the second one need not repeat it.
    std::size_t kept_vectors = 0;
    /// Largest energy_error() of a converged state, relative to the scale of energies; infinite: the residual decides.
    double energy_tolerance = INFINITY;
};

/// Result of the search beyond the computed states.
enum class Degeneracy : std::uint64_t {
    undecided,  ///< no search, or not enough steps
    complete,   ///< all further states have a higher energy
    more,       ///< there are further states of the lowest energy
    lower,      ///< there is a lower energy: the computed state is no ground state
    unresolved  ///< further states are so close that rounding does not tell their levels apart
};

class GroundStateSolver {
  public:
    /// `op` and `timers` must outlive it.
    GroundStateSolver(HermitianOperator& op, const GroundStateOptions& options, Timers& timers);

    /// Allocates the states, zero. Collective.
    void allocate();
    /// Resets the solver to step 0.
    void initialise();
    /// Adds the states and coefficients to the arrays of a checkpoint, not the working pair, which the operator owns.
    void add_state(std::vector<DistributedArray>& arrays, const std::string& prefix = "");

    bool done() const;
    /// Number of multiplications by H so far, in all passes.
    std::uint64_t steps() const { return s_.steps; }
    /// Upper bound of the number of steps; equal to steps() when done.
    std::uint64_t total_steps() const;
    /// One multiplication by H. Collective.
    void step();

    bool in_first_pass() const { return s_.steps == s_.iterations; }  ///< whether the last step belonged to it
    std::uint64_t iterations() const { return s_.iterations; }        ///< number of steps of the first pass
    /// Lowest Ritz value of the first pass; once state 0 is examined, its <x, H x>.
    double energy() const { return s_.energy; }
    double residual_estimate() const { return s_.residual_estimate; }  ///< residual of energy() by the recurrence
    double alpha() const { return alpha_[iterations() - 1]; }          ///< last alpha of the first pass, during it
    double beta() const { return beta_[iterations() - 1]; }            ///< last beta of the first pass, during it

    std::size_t max_states() const { return options_.max_states; }
    std::size_t states() const { return s_.states; }  ///< number of states computed so far; each has the norm 1
    const DistributedVector& vector(std::size_t i) const { return states_[i]; }
    double residual() const;  ///< largest true residual of the states; NaN without states
    double tolerance() const { return options_.tolerance * s_.scale; }  ///< largest residual of a converged state
    /// Whether the first pass has ended by its residual estimate or in an invariant space, not by max_steps.
    bool energy_converged() const { return s_.energy_converged != 0; }
    /// Whether the true residual of every state is within the tolerance; if only the energy is computed, its estimate.
    /// With an energy_tolerance the error of the energy must be within that, too.
    bool converged() const;
    bool certified() const { return std::isfinite(options_.energy_tolerance); }
    /// Largest energy_error() of a converged state; rounding of the quotient is no lack of convergence.
    double energy_tolerance() const {
        return std::max(options_.energy_tolerance * s_.scale, 5 * op_.quotient_rounding());
    }
    /// Distance from energy() within which a level lies, rounding included (D. H. Weinstein, Proc. Natl. Acad. Sci. USA
    /// 20, 529 (1934)); NaN without a state.
    double energy_bound() const;
    /// Estimate of the distance of energy() from the lowest level, by the next one (G. Temple, Proc. R. Soc. A 119, 276
    /// (1928)); energy_bound() unless the search beyond has shown that the level is alone.
    double energy_error() const;
    Degeneracy degeneracy() const { return static_cast<Degeneracy>(s_.degeneracy); }
    /// Residual that the first pass aims at; levels closer than that may be mixed.
    double resolved() const { return std::min(tolerance(), s_.resolution); }
    /// Whether averages over the states are those of the whole multiplet, as far as is known.
    bool whole_multiplet() const;
    double next_energy() const { return s_.next_energy; }  ///< estimate of the lowest energy beyond; NaN: not known

  private:
    enum class Phase : std::uint64_t { search, assembly, examination, over };
    /// State of the solver beside the coefficients of the recurrence; rank 0 broadcasts it after every step.
    struct SolverState {
        std::uint64_t phase = 0, steps = 0, states = 0, degeneracy = 0;
        std::uint64_t iterations = 0;   ///< steps of the first pass
        std::uint64_t pass_length = 0;  ///< steps of the pass that is repeated
        double energy = 0;              ///< lowest Ritz value, offset included
        double residual_estimate = 0;
        double scale = 0;  ///< scale of energies, which tolerances are relative to
        std::uint64_t energy_converged = 0;
        double next_energy = NAN;
        double resolution = INFINITY;  ///< residual that refine() requested, to separate levels that were too close
        double growth = 1;  ///< bound of the components along the states since they were subtracted, 1: rounding
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
    const DistributedVector& repeated_vector(std::size_t k);
    void examine();
    bool residual_converged() const;

    HermitianOperator& op_;
    const GroundStateOptions options_;
    Timers& timers_;
    std::vector<DistributedVector> states_;
    /// The first Lanczos vectors, no part of a checkpoint. They are allocated when they are first used: they are small, and
    /// most searches need few of them.
    std::vector<DistributedVector> kept_;
    std::vector<double> kept_alpha_;            ///< alpha of those of the first pass that were kept so far
    std::vector<double> energies_, residuals_;  ///< [state]; energies without the offset
    SolverState s_;
    std::vector<double> alpha_, beta_;  ///< coefficients of the current pass or the last one
    std::vector<double> ritz_vector_;   ///< coefficients, in Lanczos vectors, of the state that the second pass adds up
};

}  // namespace strata::krylov
