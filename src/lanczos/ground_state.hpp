// SPDX-License-Identifier: BSD-3-Clause
// The lowest state of a sector with two vectors: a first pass of the recurrence finds its energy; a second one repeats
// it, bit by bit, and adds up the state, which is then multiplied once more for its true residual.
#pragma once

#include <memory>
#include <vector>

#include "lanczos/config.hpp"
#include "lanczos/engine.hpp"

namespace strata::lanczos {

class GroundState {
  public:
    /// With `vector`, the state is made; else only its energy. `engine` must outlive it.
    GroundState(Engine& engine, bool vector, Timers& timers);

    void allocate();
    /// The start vector, in the working pair.
    void initialise();
    void add_state(std::vector<DistributedArray>& arrays);
    void restored();

    /// Of the first pass; fewer once it has converged.
    std::uint64_t first_pass() const;
    /// Of all passes. Without convergence there is no state to add up, and more steps can be asked for later.
    std::uint64_t steps() const;
    void step(std::uint64_t step);

    bool converged() const { return n_->converged != 0; }
    std::uint64_t made() const { return static_cast<std::uint64_t>(n_->steps); }
    double energy() const { return n_->energy; }
    double estimate() const { return n_->estimate; }  ///< of the residual, from the recurrence
    double residual() const { return n_->residual; }  ///< true one; negative before it is known
    double alpha() const { return n_->alpha[made() - 1]; }
    double beta() const { return n_->beta[made() - 1]; }
    /// After all steps. It has the norm 1.
    const Vector& vector() const { return vector_; }
    std::string shortfall() const;

  private:
    struct Numbers {
        double steps = 0;       ///< made in the first pass
        double converged = 0;   ///< 1: no more are needed
        double energy = 0;      ///< lowest Ritz value, offset included
        double estimate = 0;    ///< of the residual
        double start_norm = 0;  ///< of the start vector as drawn
        double residual = -1;   ///< true one; -1: not computed
        double alpha[most_steps] = {}, beta[most_steps] = {};
    };

    void look_at_ritz_pair();
    void add_to_vector(std::uint64_t k);
    void examine();

    Engine& engine_;
    const bool wants_vector_;
    Timers& timers_;
    Vector vector_;
    std::unique_ptr<Numbers> n_;
    std::vector<double> ritz_vector_;  ///< for the second pass
};

}  // namespace strata::lanczos
