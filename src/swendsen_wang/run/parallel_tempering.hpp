// SPDX-License-Identifier: BSD-3-Clause
// A run with parallel tempering: replicas of the lattice, each a Swendsen-Wang system of its own, over groups of ranks
// (ReplicaGroups, state/plan.hpp); replicas of a small lattice on one rank advance side by side by Metropolis updates
// (ReplicaBatch). Before every `exchange_every`-th sweep all energies meet on rank 0, which decides about exchanges of
// temperatures (physics/temperature_ladder.hpp); spins stay where they are.
//
//   ranks       0    1  |  2    3        2 groups of 2 ranks
//   replicas    0 1 2   |  3 4           each on all ranks of its group
//
// An observation has one row for each temperature, in ascending order. With two replicas at each, for overlaps, there
// are two ladders of K temperatures, of replicas 0 .. K - 1 and K .. 2 K - 1, which never exchange with each other; rows
// belong to the first ladder.
#pragma once

#include <memory>

#include "swendsen_wang/physics/temperature_ladder.hpp"
#include "swendsen_wang/run/replica_batch.hpp"
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
        ReplicaSystem* system;
        std::vector<std::uint64_t> spins = {};    ///< for overlaps: words of the tiles of this rank's slab,
        std::vector<std::uint64_t> partner = {};  ///< and those of the other replica at the same temperature
    };

    void make_replicas(const BackendOptions<Backend>& options);
    void exchange(std::uint64_t step);
    void set_temperatures();
    std::size_t temperatures() const { return ladders_.front().size(); }
    double beta_of(std::size_t replica) const {
        return ladders_[replica / temperatures()].beta_of_replica(replica % temperatures());
    }
    /// The replica at a temperature of a ladder.
    std::size_t replica_at(std::size_t ladder, std::size_t temperature) const {
        return ladder * temperatures() + ladders_[ladder].replica_at(temperature);
    }
    /// The group that has a replica.
    int group_of(std::size_t replica) const;
    bool is_own(std::size_t replica) const {
        return replica - replicas_.front().number < replicas_.size();  // unsigned: false for smaller ones
    }
    Replica& own(std::size_t replica) { return replicas_[replica - replicas_.front().number]; }
    void gather_spins();
    void observe_overlaps(std::span<double> rows);
    /// Times that replicas came from the hottest to the coldest temperature, on the ladder with fewer.
    std::uint64_t arrivals() const;
    SwendsenWangConfig config_at(std::size_t temperature) const;
    Series series_at(const Series& series, std::size_t temperature) const;
    std::string remark(std::size_t without_errors, bool few) const;

    const Communicator& comm_;
    const SwendsenWangPlan plan_;
    const Communicator group_;
    std::vector<TemperatureLadder> ladders_;                       ///< one, or two for overlaps
    std::unique_ptr<ReplicaBatch> batch_;                          ///< the replicas side by side, or none
    std::vector<std::unique_ptr<SwendsenWang<Backend>>> systems_;  ///< those of a group that are not side by side
    std::vector<Replica> replicas_;                                ///< replicas of this rank's group
    std::vector<Column> columns_;                   ///< those of one replica, of the overlap, and the temperature
    std::size_t replica_columns_;                   ///< number of those of one replica
    Observation overlaps_;                          ///< counts of a product of two configurations
    std::vector<std::uint64_t> sites_in_clusters_;  ///< [temperature] at the last observation; on rank 0
    mutable std::string remark_;                    ///< remark about the series of the last results()
};

}  // namespace strata::swendsen_wang
