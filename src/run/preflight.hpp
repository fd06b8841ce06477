// SPDX-License-Identifier: BSD-3-Clause
// From a job to an application that is ready to allocate: chooses the device, sets the threads, and compares the
// predicted memory with the free memory.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/device_binding.hpp"
#include "comm/placement.hpp"
#include "run/memory_check.hpp"
#include "run/run.hpp"
#include "strata/application_entry.hpp"
#include "strata/study.hpp"

namespace strata {

/// Properties of an invocation of the program that do not depend on the job.
struct Invocation {
    Verbosity verbosity = Verbosity::full;
    double start = 0;  ///< monotonic_seconds() at program start
    std::vector<Fact> provenance;
    double batch_end = std::numeric_limits<double>::infinity();  ///< as in RunOptions
};

/// Resources of a run: placement of the ranks, threads, devices, and the memory that was free before anything large was
/// allocated. Determined once, also for the many points of a scan.
struct Machine {
    Placement placement;
    int threads = 1;  ///< per rank
    std::optional<DeviceBinding> device;
    FreeMemory free_memory;
    std::string no_device = {};  ///< why a job that permits devices has none; empty if there is nothing to say

    /// The device on which one point runs on `ranks` ranks; null: it runs on the CPU.
    const DeviceBinding* device_of(const Study& point, int ranks) const;
    /// Prediction for one point on `ranks` ranks, with the threads and the backend that they would use. No communication.
    /// Throws Error for ranks into which it cannot be divided.
    Forecast forecast(const Study& point, int ranks) const;
};

/// Sets the threads of this rank and chooses its device; prints what is not possible. Collective; throws
/// CollectiveError.
Machine survey(const Communicator& comm, const Study& study, Verbosity verbosity);

/// An application and the options of its run.
struct PreparedRun {
    RunOptions options;
    std::unique_ptr<Application> application;  ///< not yet allocated
};

/// Makes the application of one point. `stem` is the path of its files without extensions; empty: the run writes none. The
/// memory is checked twice: the forecast, before the application builds its tables, and the prediction of the
/// application, before it allocates. Prints the head of the report. `comm` holds all ranks of the machine, or some of
/// them. Collective; throws CollectiveError.
PreparedRun prepare(const Communicator& comm, const Study& point, const std::string& stem, const Machine& machine,
                    const Invocation& invocation);

}  // namespace strata
