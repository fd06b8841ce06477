// SPDX-License-Identifier: BSD-3-Clause
// The one interface between the run loop and an application: a few virtual calls per step, none per site.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "strata/checkpoint.hpp"
#include "strata/memory.hpp"
#include "strata/record.hpp"
#include "strata/timer.hpp"

namespace strata {

/// What the progress line shows of a run whose steps differ much in their cost, or whose number is not known before.
struct Outlook {
    double fraction = 0;   ///< of the work of the whole run that is done, as far as it can be foreseen
    std::string standing;  ///< e.g. "sweep 3, energy -1.7"; empty: steps are shown, and all count alike
};

/// A system that advances in steps. All calls but `results` and `performance` are collective over the ranks.
/// The life of one: construct (plans, checks, no large memory) -> allocate -> initialise or restore -> steps.
class Application {
  public:
    virtual ~Application() = default;

    /// Lines for the head of the report: what runs, how it is cut. Same on all ranks.
    virtual std::vector<std::string> description() const = 0;
    /// Where the kernels run, e.g. "cpu avx512".
    virtual std::string backend() const = 0;
    /// Of this rank.
    virtual MemoryPrediction memory() const = 0;

    virtual void allocate() = 0;
    /// The state of step 0.
    virtual void initialise() = 0;
    /// The state's arrays, as views of the live data; step() is the only other thing a restart needs.
    virtual std::vector<DistributedArray> state() = 0;
    /// Before a checkpoint is read into state(): the shapes of its arrays, for those whose arrays grow while they run.
    /// They are those of an intact header, and no larger than its file. The same on all ranks.
    virtual void prepare_state(const std::vector<ArrayShape>& /*stored*/) {}
    /// The arrays of state() now hold the state after `step` steps.
    virtual void restored(std::uint64_t step) = 0;

    /// May change while the run goes on, when more is known: it is exact when all steps are made. The same on all
    /// ranks.
    virtual std::uint64_t total_steps() const = 0;
    /// Name of one step in the plural for rates and progress, e.g. "sweeps".
    virtual std::string step_name() const = 0;
    /// Called on rank 0 only.
    virtual Outlook outlook() const { return {}; }

    /// Brings to memory what the step needs. May throw CollectiveError(file): the state is then still that after `step`
    /// steps, of which the run writes a checkpoint before it ends.
    virtual void prepare_step(std::uint64_t /*step*/) {}
    /// Advances by one step. `step` counts from 0 and is the number of steps done before.
    /// On a device it may return before the work is done.
    virtual void step(std::uint64_t step) = 0;
    /// True if step number `step` ends a part of the work that a restart should not have to repeat: where it costs
    /// little, a checkpoint follows before the interval between checkpoints has passed.
    virtual bool ends_part(std::uint64_t /*step*/) const { return false; }
    /// Returns when all steps are done.
    virtual void finish() {}
    /// True if the state of step 0 is observed, before the first step.
    virtual bool observes_start() const { return false; }
    /// True if step number `step` makes an observation.
    virtual bool observes(std::uint64_t step) const = 0;
    virtual const std::vector<Column>& columns() const = 0;
    /// Appends the rows of the observation that the step just made: any number of them, each as wide as columns(). They
    /// are complete on rank 0.
    virtual void observe(std::vector<double>& rows) = 0;

    /// What is impossible about an observed row (a bound, a count, a norm), as a sentence with the numbers; empty if it
    /// is sound. Called on rank 0; a broken invariant ends the run before anything of it is saved.
    virtual std::string broken_invariant(std::span<const double> row) const = 0;

    /// What is missing although all steps are made, e.g. convergence, as a sentence; empty if nothing is. The same on
    /// all ranks; the run then ends with exit code 5.
    virtual std::string shortfall() const { return {}; }

    /// What a reader of the results should know of them, as a sentence printed below the table; empty if there is
    /// nothing. Called on rank 0 only.
    virtual std::string remark() const { return {}; }

    /// Estimates from all rows so far; called on rank 0 only. Empty rows give an empty table.
    virtual std::vector<Quantity> results(const Series& series) const = 0;
    /// Headline figure first. `steps` steps took `seconds`; called on rank 0 only.
    virtual std::vector<Figure> performance(std::uint64_t steps, double seconds) const = 0;

    const Timers& timers() const { return timers_; }

  protected:
    Timers timers_;
};

/// How a job is spread over a machine.
struct RunLayout {
    int ranks = 1;
    int threads = 1;         ///< per rank
    int ranks_per_node = 1;  ///< 1 where it is not known: what ranks of a node share is then predicted for each
};

/// What a job will need, for ranks that need not exist.
struct Forecast {
    std::vector<std::string> description;
    MemoryPrediction memory;                            ///< of the largest rank
    std::function<std::vector<std::string>()> traffic;  ///< lines on what moves in one step; may measure this machine
    std::uint64_t steps = 0;
    std::string step_name;
    double seconds_per_step = 0;  ///< from rates measured on one kind of core: an order of magnitude; 0: not known
};

/// A job whose answer is known exactly.
struct Oracle {
    std::string title;
    std::string job;  ///< text of a job file
    std::string quantity;
    double exact = 0;
    double tolerance = 0;  ///< relative; 0: within 4 sigma of the quantity's error
};

}  // namespace strata
