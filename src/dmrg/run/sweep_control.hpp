// SPDX-License-Identifier: BSD-3-Clause
// What steers the sweeps of a state: M, noise and multiplications of a sweep, and whether it was the last one. All are
// functions of the settings and of the history of finished sweeps alone; rank 0 evaluates decide() and broadcasts it.
// A run without schedule increases M from sweep to sweep until the estimated error of the energy is below run.tolerance.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dmrg/job/config.hpp"
#include "dmrg/run/sweep_history.hpp"

namespace strata::dmrg {

/// What is decided after a sweep about those that follow.
struct SweepDecision {
    std::uint64_t next_states = 0;
    double extra_noise = 0;
    bool finished = false, converged = false;
};

/// Sweeps are counted from 0. Functions of the last sweep need at least one finished sweep.
class SweepControl {
  public:
    /// The references must outlive the object. `rounding`: bound of the rounding error of an energy.
    SweepControl(const DmrgConfig& settings, const SweepHistory& history, double rounding)
        : settings_(settings), history_(history), rounding_(rounding) {}

    /// True if M is chosen during the run.
    bool automatic() const { return settings_.schedule.empty(); }
    /// Largest number of sweeps of a state.
    std::uint64_t max_sweeps() const { return automatic() ? settings_.max_sweeps : settings_.schedule.size(); }

    /// Requested M of a sweep: from the schedule, or chosen at the end of the previous sweep.
    std::uint64_t requested_states(std::uint64_t sweep) const;
    double noise(std::uint64_t sweep) const;
    /// Largest number of multiplications per bond in a sweep. In a run without schedule it is doubled for every previous
    /// sweep that did not use all its states.
    std::uint64_t products(std::uint64_t sweep) const;

    /// M of the next sweep, 1.25 to 2 times the last one where M grows.
    std::uint64_t next_states() const;
    /// Factor by which M must grow for run.tolerance, if the discarded weight continues to fall with the power of M of
    /// the last sweeps; nothing if they do not determine it.
    std::optional<double> required_growth() const;
    /// Twice the energy that the last sweeps with noise and the sweeps after them have gained on the sweep before them,
    /// beyond twice the cost of its truncations. Nothing if there was no sweep with noise after one without.
    std::optional<double> gain_through_noise() const;
    /// True if, after a sweep without noise, the energy that further sweeps can gain, that was lost since an earlier
    /// sweep, or that sweeps with noise have gained, exceeds both half of run.tolerance and the error of the truncation.
    bool is_slow() const;
    /// True if the truncation is exact, so that a larger M cannot show that a lower state was missed, and no sweep with
    /// noise has followed a sweep without.
    bool is_unconfirmed() const;
    /// `mixture`: of a finished state that breaks a symmetry of H; sweeps with noise have tested automatic runs.
    double error_estimate(bool mixture = false) const;
    bool converged() const;
    bool finished() const;
    SweepDecision decide() const;

    /// True if the next sweep has a larger M and may begin the last group of sweeps of equal M.
    bool may_begin_last_states() const;
    /// M of all sweeps of the state, those that are finished and those that are predicted. `finished`: no more follow.
    std::vector<std::uint64_t> predicted_states(bool finished) const;

  private:
    bool has_unused_states() const;
    bool last_truncation_is_exact() const { return history_.truncations[history_.last()] < exact_truncation; }

    const DmrgConfig& settings_;
    const SweepHistory& history_;
    const double rounding_;
};

}  // namespace strata::dmrg
