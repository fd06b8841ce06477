// SPDX-License-Identifier: BSD-3-Clause
// Several lowest states with their vectors: block Lanczos with full orthogonalisation and thick restarts (K. Wu, H.
// Simon, SIAM J. Matrix Anal. Appl. 22, 602 (2000)). When n_states Ritz pairs have converged, a fresh random vector,
// orthogonal to them, joins the search; it ends only if no lower or degenerate state appears, so that every
// multiplicity is counted. Then each state can be multiplied once more for its true residual, which decides whether it
// has converged.
#pragma once

#include <cmath>
#include <vector>

#include "krylov/levels.hpp"
#include "strata/timer.hpp"

namespace strata::krylov {

struct LowestStatesOptions {
    std::size_t n_states = 1;        ///< number of states, reduced to the dimension of the operator if larger
    std::size_t block = 1;           ///< number of random start vectors
    std::size_t max_basis = 0;       ///< largest number of basis vectors; 0: chosen from the number of states
    std::uint64_t max_steps = 1000;  ///< largest number of steps of the search
    double tolerance = 1e-10;        ///< largest residual, relative to the scale of energies
};

/// Computed states of one energy. `resolved`: all states of the level are among them, and residuals are so small beside
/// the distances from other levels that their vectors span it.
struct ComputedLevel {
    std::size_t first = 0, count = 1;
    bool resolved = false;
};

class LowestStatesSolver {
  public:
    /// `op` and `timers` must outlive it.
    LowestStatesSolver(HermitianOperator& op, const LowestStatesOptions& options, Timers& timers);

    /// Numbers of states and of basis vectors for an operator of this dimension.
    static std::size_t n_states(const LowestStatesOptions& options, double dimension);
    static std::size_t max_basis(const LowestStatesOptions& options, double dimension);

    /// Allocates the basis, zero. Collective.
    void allocate();
    /// Draws the start vectors. Collective.
    void initialise();
    /// Add the state to a checkpoint, in three parts, since the owner of the solver may add own fields to the record.
    void add_basis(std::vector<DistributedArray>& arrays);
    void add_fields(Record& record);
    void add_matrices(std::vector<DistributedArray>& arrays);

    bool found() const { return s_.found != 0; }  ///< whether the search has ended
    /// Upper bound of the number of steps of the search; exact once it has ended.
    std::uint64_t search_steps() const { return found() ? s_.steps : options_.max_steps; }
    std::uint64_t steps() const { return s_.steps; }
    /// One step of the search, with one multiplication by H. Collective.
    void step();
    /// Multiplies state i by H for its energy and true residual; to be called after the search, in the order of the
    /// states. Collective.
    void examine(std::size_t i);

    std::size_t n_states() const { return n_states_; }
    const DistributedVector& vector(std::size_t i) const { return basis_[i]; }
    std::vector<double> energies() const;
    const std::vector<double>& residuals() const { return residuals_; }  ///< estimates for states not examined
    double max_residual() const;
    /// The levels of all states, once they are examined.
    std::vector<ComputedLevel> levels() const;
    double tolerance() const { return options_.tolerance * s_.scale; }  ///< largest residual of a converged state
    std::size_t examined() const { return s_.examined; }
    std::size_t multiplicity() const { return s_.multiplicity; }  ///< number of computed states of the lowest energy
    bool may_be_more() const { return s_.more != 0; }         ///< whether n_states cuts off states of the lowest energy
    double next_energy() const { return s_.next_energy; }     ///< estimate of the first energy beyond; NaN: not known
    bool whole_space() const { return s_.whole_space != 0; }  ///< whether the basis spans the whole space
    bool unresolved() const { return s_.unresolved != 0; }    ///< whether rounding mixes the lowest level with the next

  private:
    struct SolverState {
        std::uint64_t steps = 0;
        std::uint64_t found = 0;       ///< 1: the search has ended
        std::uint64_t size = 0;        ///< number of vectors in the basis
        std::uint64_t applied = 0;     ///< number of vectors that H was applied to; the others are new directions
        std::uint64_t random = 0;      ///< number of random vectors drawn
        std::uint64_t confirming = 0;  ///< 1: a random vector has joined since the states first converged
        std::uint64_t examined = 0;    ///< number of states whose true residual is known
        double scale = 0;              ///< scale of energies, which tolerances are relative to
        double width = 0;              ///< |(H - offset) v| of the first random vector
        double next_energy = NAN;      ///< estimate of the first energy beyond n_states
        std::uint64_t whole_space = 0;
        std::uint64_t multiplicity = 0;
        std::uint64_t more = 0, unresolved = 0;
        double unconfirmed_residual = 0;  ///< largest residual at confirm(), at most 0.01 of the least level distance
    };
    /// Next action, decided on rank 0 from the Ritz pairs of a step.
    enum class Next { expand, restart, confirm, accept };

    Complex& projected(std::size_t i, std::size_t j) { return projected_[i * max_basis_ + j]; }
    bool append(DistributedVector& x, double scale, double& norm);
    void append_random();
    void expand();
    void ritz_pairs();
    double residual_estimate(std::size_t pair) const;
    Next decide() const;
    bool converged() const;
    bool levels_are_resolved() const;
    Levels compare(double distance, double residuals) const;
    bool beyond_is_known() const;
    double least_distance() const;
    bool mixes_levels() const;
    bool is_resolved(const ComputedLevel& level) const;
    bool confirmed() const;
    std::size_t degenerate_with_lowest() const;
    std::size_t pairs_to_keep() const;
    void restart(std::size_t kept);
    void confirm();
    void accept();

    HermitianOperator& op_;
    const LowestStatesOptions options_;
    const std::size_t n_states_, max_basis_;
    Timers& timers_;
    std::vector<DistributedVector> basis_;
    SolverState s_;
    std::vector<Complex> projected_;                          ///< [i * max_basis_ + j]: <v_i, H v_j>, for j < applied
    std::vector<double> energies_, residuals_, unconfirmed_;  ///< [state], without the offset; unconfirmed: the
                                                              ///< energies when confirm() began
    std::vector<double> ritz_values_;                         ///< eigenvalues of the projected matrix, ascending
    std::vector<Complex> ritz_vectors_;                       ///< [pair][component]
};

}  // namespace strata::krylov
