// SPDX-License-Identifier: BSD-3-Clause
// The counted work of one step, from which src/prediction computes times on machines that need not exist. Core seconds
// are those of the reference core, on which the applications' rates were measured (perf/notebook.md).
#pragma once

namespace strata {

/// To which ranks a rank sends its bytes.
enum class Pattern { neighbours, all };  ///< the two next to it in a ring, or all others in equal parts

/// Work of the busiest rank in one step.
struct Work {
    double core_seconds = 0;    ///< computation that the threads of the rank share, without waiting for memory
    double memory_bytes = 0;    ///< bytes of main memory read and written
    double serial_seconds = 0;  ///< computation on one thread while other threads, or all ranks, wait
    double imbalance = 1;       ///< core_seconds of this rank over the mean of all ranks
    double messages = 0;        ///< messages that the rank sends one after another
    double collectives = 0;     ///< sums over all ranks, and other calls with log2(ranks) messages in a row
    double sent_bytes = 0;      ///< bytes that the rank sends if no rank shares its node
    Pattern pattern = Pattern::all;
    bool shares_memory = false;  ///< ranks of one node work in shared memory and send each other nothing
};

}  // namespace strata
