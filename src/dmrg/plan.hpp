// SPDX-License-Identifier: BSD-3-Clause
// What is known of a renormalization before it runs: its settings in each sweep, and estimates of memory and work from
// how many states the sectors of a ground state have.
#pragma once

#include <string>
#include <vector>

#include "dmrg/config.hpp"
#include "dmrg/sectors.hpp"
#include "strata/backend.hpp"
#include "strata/memory.hpp"

namespace strata::dmrg {

class DmrgPlan {
  public:
    /// `backend`: where large superblocks are.
    DmrgPlan(const DmrgConfig& config, int ranks, int threads, BackendKind backend = BackendKind::cpu);

    const DmrgConfig& config() const { return config_; }
    int threads() const { return threads_; }
    BackendKind backend() const { return backend_; }
    std::uint64_t largest_states() const;
    std::vector<std::string> description() const;
    MemoryPrediction memory() const;
    /// Floating-point operations of one multiplication in the middle of the chain at the largest M.
    double flops_per_product() const;
    std::vector<std::string> traffic() const;
    std::uint64_t steps() const;
    double seconds_per_step() const;

  private:
    /// Of all blocks of the chain, and of those that are in memory at a time if the others are on disk.
    struct BlockBytes {
        std::uint64_t all, near;
    };
    BlockBytes blocks() const;
    bool on_disk() const { return !config_.scratch_directory.empty(); }
    Sectors predicted(int bond) const;

    DmrgConfig config_;
    int ranks_, threads_;
    BackendKind backend_;
    std::vector<std::vector<Charge>> labels_;  ///< [bond]
};

}  // namespace strata::dmrg
