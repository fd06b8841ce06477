// SPDX-License-Identifier: BSD-3-Clause
// The plan of a Kronecker job: its target, the distribution of the multiplication, and predictions of memory,
// operations and traffic for this M and larger ones.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kronecker/job/config.hpp"
#include "strata/backend.hpp"
#include "strata/work.hpp"
#include "superblock/multiply_plan.hpp"

namespace strata::kronecker {

class KroneckerPlan {
  public:
    /// Throws Error(bad_input) under the conditions of make_target() and MultiplyPlan.
    KroneckerPlan(const KroneckerConfig& config, int ranks, int rank, int threads);

    const KroneckerConfig& config() const { return config_; }
    const superblock::Target& target() const { return *target_; }
    const superblock::MultiplyPlan& multiply() const { return multiply_; }

    /// Memory of the rank that needs most; `in_place` as in MultiplyPlan::multiply_memory (CPU only).
    MemoryPrediction largest_memory(BackendKind backend, bool in_place) const;
    std::vector<std::string> description() const;
    /// Lines on the memory traffic and the messages of a product, also for other numbers of ranks and partitions and
    /// for larger M.
    std::vector<std::string> traffic(BackendKind backend) const;
    /// Time of one product, to an order of magnitude; on a device without the exchange of patches.
    double seconds(BackendKind backend) const;
    /// Work of one product of the busiest rank.
    Work count_work() const;

  private:
    template <class Real>
    MemoryPrediction rank_memory(BackendKind backend, int rank, bool in_place) const;
    std::uint64_t real_bytes() const {
        return config_.precision == krylov::Precision::single ? sizeof(float) : sizeof(double);
    }
    std::uint64_t pool_bytes() const;
    std::uint64_t full_bytes() const;
    std::string operator_line(BackendKind backend) const;
    std::vector<std::string> partition_lines() const;
    std::vector<std::string> larger_lines(BackendKind backend) const;

    KroneckerConfig config_;
    std::shared_ptr<const superblock::Target> target_;
    superblock::MultiplyPlan multiply_;
};

}  // namespace strata::kronecker
