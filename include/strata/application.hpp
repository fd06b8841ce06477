// SPDX-License-Identifier: BSD-3-Clause
// The interface between the run loop and an application: a few virtual calls per step, none per site. What only some
// applications need is in second interfaces, from which they derive, too; optional_of() finds them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "strata/checkpoint.hpp"
#include "strata/memory.hpp"
#include "strata/record.hpp"
#include "strata/timer.hpp"
#include "strata/work.hpp"

namespace strata {

/// Progress of a run whose steps differ in cost, or whose number of steps is not known in advance.
struct Outlook {
    double fraction = 0;   ///< estimated fraction of the work of the whole run that is done, 0 to 1
    std::string standing;  ///< text of the progress line, e.g. "sweep 3, energy -1.7"; empty: the line counts steps
};

/// A system that advances in steps. All calls are collective over the ranks unless their comment names rank 0. Order of
/// the calls: constructor (plan and checks, no large memory), allocate(), initialise() or restored(), then steps.
class Application {
  public:
    virtual ~Application() = default;

    /// Lines for the head of the report: the system, the method and the distribution over ranks. Same on all ranks.
    virtual std::vector<std::string> description() const = 0;
    /// Backend and instruction set or device of the kernels, e.g. "cpu avx512".
    virtual std::string backend() const = 0;
    /// Predicted memory of this rank, and sizes of checkpoints and scratch files.
    virtual MemoryPrediction memory() const = 0;

    /// Allocates all large memory.
    virtual void allocate() = 0;
    /// Sets the state of step 0.
    virtual void initialise() = 0;
    /// Arrays of the state, as views of the live data. Together with the step number they determine the rest of the
    /// run.
    virtual std::vector<DistributedArray> state() = 0;
    /// Called after the arrays of state() were overwritten by the state after `step` steps. Throws
    /// CollectiveError(bad_input) for keys that do not fit this state.
    virtual void restored(std::uint64_t step) = 0;

    /// Current estimate of the number of steps; exact once the run has finished. Same on all ranks.
    virtual std::uint64_t total_steps() const = 0;
    /// Name of one step in the plural for rates and progress, e.g. "sweeps".
    virtual std::string step_name() const = 0;

    /// Advances by one step. `step` counts from 0 and is the number of steps done before. A device may still be
    /// computing when the call returns.
    virtual void step(std::uint64_t step) = 0;
    /// Waits until all steps are complete, also on a device.
    virtual void finish() {}
    /// True if the state of step 0 is observed before the first step.
    virtual bool observes_start() const { return false; }
    /// True if step number `step` makes an observation.
    virtual bool observes(std::uint64_t step) const = 0;
    /// Columns of the series, one number per column and row.
    virtual const std::vector<Column>& columns() const = 0;
    /// Appends the rows of the observation of the last step: any number of rows, each as wide as columns(). They are
    /// complete on rank 0 only.
    virtual void observe(std::vector<double>& rows) = 0;

    /// One sentence with the numbers if an observed row violates a bound, a count or a norm; empty if the row is sound.
    /// Called on rank 0 only; the run ends with exit code 5 before anything of that row is saved.
    virtual std::string broken_invariant(std::span<const double> row) const = 0;

    /// One line about an observed row for logs, e.g. "sweep 3 M 160 energy -1.7"; empty if the row has none. Called on
    /// rank 0 only, after the observation.
    virtual std::string log_line(std::span<const double> /*row*/) const { return {}; }

    /// One sentence if a requirement, e.g. convergence, is not met after all steps; empty otherwise. Same on all ranks;
    /// the run then ends with exit code 5.
    virtual std::string shortfall() const { return {}; }

    /// One sentence about the results, printed below the table; empty if there is none. Called on rank 0 only.
    virtual std::string remark() const { return {}; }

    /// Estimates from all rows so far; empty if there are no rows. Called on rank 0 only.
    virtual std::vector<Quantity> results(const Series& series) const = 0;
    /// Figures of performance of `steps` steps that took `seconds`, the headline figure first. Called on rank 0 only.
    virtual std::vector<Figure> performance(std::uint64_t steps, double seconds) const = 0;

    const Timers& timers() const { return timers_; }

  protected:
    Timers timers_;
};

/// Systems of several points of a scan that take their steps together. Each has the bits that it would have alone; all make
/// the same number of steps and observe the same ones.
class Batch {
  public:
    virtual ~Batch() = default;
    /// The systems, with their memory, in the order of the points. Their allocate() and step() are not called.
    virtual std::span<const std::unique_ptr<Application>> systems() const = 0;
    /// Advances all systems by one step.
    virtual void step(std::uint64_t step) = 0;

    const Timers& timers() const { return timers_; }

  protected:
    Timers timers_;
};

/// A system whose runs may start from the final state of another run (scan.start).
class Chained {
  public:
    virtual ~Chained() = default;
    /// Declares that this run is number `place` >= 1 of a chain of runs: the final state of the one before it is then read
    /// into state() instead of calling initialise(). The run must not reuse random numbers of the earlier runs of its
    /// chain. Called before allocate().
    virtual void follow(std::uint64_t place) = 0;
};

/// A system whose arrays change their shapes, or whose steps differ in cost.
class Growing {
  public:
    virtual ~Growing() = default;
    /// Resizes the arrays of state() to the shapes in a checkpoint that is about to be read. The shapes come from an
    /// intact header and are no larger than the file. Same on all ranks.
    virtual void prepare_state(const std::vector<ArrayShape>& stored) = 0;
    /// Loads into memory what the step needs. May throw CollectiveError(file): the state is then still that after
    /// `step` steps, and a run that writes checkpoints writes one before it ends.
    virtual void prepare_step(std::uint64_t /*step*/) {}
    /// True if step number `step` ends a part of the work that a restart should not repeat: a checkpoint that is cheap
    /// then follows before checkpoint.interval has passed.
    virtual bool ends_part(std::uint64_t /*step*/) const { return false; }
    /// Progress for the progress line. Called on rank 0 only.
    virtual Outlook outlook() const { return {}; }
};

/// A system whose series, which is complete on rank 0 only, says how long the run is and which rows count.
class Reviewed {
  public:
    virtual ~Reviewed() = default;
    /// May end the run early, by lowering total_steps() to `steps`, the number of steps made. Called after every step and
    /// at the start of a resumed run.
    virtual void review(std::uint64_t steps, const Series& series) = 0;
    /// Rows at the start of the series that the last results() did not include; the result file leaves them out. Called
    /// on rank 0 only.
    virtual std::uint64_t rows_left_out() const = 0;
};

/// A system that may have observed the end of a run by itself.
class EndObserving {
  public:
    virtual ~EndObserving() = default;
    /// Removes rows at the end of the series of a resumed run that a run with its present length would not have made.
    /// The series is complete on rank 0 only. Throws CollectiveError(bad_input) if the run ends after `steps` steps, but
    /// was not observed there.
    virtual void resume_series(std::uint64_t steps, Series& series) = 0;
};

/// A system that can begin with the final state of another run, of which it measures other quantities (strata measure).
/// The jobs of the two differ only in keys that do not change that state.
class Remeasured {
  public:
    virtual ~Remeasured() = default;
    /// Arrays of the other run's state() that determine the final state, without what was measured of it; of records some
    /// fields. Called in the place of initialise(). `stored`: shapes of all arrays of the other run, from an intact header.
    /// Same on all ranks. Throws CollectiveError(bad_input) for a state with which this system cannot begin.
    virtual std::vector<DistributedArray> final_state(const std::vector<ArrayShape>& stored) = 0;
    /// Called when the arrays of final_state() hold the state after `step` steps. Returns the number of the step that
    /// measures next; nothing if the other run has not come to its end.
    virtual std::optional<std::uint64_t> begin_with_final_state(std::uint64_t step) = 0;
    /// True if the series of the other run, if it has the same columns, is that of this one too, as the rows of a search;
    /// else a new one begins.
    virtual bool keeps_series() const { return false; }
    /// True if the final state is observed as it is, as the first row of a new series.
    virtual bool observes_final_state() const { return false; }
};

/// The second interface of an application; null if it has none of that kind.
template <class Interface>
Interface* optional_of(Application& application) {
    return dynamic_cast<Interface*>(&application);
}

/// Ranks and threads of a job.
struct RunLayout {
    int ranks = 1;
    int threads = 1;         ///< per rank
    int ranks_per_node = 1;  ///< ranks that share memory; 1 if unknown: shared memory is then predicted for each rank
};

/// Predicted needs of a job, also for ranks that do not exist.
struct Forecast {
    std::vector<std::string> description;
    MemoryPrediction memory;  ///< memory of the largest rank
    /// Returns lines about memory and network traffic of one step; may measure this machine.
    std::function<std::vector<std::string>()> traffic;
    std::uint64_t steps = 0;
    std::string step_name;
    /// Seconds of a step by the measured rates of one kind of core or device, an order of magnitude; 0: unknown.
    double seconds_per_step = 0;
    /// Counts the work of one step on the CPU; empty where an application has no such count. May take a second.
    std::function<Work()> work = {};
};

/// A job with a quantity whose value is known exactly.
struct Oracle {
    std::string title;
    std::string job;  ///< text of a job file
    std::string quantity;
    double exact = 0;
    double tolerance = 0;  ///< relative; 0: within 4 sigma of the quantity's error
};

}  // namespace strata
