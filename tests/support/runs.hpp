// SPDX-License-Identifier: BSD-3-Clause
// Applications that are run step by step, with their observed rows.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "strata/application.hpp"

namespace strata {

/// Appends the rows of an observation to a series.
inline void observe(Application& system, Series& series) {
    std::vector<double> rows;
    system.observe(rows);
    const std::size_t width = series.width();
    for (std::size_t at = 0; at < rows.size(); at += width) {
        EXPECT_EQ(system.broken_invariant({rows.data() + at, width}), "");
        series.append({rows.data() + at, width});
    }
}

/// Runs the steps from `first` on, to the end or to the step before `last`; returns the observed rows.
inline Series run_steps(Application& system, std::uint64_t first, std::uint64_t last = UINT64_MAX) {
    Series series(system.columns());
    if (first == 0 && system.observes_start()) observe(system, series);
    for (std::uint64_t step = first; step < std::min(last, system.total_steps()); ++step) {
        if (auto* growing = optional_of<Growing>(system)) growing->prepare_step(step);
        system.step(step);
        if (system.observes(step)) observe(system, series);
    }
    return series;
}

/// Allocates a system, sets its first state and runs all steps; returns the observed rows.
inline Series run_whole(Application& system) {
    system.allocate();
    system.initialise();
    return run_steps(system, 0);
}

/// The result of that name.
inline Quantity quantity(const std::vector<Quantity>& results, const std::string& name) {
    for (const Quantity& q : results)
        if (q.name == name) return q;
    ADD_FAILURE() << name << " is missing";
    return {name, "", "", {0}};
}

}  // namespace strata
