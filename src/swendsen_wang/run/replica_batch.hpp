// SPDX-License-Identifier: BSD-3-Clause
// Points of a scan, or replicas of parallel tempering, whose small lattices advance side by side by Metropolis updates
// (state/replicas.hpp). Each is an application of its own for all that follows the steps: rows, results, checkpoints.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "swendsen_wang/run/replica_system.hpp"
#include "swendsen_wang/state/replicas.hpp"

namespace strata::swendsen_wang {

/// Names of the keys in which the points of a batch may differ.
std::vector<std::string> keys_of_batch();

/// Whether lattices like this one advance side by side.
bool fits_side_by_side(const SwendsenWangConfig& config);

/// Largest number of points like this one in a batch; 1 if it is computed alone.
std::size_t most_in_batch(const SwendsenWangConfig& config);

/// Acceptance probabilities at the temperatures that replicas exchange.
using TablesByBeta = std::map<double, MetropolisTable>;

class ReplicaBatch : public Batch {
  public:
    /// `first_random`: [replica] number of the first sweep in the counters of random numbers.
    ReplicaBatch(const std::vector<SwendsenWangConfig>& configs, const std::vector<std::uint64_t>& first_random);

    std::span<const std::unique_ptr<Application>> systems() const override { return systems_; }
    ReplicaSystem& system(std::size_t replica) const { return static_cast<ReplicaSystem&>(*systems_[replica]); }
    void step(std::uint64_t step) override;
    /// Counts the configurations of all replicas, for count_spins() of each.
    void count() { replicas_.count(timers_); }
    void move_times(Timers& timers) { timers.take(timers_); }

  private:
    Replicas replicas_;
    TablesByBeta tables_;
    std::vector<std::unique_ptr<Application>> systems_;  ///< each a ReplicaSystem
};

}  // namespace strata::swendsen_wang
