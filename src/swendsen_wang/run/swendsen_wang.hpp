// SPDX-License-Identifier: BSD-3-Clause
// Swendsen-Wang cluster Monte Carlo of the Ising model (R. H. Swendsen, J.-S. Wang, Phys. Rev. Lett. 58, 86 (1987)) on
// one backend. The lattice is divided into slabs over the ranks (F. Wende, T. Steinke, SC13).
#pragma once

#include <memory>

#include "comm/communicator.hpp"
#include "swendsen_wang/run/replica_system.hpp"
#include "swendsen_wang/run/results.hpp"
#include "swendsen_wang/state/borders_cpu.hpp"
#include "swendsen_wang/state/borders_cuda.hpp"
#include "swendsen_wang/state/observation.hpp"
#include "swendsen_wang/state/plan.hpp"

namespace strata::swendsen_wang {

template <class Backend>
class SwendsenWang : public ReplicaSystem, public Chained, public Reviewed {
  public:
    /// The plan must be one for this backend. `comm` must outlive the application.
    SwendsenWang(const Communicator& comm, SwendsenWangPlan plan, BackendOptions<Backend> options = {})
        : comm_(comm), plan_(std::move(plan)), options_(std::move(options)) {}

    std::vector<std::string> description() const override { return plan_.description(); }
    std::string backend() const override;
    MemoryPrediction memory() const override { return plan_.memory(); }
    /// Shifts the random numbers: step 0 becomes sweep place * 2^31 of the counters.
    void follow(std::uint64_t place) override { first_random_ = place * max_chained_sweeps; }
    void set_beta(double beta) override;
    void allocate() override;
    void initialise() override { slab_->fill(plan_.config().first_spins()); }
    std::vector<DistributedArray> state() override { return slab_->state(); }
    void restored(std::uint64_t) override { slab_->restored(); }

    std::uint64_t total_steps() const override { return total_steps_; }
    void review(std::uint64_t steps, const Series& series) override;
    std::string step_name() const override { return "sweeps"; }
    void step(std::uint64_t step) override;
    void finish() override { slab_->finish(timers_); }
    SpinCounts count_spins(std::uint64_t step) override;
    bool observes(std::uint64_t step) const override { return plan_.observes(step); }
    const std::vector<Column>& columns() const override { return columns_; }
    void observe(std::vector<double>& rows) override {
        const Timers::Scope scope = timers_.scope("observation");
        rows.resize(rows.size() + columns().size());
        observation_->reduce(comm_, std::span(rows).last(columns().size()));
    }
    std::string broken_invariant(std::span<const double> row) const override {
        return impossible_row(plan_.config(), columns_, row, observation_->sites_in_clusters());
    }
    std::uint64_t sites_in_clusters() const override { return observation_->sites_in_clusters(); }
    std::vector<Quantity> results(const Series& series) const override;
    std::string remark() const override { return remark_; }
    std::uint64_t rows_left_out() const override { return rows_left_out_; }
    std::vector<Figure> performance(std::uint64_t steps, double seconds) const override {
        return update_rates(plan_.config(), steps, seconds, changed_sites_);
    }

  private:
    void begin(std::uint64_t step, bool observed);
    /// Number of a sweep, and of the first of its single clusters, in the counters of random numbers.
    std::uint64_t number_of(std::uint64_t step) const {
        return first_random_ + step * plan_.config().clusters_per_sweep;
    }
    void update_single_spins();
    void change_single_clusters(std::uint64_t step);
    void measure();  ///< called by step() on observed sweeps, before observe() sums over the ranks

    const Communicator& comm_;
    SwendsenWangPlan plan_;
    const BackendOptions<Backend> options_;
    const std::vector<Column> columns_ = series_columns(plan_.config());
    std::uint64_t total_steps_ = plan_.total_steps();
    std::uint64_t first_random_ = 0;   ///< sweep number of step 0 in the counters of random numbers
    std::uint64_t changed_sites_ = 0;  ///< sites of all single clusters since the start of the process
    std::unique_ptr<Slab<Backend>> slab_;
    std::unique_ptr<Borders<Backend>> borders_;
    std::unique_ptr<Observation> observation_;
    MetropolisTable metropolis_;  ///< acceptance of single-spin updates, if the job has any
    mutable std::string remark_;  ///< remark about the series of the last results()
    mutable std::uint64_t rows_left_out_ = 0;
};

}  // namespace strata::swendsen_wang
