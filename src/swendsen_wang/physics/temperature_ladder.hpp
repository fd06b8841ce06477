// SPDX-License-Identifier: BSD-3-Clause
// Parallel tempering (K. Hukushima, K. Nemoto, J. Phys. Soc. Jpn. 65, 1604 (1996)). Replicas of a system are simulated at
// a ladder of temperatures. Two replicas a, b at neighbouring temperatures exchange these with the probability
//
//   min(1, exp((beta_a - beta_b) (E_a - E_b))),
//
// which leaves every temperature in equilibrium and lets replicas pass barriers at high temperatures:
//
//   temperature   0 (coldest)   1    2    3 (hottest)
//   replica            2        0    1    3            even rounds try the pairs of temperatures 0-1, 2-3, ...,
//                      +--------+    +----+            odd rounds the pairs 1-2, 3-4, ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "strata/checkpoint.hpp"

namespace strata::swendsen_wang {

class TemperatureLadder {
  public:
    /// `betas`: inverse temperatures in units of 1/energy, in descending order. Replica r begins at temperature r. Ladders of
    /// one run have different numbers.
    TemperatureLadder(std::vector<double> betas, std::uint64_t seed, std::uint64_t number = 0);

    std::size_t size() const { return betas_.size(); }
    double beta(std::size_t temperature) const { return betas_[temperature]; }
    double beta_of_replica(std::size_t replica) const { return betas_[temperatures_[replica]]; }
    std::size_t replica_at(std::size_t temperature) const;
    /// [replica] number of its temperature; for the broadcast of the exchanges made on rank 0.
    std::span<std::uint64_t> temperatures() { return temperatures_; }

    /// One round of exchanges before sweep `sweep`, the key of its random numbers. `energies`: [replica], in
    /// the unit of 1 / beta, up to a constant.
    void exchange(std::uint64_t round, std::uint64_t sweep, std::span<const double> energies);

    /// [temperature] fraction of accepted exchanges with the next higher temperature; NaN at the hottest one.
    std::vector<double> acceptance() const;
    /// Number of times that a replica arrived at the coldest temperature from the hottest one.
    std::uint64_t arrivals() const { return arrivals_; }

    /// The ladder as an array of a checkpoint.
    DistributedArray state();

  private:
    void count_arrivals();

    std::vector<double> betas_;
    std::uint64_t seed_, number_;
    std::vector<std::uint64_t> temperatures_;  ///< [replica]
    std::vector<std::uint64_t> from_hottest_;  ///< [replica] 1 if it was at the hottest temperature after the coldest
    std::vector<std::uint64_t> tried_, accepted_;  ///< [temperature] exchanges with the next higher one
    std::uint64_t arrivals_ = 0;
};

}  // namespace strata::swendsen_wang
