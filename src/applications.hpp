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
    std::vector<std::string> (*validate)(const Config&);  ///< of values that are each valid alone
    std::vector<std::string> (*validate_resume)(const Config& before, const Config& now);
    /// For a device if one is given, else for the CPU. `device` is only valid during the call: what is needed later is
    /// copied from it.
    std::unique_ptr<Application> (*make)(const Communicator&, const Config&, int threads, const DeviceBinding* device);
    Forecast (*forecast)(const Config&, const RunLayout&, BackendKind);
    std::vector<Oracle> (*oracles)();
    std::vector<BackendKind> backends;            ///< that it has kernels for
    std::vector<std::string> optional_keys = {};  ///< names of the cli::optional_keys() that it supports
    /// The smallest number of ranks, `ranks` or more, that this job can be cut into; 0 if there is none. Null: any
    /// number up to the one that `forecast` refuses.
    int (*next_ranks)(const Config&, int ranks) = nullptr;
    /// Why backend.device = auto leaves this job to the CPU although there are kernels for devices, as the end of a
    /// sentence; empty if it does not. Null: it never does.
    std::string (*stays_on_cpu)(const Config&, int ranks) = nullptr;

    bool runs_on(BackendKind backend) const { return std::ranges::count(backends, backend) != 0; }
    /// The reason of stays_on_cpu for a job whose backend.device is auto, else empty.
    std::string reason_for_cpu(const Config& config, int ranks) const {
        const bool asked = stays_on_cpu != nullptr && config.text("backend.device") == "auto";
        return asked ? stays_on_cpu(config, ranks) : std::string();
    }
};

/// The rows of this program. A program of the tests that defines this function in an object file of its own has other
/// rows, since the linker then leaves the library's definition (applications.cpp) out.
std::vector<ApplicationEntry> application_rows();

/// The same rows, made once.
const std::vector<ApplicationEntry>& applications();

/// The row of that name. Throws Error(bad_input) with the nearest name.
const ApplicationEntry& find_application(const std::string& name);

/// The application's own keys, the optional ones that it supports, and the common ones; a key that the application
/// declares itself (with a condition of its own) takes the place of the common one.
std::vector<Key> all_keys(const ApplicationEntry& entry);

/// What is wrong with values that are each valid alone, one sentence per error: what the application finds, and an
/// instruction set that this processor does not have.
std::vector<std::string> validate(const ApplicationEntry& entry, const Config& config);

}  // namespace strata
