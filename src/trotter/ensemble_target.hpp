// SPDX-License-Identifier: BSD-3-Clause
// Ensembles of random states that end when a standard error is small enough. Every state gives one number for each column
// of the observable at one time; mean and sum of squared deviations are updated state by state (B. P. Welford,
// Technometrics 4, 419 (1962)). Rounds are complete when they are judged, and the order of states is fixed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "strata/checkpoint.hpp"
#include "trotter/observation.hpp"

namespace strata::trotter {

class EnsembleTarget {
  public:
    /// Throws Error(bad_input) for an observable that the job does not observe and for a time at which it does not.
    EnsembleTarget(const TrotterPlan& plan, const Observation& observation);

    /// The row of one state after so many steps of its round; rows of other times are ignored.
    void add(std::uint64_t steps_of_round, std::span<const double> row);
    /// The largest standard error of the columns; infinite for less than two states.
    double error() const;
    bool reached() const { return error() <= target_; }
    /// Whether no further round is needed.
    bool stops() const { return states_ >= min_target_states && reached(); }
    /// "the error of sz-0 at time 5 is 0.00087 after 48 states".
    std::string sentence() const;
    DistributedArray array();

  private:
    double target_, time_;
    std::string name_;
    std::uint64_t steps_;               ///< of a round, at which the numbers are taken
    std::vector<std::size_t> columns_;  ///< of a row
    std::uint64_t states_ = 0;
    std::vector<double> means_, squares_;  ///< [column] mean, and sum of squared deviations
};

}  // namespace strata::trotter
