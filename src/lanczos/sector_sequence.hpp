// SPDX-License-Identifier: BSD-3-Clause
// Tasks in several sectors of lattice symmetries, one after the other, as one run: every part is a task with its own
// plan, tables and vectors, which are freed before those of the next one are made. A checkpoint holds the state of the
// part under way and what the derived class keeps of the others.
#pragma once

#include <memory>
#include <vector>

#include "lanczos/task.hpp"

namespace strata::lanczos {

class SectorSequence : public Application {
  public:
    std::string backend() const override { return task_->backend(); }
    void allocate() override { task_->allocate(); }
    void initialise() override;
    std::vector<DistributedArray> state() override;
    void prepare_state(const std::vector<ArrayShape>& stored) override;
    void restored(std::uint64_t step) override { task_->restored(step - steps_before_); }
    std::uint64_t total_steps() const override;
    std::string step_name() const override { return "steps"; }
    void step(std::uint64_t step) override;
    void finish() override { task_->finish(); }
    std::vector<Figure> performance(std::uint64_t steps, double seconds) const override;

  protected:
    virtual std::uint64_t parts() const = 0;
    /// Sectors that a part may be in. Their numbers begin with those of the parts before the last, in this order; the
    /// last part may choose among several.
    virtual std::uint64_t sectors() const { return parts(); }
    /// Of the part after the one that is done.
    virtual std::uint64_t next_sector() const { return part_ + 1; }
    virtual std::unique_ptr<LanczosTask> make_task(std::uint64_t sector) = 0;
    /// The task of the part under way has made all its steps.
    virtual void keep_result() = 0;
    /// Adds what is kept to the arrays of a checkpoint.
    virtual void add_kept(std::vector<DistributedArray>& arrays) = 0;

    /// Frees the task of the part before, then makes that of the part in this sector. The constructor of a derived
    /// class makes that of sector 0.
    void make_part(std::uint64_t sector);
    std::uint64_t part() const { return part_; }  ///< under way
    bool part_done() const { return steps_in_part_ >= task_->total_steps(); }
    bool all_done() const { return part_ + 1 == parts() && part_done(); }
    /// Parts whose results are kept.
    std::uint64_t parts_done() const { return part_ + (part_done() ? 1 : 0); }
    const LanczosTask& task() const { return *task_; }
    LanczosTask& task() { return *task_; }

  private:
    std::unique_ptr<LanczosTask> task_;
    std::uint64_t part_ = 0;
    std::uint64_t steps_before_ = 0, steps_in_part_ = 0;
    std::vector<std::uint64_t>
        sector_;  ///< as long as the number of the sector and one, which a checkpoint's shape tells
};

}  // namespace strata::lanczos
