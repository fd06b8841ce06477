// SPDX-License-Identifier: BSD-3-Clause
// A run with parallel tempering: replicas of the lattice, each a Swendsen-Wang system of its own, over groups of ranks
// (ReplicaGroups, state/plan.hpp). Before every `exchange_every`-th sweep all energies meet on rank 0, which decides
// about exchanges of temperatures (physics/temperature_ladder.hpp); spins stay where they are.
//
//   ranks       0    1  |  2    3        2 groups of 2 ranks
//   replicas    0 1 2   |  3 4           each on all ranks of its group
//
// An observation has one row for each temperature, in ascending order.
#pragma once

#include <memory>

#include "swendsen_wang/physics/temperature_ladder.hpp"
#include "swendsen_wang/run/swendsen_wang.hpp"

namespace strata::swendsen_wang {

template <class Backend>
class ParallelTempering : public Application {
  public:
    /// The plan must be one for this backend, of a job with several temperatures. `comm` must outlive the application.
    ParallelTempering(const Communicator& comm, SwendsenWangPlan plan, const BackendOptions<Backend>& options = {});

    std::vector<std::string> description() const override { return plan_.description(); }
    std::string backend() const override { return replicas_.front().system->backend(); }
    MemoryPrediction memory() const override { return plan_.memory(); }
    void allocate() override;
    void initialise() override;
    std::vector<DistributedArray> state() override;
    void restored(std::uint64_t step) override;

    std::uint64_t total_steps() const override { return plan_.total_steps(); }
    std::string step_name() const override { return "sweeps"; }
    void step(std::uint64_t step) override;
    void finish() override;
    bool observes(std::uint64_t step) const override { return plan_.observes(step); }
    const std::vector<Column>& columns() const override { return columns_; }
    void observe(std::vector<double>& rows) override;
    std::string broken_invariant(std::span<const double> row) const override;
    std::vector<Quantity> results(const Series& series) const override;
    std::string remark() const override { return remark_; }
    std::vector<Figure> performance(std::uint64_t steps, double seconds) const override {
        return update_rates(plan_.config(), steps, seconds);
    }

  private:
    struct Replica {
        std::size_t number;
        std::unique_ptr<SwendsenWang<Backend>> system;
    };

    void exchange(std::uint64_t step);
    void set_temperatures();
    SwendsenWangConfig config_at(std::size_t temperature) const;
    Series series_at(const Series& series, std::size_t temperature) const;
    std::string remark(std::size_t without_errors, bool few) const;

    const Communicator& comm_;
    const SwendsenWangPlan plan_;
    const Communicator group_;
    TemperatureLadder ladder_;
    std::vector<Replica> replicas_;                 ///< of this rank's group
    std::vector<Column> columns_;                   ///< those of one temperature, and the temperature
    std::vector<std::uint64_t> sites_in_clusters_;  ///< [temperature] at the last observation; on rank 0
    mutable std::string remark_;                    ///< remark about the series of the last results()
};

}  // namespace strata::swendsen_wang
