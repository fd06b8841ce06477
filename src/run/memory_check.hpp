// SPDX-License-Identifier: BSD-3-Clause
// Comparison of the predicted memory of a job with the free memory, before anything large is allocated.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/device_binding.hpp"
#include "comm/placement.hpp"
#include "strata/memory.hpp"

namespace strata {

/// Free memory of the nodes and devices of this run. Every member is the same on all ranks.
class FreeMemory {
  public:
    /// Determines the minimum over all nodes, and over all devices if the run uses them. Collective.
    FreeMemory(const Communicator& comm, const Placement& placement, const DeviceBinding* device);

    /// Compares the needs of the largest rank with the free memory. `needed_by(ranks)` predicts the needs for other
    /// numbers of ranks; `next_ranks(n)` is the smallest number >= n that the job can use, or 0. Both serve to name a
    /// sufficient number of ranks in the error. Throws CollectiveError(does_not_fit), so that all ranks must call it
    /// with the same values.
    void check(const MemoryPrediction& needed, int ranks, const std::function<MemoryPrediction(int ranks)>& needed_by,
               const std::function<int(int ranks)>& next_ranks) const;

    /// True if the needs of the largest rank are free.
    bool fits(const MemoryPrediction& needed) const;

  private:
    /// One kind of memory: host memory of a node, or memory of a device.
    struct Kind {
        const char *of, *place, *remedy;  ///< words of the error sentence
        std::uint64_t (MemoryPrediction::*bytes)() const;
        std::uint64_t free;     ///< free bytes of one node or device
        std::uint64_t sharing;  ///< ranks that share one node or device
        bool has_series;        ///< the series of rank 0 is stored in this memory
        /// Bytes left for the series of rank 0 after the other needs of all sharing ranks; empty if those do not fit.
        std::optional<std::uint64_t> left(const MemoryPrediction& needed) const;
        bool fits(const MemoryPrediction& needed) const;
    };
    std::vector<Kind> kinds_;
};

/// Error sentence for a series that is too large for the remaining memory or disk, with the key and the value that
/// would reduce it enough.
std::string series_sentence(const Recording& recording, std::uint64_t needed, std::uint64_t free,
                            const std::string& where);

/// Maximum over the ranks of the host and of the device bytes, as one item each, with the recording of `mine`. Collective.
MemoryPrediction of_largest_rank(const Communicator& comm, const MemoryPrediction& mine);

}  // namespace strata
