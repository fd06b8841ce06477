// SPDX-License-Identifier: BSD-3-Clause
// An application as the program knows it before one is made: its row in the table of applications.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "strata/application.hpp"
#include "strata/backend.hpp"
#include "strata/config.hpp"

namespace strata {

class Communicator;
struct DeviceBinding;

struct ApplicationEntry {
    std::string name;
    std::string title;
    std::string example;  ///< a short job file
    std::vector<Key> (*keys)();
    std::vector<std::string> (*validate)(const Config&);  ///< errors that involve several keys, one sentence each
    /// Errors of changes that a resumed run must not make although each key may change. Null: there are none.
    std::vector<std::string> (*validate_resume)(const Config& before, const Config& now) = nullptr;
    /// One sentence for each reason why the final state of a run with the keys `stored` cannot be that of a job which
    /// measures it with the keys `now`, which are valid themselves. Null: there is none.
    std::vector<std::string> (*validate_measurement)(const Config& stored, const Config& now) = nullptr;
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
    /// Largest number of threads per rank that shortens the job, which backend.threads = 0 does not exceed. Null: any.
    int (*useful_threads)(const Config&, int ranks) = nullptr;
    /// Takes memory that a library would take later without a way to refuse it, for so many threads, before the free memory
    /// is determined. Throws Error(does_not_fit). Null: there is none.
    void (*reserve_memory)(int threads) = nullptr;
    /// Points of a scan that a rank computes together: the keys in which they may differ, the largest number of such points
    /// (below 2: the job is computed alone), and the systems of some of them, of one thread on the CPU. Null: all are alone.
    struct Together {
        std::vector<std::string> keys = {};
        std::size_t (*most)(const Config&) = nullptr;
        std::unique_ptr<Batch> (*make)(const Communicator&, const std::vector<Config>&) = nullptr;
    };
    Together together = {};
    /// Small jobs that together have every output, for `strata keys APPLICATION --outputs`: changes of the example, as
    /// "section.key=value section.key=value". The first one makes it small and holds for all; a key
    /// without value is taken away again.
    std::vector<std::string> samples = {""};

    bool runs_on(BackendKind backend) const { return std::ranges::count(backends, backend) != 0; }
    /// Number of threads per rank of a job on ranks that have `available` threads or cores each.
    int threads(const Config& config, int ranks, int available) const {
        const bool chosen = config.integer("backend.threads") != 0;
        return chosen || useful_threads == nullptr ? available : std::min(available, useful_threads(config, ranks));
    }
    /// Result of stays_on_cpu for a job with backend.device = auto, else empty.
    std::string reason_for_cpu(const Config& config, int ranks) const {
        const bool asked = stays_on_cpu != nullptr && config.text("backend.device") == "auto";
        return asked ? stays_on_cpu(config, ranks) : std::string();
    }
};

}  // namespace strata
