// SPDX-License-Identifier: BSD-3-Clause
// The memory that a job needs against the memory that is free, before anything large is built.
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

/// What the nodes and devices of this run have free. Every member is the same on all ranks.
class FreeMemory {
  public:
    /// Takes the least of all nodes, and of all devices if the run uses them. Collective.
    FreeMemory(const Communicator& comm, const Placement& placement, const DeviceBinding* device);

    /// Compares the needs of the largest rank with what is free for it. `needed_by(ranks)` predicts the same for other
    /// numbers of ranks, `next_ranks(n)` is the smallest number from n on that the job can use, or 0: they find the
    /// number named in the sentence. Throws CollectiveError(does_not_fit), so all ranks must call it with the same
    /// values.
    void check(const MemoryPrediction& needed, int ranks, const std::function<MemoryPrediction(int ranks)>& needed_by,
               const std::function<int(int ranks)>& next_ranks) const;

  private:
    struct Kind {
        const char *of, *place, *remedy;  ///< words of the sentence
        std::uint64_t (MemoryPrediction::*bytes)() const;
        std::uint64_t free;     ///< bytes in one place
        std::uint64_t sharing;  ///< ranks in one place
        bool has_series;        ///< of rank 0
        /// What is left for the series of rank 0 if the rest fits; nothing if it does not.
        std::optional<std::uint64_t> left(const MemoryPrediction& needed) const;
        bool fits(const MemoryPrediction& needed) const;
    };
    std::vector<Kind> kinds_;
};

/// The refusal of a series for which too little is left, with the key and the value that would make it fit.
std::string series_sentence(const Recording& recording, std::uint64_t needed, std::uint64_t free,
                            const std::string& where);

/// The largest sums over all ranks, as one item each. Collective.
MemoryPrediction of_largest_rank(const Communicator& comm, const MemoryPrediction& mine);

}  // namespace strata
