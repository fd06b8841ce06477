// SPDX-License-Identifier: BSD-3-Clause
// Counted work of a sweep of the rank with the largest slab.
#pragma once

#include "strata/work.hpp"
#include "swendsen_wang/state/plan.hpp"

namespace strata::swendsen_wang {

/// Seconds of one reference core for the updates of a slab, with its share of observations.
double update_seconds(const SwendsenWangPlan& plan);

/// Seconds of an H100 for a sweep of a slab without observation; 0, which is unknown, where spins are updated one by one.
double device_update_seconds(const SwendsenWangPlan& plan);

/// Bytes of memory that a sweep of a slab reads and writes on a host, by counting arrays.
double host_sweep_bytes(const SwendsenWangPlan& plan);

Work count_work(const SwendsenWangPlan& plan);

}  // namespace strata::swendsen_wang
