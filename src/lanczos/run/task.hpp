// SPDX-License-Identifier: BSD-3-Clause
// The table of the Lanczos tasks, a row of functions for each, and the base class of the classes that run them: a plan,
// the Hamiltonian of its sector as an operator, their description, and the bounds that every energy must keep.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "krylov/ground_state.hpp"
#include "lanczos/state/hamiltonian_operator.hpp"
#include "lanczos/state/plan.hpp"
#include "strata/application.hpp"

namespace strata::lanczos {

using InputErrors = std::vector<std::string>;
using MemoryItems = std::vector<MemoryPrediction::Item>;

/// Steps in a sector: the limit, or the number where it is known, and the number if searches are as long as usual.
struct StepCounts {
    std::uint64_t most = 0, usually = 0;
};

/// Size of a run, by counting.
struct TaskSize {
    std::uint64_t vectors = 0;  ///< number of vectors beside the working pair
    StepCounts steps;
    /// Vectors that a mean step combines beside H: multiplications and additions per real number, and vectors that are
    /// read and written; seconds of small eigenvalue problems, records and sums.
    struct Work {
        double products = 0, moved = 0, seconds = 0;
    } work;
    Recording recording;
};

/// The plan of an operator beside H, that of another sector or another Hamiltonian, and the end of the names of its memory.
struct OtherOperator {
    LanczosPlan plan;
    std::string suffix;
};

/// Row of a task. `sectors`: number of several sectors, of which that of the plan is the largest; 0: the run
/// is in one sector. Optional functions are null where there is nothing to add.
struct TaskEntry {
    Task task;
    TraceMethod trace = TraceMethod::random_vectors;  ///< how a thermal task takes its trace
    std::array<const char*, 5> samples;  ///< small jobs that have all outputs of the task (ApplicationEntry::samples)
    /// Adds errors of keys that the task cannot serve.
    void (*check)(const Config& config, const ModelConfig& model, InputErrors& found);
    /// Adds errors that depend on sites or sector. Throws as make_symmetry_group() does. Optional.
    void (*check_sector)(const Config&, const LanczosConfig&, const Model&, InputErrors& found) = nullptr;
    TaskSize (*size)(const LanczosPlan& plan, std::uint64_t sectors);
    /// Memory of one rank beside its operators.
    MemoryItems (*memory)(const LanczosPlan& plan, int rank, BackendKind backend, std::uint64_t sectors);
    /// Operators beside H that exist at once, of those of other sectors the largest. Optional.
    std::vector<OtherOperator> (*other_operators)(const LanczosPlan& plan) = nullptr;
    /// Null where LanczosConfig::in_sequence().
    std::unique_ptr<Application> (*make)(const LanczosPlan& plan, const MakeHamiltonian& make) = nullptr;
    /// Makes the run in several sectors. Null: check() refuses them.
    std::unique_ptr<Application> (*make_sequence)(const LanczosConfig&, int ranks, int rank, int threads,
                                                  const MakeHamiltonian& make) = nullptr;
    double cost_power = 1;  ///< time of a step in a sector as a power of its states
};

/// The rows, each defined in the source of its task, and their table.
extern const TaskEntry states_task, spectrum_task, thermal_task, low_temperature_task, exact_thermal_task,
    evolution_task, levels_task, thermal_spectrum_task, exact_thermal_spectrum_task;
inline constexpr const TaskEntry* tasks[] = {
    &states_task,    &spectrum_task, &thermal_task,          &low_temperature_task,       &exact_thermal_task,
    &evolution_task, &levels_task,   &thermal_spectrum_task, &exact_thermal_spectrum_task};
/// A method that a task does not have leads to the row of random vectors, whose check() refuses it.
const TaskEntry& task_of(Task task, TraceMethod trace);
inline const TaskEntry& task_of(const LanczosConfig& c) { return task_of(c.task, c.thermal.method); }

/// Makes an application of this class, as a function for `make` or `make_sequence`.
template <class Class, class... Arguments>
std::unique_ptr<Application> make_as(Arguments... arguments) {
    return std::make_unique<Class>(arguments...);
}

/// Memory of the whole run on the rank that needs most.
MemoryPrediction largest_memory(const LanczosPlan& plan, BackendKind backend, int ranks_per_node = 1,
                                std::uint64_t sectors = 0);
/// Recording of rows that are all one observation, which the report copies.
Recording recorded_at_once(std::uint64_t rows, std::uint64_t columns, const char* key);
/// Usual steps of a search for energies: `factor` per logarithm of the dimension, 7 for one energy, by fits to runs with
/// the default tolerance.
double usual_search(const LanczosPlan& plan, double factor = 7);
/// Steps as an integer, at least 1.
std::uint64_t whole_steps(double steps);
/// Seconds of a step of a recurrence beside H and vectors.
inline constexpr double step_overhead = 4e-5;

class LanczosTask : public Application {
  public:
    /// `make` makes the operator on its backend. Collective.
    LanczosTask(const LanczosPlan& plan, const MakeHamiltonian& make);

    const LanczosPlan& plan() const { return plan_; }
    const Communicator& comm() const { return comm_; }

    std::vector<std::string> description() const override;
    BackendKind backend_kind() const {
        return hamiltonian_.memory(0).device.empty() ? BackendKind::cpu : BackendKind::cuda;
    }
    std::string backend() const override { return hamiltonian_.name(); }
    MemoryPrediction memory() const override;
    void finish() override { hamiltonian_.finish(); }
    std::string step_name() const override { return "steps"; }
    std::string broken_invariant(std::span<const double> row) const override;
    void restored(std::uint64_t) override {}
    std::vector<Figure> performance(std::uint64_t steps, double seconds) const override;

  protected:
    /// Upper bound of the norm of what changes H in time, in which no energy lies outside of the bounds of H by more.
    virtual double largest_drive() const { return 0; }
    /// A remark, followed in a sector of lattice symmetries by the note that other sectors are not included.
    std::string of_sector(std::string remark) const;

    const LanczosPlan plan_;

  private:
    const std::unique_ptr<HamiltonianOperator> owned_hamiltonian_;

  protected:
    HamiltonianOperator& hamiltonian_;
    const Communicator& comm_;
};

/// Adds to `arrays` what a solver of another run ended with. Throws CollectiveError(bad_input) if the checkpoint, which has
/// the shapes `stored`, is of a run that finds states in another way.
void add_final_state(krylov::GroundStateSolver& solver, const std::vector<ArrayShape>& stored,
                     std::vector<DistributedArray>& arrays);

/// Line of a log about step `step` >= 1 of a search: for the first step, every tenth and the last one; empty for others.
std::string search_line(std::uint64_t step, double energy, double residual, bool last);

/// The working pair of an operator as arrays of a checkpoint.
void add_working_pair(HamiltonianOperator& hamiltonian, const std::string& prefix,
                      std::vector<DistributedArray>& arrays);

}  // namespace strata::lanczos
