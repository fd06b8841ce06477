// SPDX-License-Identifier: BSD-3-Clause
// Predictions for a renormalization: its settings in each sweep, and estimates of memory and work from the numbers of
// states that the sectors of a ground state have.
#pragma once

#include <string>
#include <vector>

#include "dmrg/job/config.hpp"
#include "dmrg/physics/sectors.hpp"
#include "dmrg/run/task.hpp"
#include "strata/backend.hpp"
#include "strata/memory.hpp"
#include "strata/work.hpp"
#include "superblock/multiply_plan.hpp"

namespace strata::dmrg {

class DmrgPlan {
  public:
    /// `backend`: CPU or device for large superblocks. `ranks_per_node`: ranks that read each other's patches in place.
    DmrgPlan(const DmrgConfig& config, int ranks, int threads, BackendKind backend = BackendKind::cpu,
             int ranks_per_node = 1);

    const DmrgConfig& config() const { return config_; }
    int threads() const { return threads_; }
    BackendKind backend() const { return backend_; }
    /// Instruction set, and device if there is one.
    std::string backend_name() const;
    /// The plan of the search for the initial ground state of an evolution.
    DmrgPlan of_search() const { return {search_config(config_), ranks_, threads_, backend_, ranks_per_node_}; }
    std::uint64_t largest_states() const;
    /// Estimate of the M that run.tolerance requires, without the bound run.max-states; expected to be correct within
    /// the factor needed_factor.
    std::uint64_t needed_states() const;
    static constexpr double needed_factor = 2;
    std::vector<std::string> description() const;
    /// The charges of the sector, e.g. "Sz = 0".
    std::string sector() const;
    MemoryPrediction memory() const;
    /// Floating-point operations of one multiplication in the middle of the chain at the largest M, or at another one.
    double flops_per_product() const { return flops_per_product(largest_states(), config_.model.sites / 2); }
    double flops_per_product(std::uint64_t max_states, int bond) const;
    std::vector<std::string> traffic() const;
    std::uint64_t bonds_per_sweep() const { return 2 * (static_cast<std::uint64_t>(config_.model.sites) - 1); }
    /// Number of steps of all sweeps, of a search for states alone, and their mean time; without schedule they are
    /// estimates.
    std::uint64_t steps() const { return task_of(config_.task).steps(*this); }
    std::uint64_t steps_of_search() const { return bonds_per_sweep() * states_of_sweeps().size() * config_.states; }
    double seconds_per_step() const;
    /// Mean work of a step of a rank.
    Work count_work() const;

  private:
    /// Bytes of all blocks of the chain, and of the blocks in memory at a time if the others are on disk.
    struct BlockBytes {
        std::uint64_t all, near;
    };
    BlockBytes blocks() const;
    /// The predicted superblock that needs most memory, and the elements of the Hamiltonians of its enlarged blocks.
    struct AtCentre {
        superblock::Target target;
        double squares;
    };
    AtCentre largest_superblock() const;
    /// Elements of the tensors of a state with M states, and the sum of the squares of the sectors of all bonds.
    struct StateSize {
        double tensors = 0, squares_of_bonds = 0;
    };
    StateSize size_of_state(std::uint64_t max_states) const;
    MemoryPrediction search_memory(const superblock::Target& target) const;
    bool evolves() const { return task_of(config_.task).evolves; }
    /// Chains whose blocks and tensors are in memory at a time.
    std::uint64_t chains() const { return evolves() && config_.evolution.estimates_error ? 2 : 1; }
    bool on_disk() const { return !config_.scratch_directory.empty(); }
    /// Largest M that a run can store, and the sectors of a bond with it.
    std::uint64_t stored_states() const;
    Sectors predicted(int bond) const { return predicted(bond, stored_states_); }
    Sectors predicted(int bond, std::uint64_t max_states) const;
    /// M of the sweeps of one state: from the schedule, or growing up to `last`.
    std::vector<std::uint64_t> states_of_sweeps(double last) const;
    std::vector<std::uint64_t> states_of_sweeps() const {
        return states_of_sweeps(static_cast<double>(needed_states()));
    }
    std::vector<std::string> estimate() const;
    double seconds(const std::vector<std::uint64_t>& sweeps) const;

    DmrgConfig config_;
    int ranks_, threads_, ranks_per_node_;
    BackendKind backend_;
    std::uint64_t stored_states_;
};

}  // namespace strata::dmrg
