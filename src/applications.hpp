// SPDX-License-Identifier: BSD-3-Clause
// The applications of this program: one row each.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/device_binding.hpp"
#include "strata/application.hpp"
#include "strata/config.hpp"

namespace strata {

struct ApplicationEntry {
    std::string name;
    std::string title;
    std::string example;  ///< a short job file
    std::vector<Key> (*keys)();
    std::vector<std::string> (*validate)(const Config&);  ///< errors that involve several keys, one sentence each
    /// Errors of changes that a resumed run must not make although each key may change. Null: there are none.
    std::vector<std::string> (*validate_resume)(const Config& before, const Config& now);
    /// Makes the application for the CPU, or for a device if one is given. `device` is valid only during the call: the
    /// application copies what it needs later.
    std::unique_ptr<Application> (*make)(const Communicator&, const Config&, int threads, const DeviceBinding* device);
    /// Predicted needs of a job on ranks that need not exist.
    Forecast (*forecast)(const Config&, const RunLayout&, BackendKind);
    /// Jobs with exactly known results, for `strata selftest`.
    std::vector<Oracle> (*oracles)();
    std::vector<BackendKind> backends;            ///< backends with kernels for this application
    std::vector<std::string> optional_keys = {};  ///< names of the supported cli::optional_keys()
    /// Smallest number of ranks, at least `ranks`, into which the job can be divided; 0 if there is none. Null: any
    /// number up to the first that `forecast` rejects.
    int (*next_ranks)(const Config&, int ranks) = nullptr;
    /// The reason, as the end of a sentence, for which backend.device = auto runs this job on the CPU although there
    /// are device kernels; empty if there is none. Null: always empty.
    std::string (*stays_on_cpu)(const Config&, int ranks) = nullptr;
    /// Small jobs that together have every output, for `strata keys APPLICATION --outputs`: changes of the example, as
    /// "section.key=value section.key=value". The first one makes it small and holds for all; a key
    /// without value is taken away again. Null: the example alone.
    std::vector<std::string> (*samples)() = nullptr;

    bool runs_on(BackendKind backend) const { return std::ranges::count(backends, backend) != 0; }
    /// Result of stays_on_cpu for a job with backend.device = auto, else empty.
    std::string reason_for_cpu(const Config& config, int ranks) const {
        const bool asked = stays_on_cpu != nullptr && config.text("backend.device") == "auto";
        return asked ? stays_on_cpu(config, ranks) : std::string();
    }
};

/// The rows of this program. A test program that defines this function in one of its own object files has other rows,
/// because the linker then does not take applications.cpp from the library.
std::vector<ApplicationEntry> application_rows();

/// The same rows, computed once.
const std::vector<ApplicationEntry>& applications();

/// The row with that name. Throws Error(bad_input) that suggests the nearest name.
const ApplicationEntry& find_application(const std::string& name);

/// Keys of the application, the optional keys that it supports, and the common keys; a key that the application
/// declares itself, e.g. with a condition, replaces the common key of the same name.
std::vector<Key> all_keys(const ApplicationEntry& entry);

/// Errors that involve several keys, one sentence each: those found by the application, and an instruction set that
/// this processor or build does not have.
std::vector<std::string> validate(const ApplicationEntry& entry, const Config& config);

}  // namespace strata
