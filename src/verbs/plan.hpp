// SPDX-License-Identifier: BSD-3-Clause
// What `strata plan` predicts of a job or a scan: the one description that its text and its JSON are made from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "strata/backend.hpp"
#include "strata/memory.hpp"
#include "study/layout.hpp"
#include "study/study_source.hpp"

namespace strata {

/// Sizes below one heading.
struct Sizes {
    std::string name;  ///< member of the JSON, e.g. host_memory
    std::string heading;
    std::vector<MemoryPrediction::Item> items;
    std::optional<std::uint64_t> total = {};         ///< none where a sum has no meaning
    std::optional<std::uint64_t> free_on_node = {};  ///< bytes that this node can still give
    enum class Shown { items_and_total, total } shown = Shown::items_and_total;  ///< lines of the text
};

/// Predicted needs on one backend.
struct Needs {
    BackendKind backend = BackendKind::cpu;
    std::string where;  ///< heading; empty for a scan
    std::vector<Sizes> sizes;
    std::uint64_t checkpoint_bytes = 0;  ///< checkpoints of all ranks, or of all groups of a scan
    std::uint64_t result_bytes = 0;      ///< series in the result; of a scan its whole file
    std::uint64_t scratch_bytes = 0;     ///< scratch file of a rank
    std::vector<std::string> traffic;    ///< lines
    std::uint64_t steps = 0;             ///< 0 for a scan
    std::string step_name;
    double seconds_per_step = 0;    ///< 0: unknown, or a scan
    double seconds = 0;             ///< time of the whole job, to an order of magnitude; 0: unknown
    std::vector<std::string> time;  ///< lines, the heading first; empty if nothing is known
};

/// Predicted times of the points of a scan; sums leave out those that are unknown.
struct PointTimes {
    double all = 0, longest = 0;  ///< seconds on one rank
    std::size_t unknown = 0;      ///< number of points of unknown cost
};

struct Plan {
    int ranks = 1, threads = 1;            ///< threads per rank
    std::vector<std::string> description;  ///< lines
    std::vector<Needs> needs;              ///< a scan has those of the CPU alone
    std::string reason_for_cpu;            ///< why no GPU is used; empty if there is nothing to say
    std::optional<StudyLayout> scan;       ///< groups and points of a scan
    PointTimes times;
};

/// Predicts the needs of a job on `ranks` ranks, which need not exist. May measure this machine. Throws Error for ranks
/// into which the job cannot be divided.
Plan plan_of(const Study& study, int ranks);

}  // namespace strata
