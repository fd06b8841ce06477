// SPDX-License-Identifier: BSD-3-Clause
// Squared matrix elements |<m|O|n>|^2 of the operators of run.matrix-elements between computed states. Within a level
// the states are any orthonormal ones, so that only sums over both levels have a meaning, which are divided by the
// numbers of their states.
#pragma once

#include <string>
#include <vector>

#include "krylov/lowest_states.hpp"
#include "lanczos/run/operator_means.hpp"
#include "strata/record.hpp"

namespace strata::lanczos {

/// Adds errors of run.matrix-elements. Throws as read_observables().
void check_elements(const Config& config, const LanczosConfig& c, InputErrors& found);
/// Number of multiplications for one state.
std::uint64_t elements_steps(const LanczosPlan& plan);

class MatrixElements {
  public:
    /// Between `states` states, by the operators of `means`, which must outlive it, as `plan` must.
    MatrixElements(const LanczosPlan& plan, OperatorMeans& means, std::size_t states);

    void initialise();
    void add_fields(Record& record);
    std::uint64_t total_steps() const { return operators_.size() * states_; }
    /// Multiplies the next state by the next operator; solver.vector(i): the states. Overwrites `work`. Collective.
    void step(const krylov::LowestStatesSolver& solver, krylov::VectorSpace& space, DistributedVector& work);
    /// The list of each operator over both states, averaged over the states of both levels; NaN for levels that are not
    /// resolved. Nothing before all steps are done.
    std::vector<Quantity> results(const std::vector<krylov::ComputedLevel>& levels) const;

  private:
    /// An operator, with its number among those of the job.
    struct Operator {
        std::string name, text;
        std::size_t number;
    };
    double& square(std::size_t op, std::size_t m, std::size_t n) { return squares_[(op * states_ + m) * states_ + n]; }

    OperatorMeans& means_;
    const std::size_t states_;
    std::vector<Operator> operators_;
    std::vector<double> squares_;  ///< [operator][m][n]
    std::uint64_t steps_ = 0;      ///< operator by operator, for one n after the other
};

}  // namespace strata::lanczos
