// SPDX-License-Identifier: BSD-3-Clause
// States and their motion by a splitting. Steps share their outer diagonals: between two observations the states are left
// behind a transform, and only the last step before an observation closes the sequence (layers.hpp). A job that estimates
// its errors has a second evolution, which makes every step of the run in two parts. Instead of a splitting a Chebyshev
// series may take the states forward; they are closed after each of its steps.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <memory>

#include "trotter/chebyshev.hpp"
#include "trotter/drive.hpp"
#include "trotter/entanglement.hpp"
#include "trotter/observation.hpp"
#include "trotter/plan.hpp"
#include "trotter/spin_state.hpp"
#include "trotter/splitting.hpp"

namespace strata::trotter {

/// What is observed of all states at one time, [state]. Lists that are not needed are empty.
struct Snapshot {
    std::vector<double> norms;
    std::array<std::vector<Moments>, 3> moments;  ///< [index_of(Axis)]
    std::vector<double> echoes, entropies;

    Measured of_state(std::size_t state) const;
};

/// Makes the states of a plan; phases of their work are closed in the timers. `plan` and the timers outlive the states.
using MakeState = std::function<std::unique_ptr<SpinState>(const TrotterPlan&, Timers&)>;

class Evolution {
  public:
    using Start = std::function<InitialState(std::uint64_t)>;

    /// A step of the run is made in `parts` equal steps of the splitting. `plan`, `drive` and `timers` must outlive the
    /// object.
    Evolution(const TrotterPlan& plan, const Drive& drive, int parts, const MakeState& make, Timers& timers);

    void allocate();

    SpinState& states() { return *state_; }
    const SpinState& states() const { return *state_; }
    /// Sets the states to start(number of the state), normalised.
    void begin(const Start& start);
    /// The steps of a run, one after another. The sequence is closed after the last one before an observation.
    void step(std::uint64_t step, bool observed);
    /// Observes closed states. In single precision their norm is set back to 1.
    Snapshot measure(const Observation& wanted, const Start& start, Entanglement* entanglement);

    /// Arrays of a checkpoint, whose names end in `suffix`; they now hold the states after `step` steps.
    std::vector<DistributedArray> arrays(const std::string& suffix);
    void restored(std::uint64_t step);
    double worst_norm() const { return worst_norm_; }

  private:
    /// Appends the exponentials of a step.
    void append_step(std::uint64_t step);
    /// One pass of the sequence under way, unless only the sequence is followed.
    enum class Work { done, skipped };
    void take_layers(Work work);
    /// The light-cone pass of the diagonals that wait: the one of the pass before, and those of this one.
    enum class Pass { between, last };
    void light_cone_pass(Pass which, Work work);
    void close_light_cone(std::deque<Phases>& rest);
    void close_layers();
    Group next_group() const { return passes_ % 2 == 0 ? Group::within_row : Group::across_rows; }
    std::vector<double> correct_norms(const std::vector<Moments>& z);

    const TrotterPlan& plan_;
    const Drive& drive_;
    const int parts_;
    const std::vector<Stage> stages_;
    std::unique_ptr<SpinState> state_;
    std::optional<Chebyshev> chebyshev_;  ///< instead of the splitting
    LayerSequence layers_;
    std::deque<Phases> waiting_;       ///< diagonals that a light-cone pass has not, or not wholly, applied
    std::uint64_t open_steps_ = 0;     ///< steps since the sequence was closed
    std::uint64_t passes_ = 0;         ///< of the sequence under way
    std::vector<double> start_norms_;  ///< [state] norm of the random amplitudes before they were normalised
    std::vector<double> norms_;        ///< [state] product of the factors by which its norm was corrected
    std::uint64_t row_bits_;           ///< of the layout in which the state of a checkpoint was left
    std::uint64_t light_cone_;         ///< whether it was left by light-cone passes
    double worst_norm_ = 0;            ///< largest |norm - 1| so far
};

}  // namespace strata::trotter
