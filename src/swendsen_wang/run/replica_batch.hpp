// SPDX-License-Identifier: BSD-3-Clause
// Points of a scan whose small lattices advance side by side by Metropolis updates (state/replicas.hpp). Each is an
// application of its own for all that follows the steps: rows, results, checkpoints.
#pragma once

#include <memory>
#include <vector>

#include "strata/application.hpp"
#include "swendsen_wang/state/observation.hpp"
#include "swendsen_wang/state/replicas.hpp"

namespace strata::swendsen_wang {

/// Names of the keys in which the points of a batch may differ.
std::vector<std::string> keys_of_batch();

/// Largest number of points like this one that advance side by side; 1 if it is computed alone.
std::size_t most_in_batch(const SwendsenWangConfig& config);

class ReplicaBatch : public Batch {
  public:
    explicit ReplicaBatch(const std::vector<SwendsenWangConfig>& configs);

    std::span<const std::unique_ptr<Application>> systems() const override { return systems_; }
    void step(std::uint64_t step) override;

  private:
    Replicas replicas_;
    std::vector<std::unique_ptr<Application>> systems_;
};

}  // namespace strata::swendsen_wang
