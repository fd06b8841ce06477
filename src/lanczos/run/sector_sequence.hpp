// SPDX-License-Identifier: BSD-3-Clause
// Tasks in the sectors of several momenta, one after the other, as one run: every part is a task with its own plan,
// tables and vectors, which are freed before those of the next one are made. A checkpoint stores the state of the
// current part and the results of the finished parts that the derived class keeps.
#pragma once

#include <memory>
#include <vector>

#include "lanczos/run/sector_list.hpp"
#include "lanczos/run/task.hpp"

namespace strata::lanczos {

class SectorSequence : public Application, public Growing, public Remeasured {
  public:
    /// `config.symmetry` requests all momenta or the automatic choice. Collective.
    SectorSequence(const LanczosConfig& config, int ranks, int rank, int threads, MakeHamiltonian make)
        : sectors_(config), make_(std::move(make)), ranks_(ranks), rank_(rank), threads_(threads) {}

    std::vector<std::string> description() const override;
    std::string backend() const override { return task_->backend(); }
    /// Memory of the largest part; the current operator may be smaller, since other sectors may be complex.
    MemoryPrediction memory() const override {
        return largest_memory(largest_plan(), task_->backend_kind(), 1, sectors_.size());
    }
    void allocate() override { task_->allocate(); }
    void initialise() override;
    std::vector<DistributedArray> state() override;
    void prepare_state(const std::vector<ArrayShape>& stored) override;
    void restored(std::uint64_t step) override { task_->restored(step - steps_before_); }
    /// The final state of the last part.
    std::vector<DistributedArray> final_state(const std::vector<ArrayShape>& stored) override;
    std::optional<std::uint64_t> begin_with_final_state(std::uint64_t step) override;
    bool keeps_series() const override { return dynamic_cast<const Remeasured&>(*task_).keeps_series(); }
    bool observes_final_state() const override {
        return dynamic_cast<const Remeasured&>(*task_).observes_final_state();
    }
    std::uint64_t total_steps() const override;
    std::string step_name() const override { return "steps"; }
    void step(std::uint64_t step) override;
    void finish() override { task_->finish(); }
    std::vector<Figure> performance(std::uint64_t steps, double seconds) const override;

  protected:
    virtual std::uint64_t parts() const { return sectors_.size(); }
    /// True if the last part has the state that the run is about; the others have led to its sector.
    virtual bool searches_sector() const { return false; }
    /// Number of sectors. Sector i is that of part i for all parts but the last one, which may be in any of the sectors
    /// from parts() - 1 on.
    virtual std::uint64_t sectors() const { return parts(); }
    /// Sector of the part after the current one, which is done.
    virtual std::uint64_t next_sector() const { return part_ + 1; }
    virtual std::unique_ptr<LanczosTask> make_task(std::uint64_t sector) = 0;
    /// Stores the results of the current part; called once its task has done all steps.
    virtual void keep_result() = 0;
    /// Adds the results of finished parts to the arrays of a checkpoint.
    virtual void add_kept(std::vector<DistributedArray>& arrays) = 0;

    /// Frees the current task, then makes the task of the part in this sector. The constructor of a derived class calls
    /// it for sector 0.
    void make_part(std::uint64_t sector);
    std::uint64_t part() const { return part_; }  ///< index of the current part
    bool part_done() const { return steps_in_part_ >= task_->total_steps(); }
    bool all_done() const { return part_ + 1 == parts() && part_done(); }
    /// Number of finished parts.
    std::uint64_t parts_done() const { return part_ + (part_done() ? 1 : 0); }
    const LanczosTask& task() const { return *task_; }
    LanczosTask& task() { return *task_; }

    const LanczosConfig& config() const { return sectors_.config(); }
    /// Plan of the job of one sector.
    LanczosPlan plan_of(const LanczosConfig& job) const {
        return LanczosPlan(job, sectors_.model(), ranks_, rank_, threads_);
    }
    LanczosPlan largest_plan() const { return sectors_.largest_plan(ranks_, rank_, threads_); }

    const SectorList sectors_;
    const MakeHamiltonian make_;

  private:
    const int ranks_, rank_, threads_;
    std::unique_ptr<LanczosTask> task_;
    std::uint64_t part_ = 0;
    std::uint64_t steps_before_ = 0, steps_in_part_ = 0;
    ShapingNumber sector_{"sector", "As many numbers as the number of the sector under way, and one more."};
};

}  // namespace strata::lanczos
