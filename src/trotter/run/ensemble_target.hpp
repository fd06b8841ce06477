// SPDX-License-Identifier: BSD-3-Clause
// Ensembles of random states that end when an error is small enough. Every state gives one number for each
// column of the observable at one time; mean and sum of squared deviations are updated state by state (B. P. Welford,
// Technometrics 4, 419 (1962)). The error is checked after complete batches of samples, and the order of states is
// fixed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "strata/checkpoint.hpp"
#include "trotter/run/observation.hpp"

namespace strata::trotter {

class EnsembleTarget {
  public:
    /// Throws Error(bad_input) for an observable that the job does not observe and for a time at which it does not.
    EnsembleTarget(const TrotterPlan& plan, const Observation& observation);

    /// Adds the row of one state after `steps_of_round` steps of its batch of samples; rows of other times are ignored.
    void add(std::uint64_t steps_of_round, std::span<const double> row);
    /// Largest error of the columns; infinite for fewer than four states.
    double error() const;
    bool reached() const { return error() <= target_; }
    /// Whether no further batch of samples is needed.
    bool stops() const { return states_ >= min_target_states && reached(); }
    /// Text for the report, such as "the error of sz-0 at time 5 is 8.70e-04 after 48 states".
    std::string sentence() const;
    /// Record of the number of states and their moments for a checkpoint.
    DistributedArray array();

  private:
    double target_, time_;
    std::string name_;
    std::uint64_t steps_;               ///< steps of a batch after which the numbers are taken
    std::vector<std::size_t> columns_;  ///< indices in a row
    std::uint64_t states_ = 0;
    std::vector<double> means_, squares_;  ///< [column] mean; sum of squared deviations from it
};

}  // namespace strata::trotter
