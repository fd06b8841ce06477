// SPDX-License-Identifier: BSD-3-Clause
// Whole renormalizations inside a test program, step by step.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "dmrg/run/dmrg.hpp"
#include "dmrg/run/factory.hpp"
#include "dmrg/run/task.hpp"
#include "support/dmrg_jobs.hpp"
#include "support/runs.hpp"

namespace strata::dmrg {

inline std::unique_ptr<Dmrg> renormalization(const Communicator& comm, const std::string& job, int threads = 1) {
    const DmrgPlan plan(dmrg_job(job), comm.size(), threads);
    return std::make_unique<Dmrg>(comm, plan,
                                  superblock::host_operators({.simd = plan.config().simd, .seed = plan.config().seed}));
}

/// The application of an evolution in real or imaginary time.
inline std::unique_ptr<Application> evolution(const Communicator& comm, const DmrgPlan& plan,
                                              const superblock::MakeOperator& make) {
    return task_of(plan.config().task).make(comm, plan, make);
}

/// A renormalization that has ended, with its rows.
struct Finished {
    std::unique_ptr<Dmrg> system;
    Series series;

    Quantity quantity(const std::string& name) const { return strata::quantity(system->results(series), name); }
    double value(const std::string& name) const { return quantity(name).value.at(0); }
};

inline Finished finish(const Communicator& comm, const std::string& job, int threads = 1) {
    std::unique_ptr<Dmrg> system = renormalization(comm, job, threads);
    Series series = run_whole(*system);
    return {std::move(system), std::move(series)};
}

}  // namespace strata::dmrg
