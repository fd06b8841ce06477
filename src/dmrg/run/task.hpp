// SPDX-License-Identifier: BSD-3-Clause
// The table of the DMRG tasks, a row of functions for each. Factory, forecast and plan call the functions of a row, so
// that no other source asks which task it is; job/config.cpp has what the task reads of a job.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dmrg/job/config.hpp"
#include "strata/application.hpp"
#include "superblock/make_operator.hpp"

namespace strata::dmrg {

class DmrgPlan;

struct TaskEntry {
    Task task;
    std::array<const char*, 2> samples;  ///< small jobs that have all outputs of the task (ApplicationEntry::samples)
    bool evolves = true;                 ///< in real or imaginary time; a search otherwise
    bool all_sectors = false;            ///< whether its state has components in all sectors
    /// Lines about the task, below that of the lattice.
    std::vector<std::string> (*description)(const DmrgPlan& plan);
    std::uint64_t (*steps)(const DmrgPlan& plan);
    Recording (*recording)(const DmrgPlan& plan);
    std::unique_ptr<Application> (*make)(const Communicator& comm, const DmrgPlan& plan,
                                         const superblock::MakeOperator& make);
};

/// The rows, each defined in the source of its task, and their table.
extern const TaskEntry states_task, evolution_task, thermal_task, spectrum_task;
inline constexpr const TaskEntry* task_rows[] = {&states_task, &evolution_task, &thermal_task, &spectrum_task};

inline const TaskEntry& task_of(Task task) {
    for (const TaskEntry* row : task_rows)
        if (row->task == task) return *row;
    throw Error(ExitCode::internal, "A task has no row.");
}

/// Makes an application of this class, as a function for `make`.
template <class Class>
std::unique_ptr<Application> make_as(const Communicator& comm, const DmrgPlan& plan,
                                     const superblock::MakeOperator& make) {
    return std::make_unique<Class>(comm, plan, make);
}

}  // namespace strata::dmrg
