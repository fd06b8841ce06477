// SPDX-License-Identifier: BSD-3-Clause
// States and their evolution by a splitting. Consecutive steps share their outer diagonals: between two observations
// the sequence of layers (layers.hpp) stays open, and the last step before an observation closes it. A job that
// estimates its errors has a second evolution, which divides every step of the run into two. A Chebyshev series can
// replace the splitting; its steps leave no open sequence.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <memory>

#include "trotter/physics/drive.hpp"
#include "trotter/physics/splitting.hpp"
#include "trotter/run/chebyshev.hpp"
#include "trotter/run/entanglement.hpp"
#include "trotter/run/expectation_values.hpp"
#include "trotter/run/observation.hpp"
#include "trotter/state/plan.hpp"
#include "trotter/state/spin_state.hpp"

namespace strata::trotter {

/// Measured values of all states at one time, [state]; lists that are not needed are empty.
struct Snapshot {
    std::vector<double> norms;
    std::array<std::vector<Moments>, 3> moments;  ///< [index_of(Axis)]
    std::vector<double> echoes, entropies;
    std::vector<double> own;  ///< [state][ObservedProducts::numbers()]

    /// Values of one state, with pointers into this Snapshot.
    Measured of_state(std::size_t state) const;
};

/// Function that makes the states of a plan; they record the phases of their work in the timers. The plan and the
/// timers must outlive the states.
using MakeState = std::function<std::unique_ptr<SpinState>(const TrotterPlan&, Timers&)>;

class Evolution {
  public:
    using Start = std::function<InitialState(std::uint64_t)>;

    /// Every step of the run is divided into `parts` equal steps of the splitting. `plan` and `timers` must
    /// outlive the object.
    Evolution(const TrotterPlan& plan, int parts, const MakeState& make, Timers& timers);

    void allocate();

    SpinState& states() { return *state_; }
    const SpinState& states() const { return *state_; }
    /// Sets the states to start(number of the state), normalised.
    void begin(const Start& start);
    /// Makes step `step` of the run; steps follow one another in ascending order. If the states are observed after it,
    /// the sequence is closed.
    void step(std::uint64_t step, bool observed);
    /// Measures the states, whose sequence must be closed. In single precision their norms are then reset to 1.
    /// `entanglement` is null if the entropy is not observed, `own` without [observables]. Collective.
    Snapshot measure(const Observation& requested, const Start& start, Entanglement* entanglement,
                     ExpectationValues* own);

    /// Arrays of a checkpoint; their names end in `suffix`.
    std::vector<DistributedArray> arrays(const std::string& suffix);
    /// Resumes after `step` steps, once the arrays have been read. Throws Error(bad_input) if the sequence was left
    /// open by passes of another layout.
    void restored(std::uint64_t step);
    double worst_norm() const { return worst_norm_; }

  private:
    /// Appends the exponentials of a step.
    void append_step(std::uint64_t step);
    /// Whether passes are run, or only the sequence advances, as it did before a checkpoint.
    enum class Work { done, skipped };
    /// Runs the passes of all diagonals of the sequence that are final.
    void take_layers(Work work);
    /// Runs a light-cone pass with the first diagonals of waiting_: D_{2p-1}, D_2p and D_{2p+1}; the first pass of a
    /// sequence lacks D_{2p-1}, the last one D_{2p+1}.
    enum class Pass { between, last };
    void light_cone_pass(Pass which, Work work);
    /// Runs the last light-cone passes of the sequence; `rest` returns the diagonals that remain for plain passes.
    void close_light_cone(std::deque<Phases>& rest);
    /// Runs all remaining passes of the sequence and begins a new one.
    void close_layers();
    Group next_group() const { return passes_ % 2 == 0 ? Group::within_row : Group::across_rows; }
    std::vector<double> correct_norms(const std::vector<Moments>& z);

    const TrotterPlan& plan_;
    const int parts_;
    const std::vector<Stage> stages_;
    std::unique_ptr<SpinState> state_;
    std::optional<Chebyshev> chebyshev_;  ///< replaces the splitting if set
    LayerSequence layers_;
    std::deque<Phases> waiting_;       ///< diagonals that light-cone passes have not applied, or only in part
    std::uint64_t open_steps_ = 0;     ///< steps since the sequence was closed
    std::uint64_t passes_ = 0;         ///< passes of the open sequence that have been run
    std::vector<double> start_norms_;  ///< [state] norm of the random amplitudes before they were normalised
    std::vector<double> norms_;        ///< [state] product of the factors by which its norm was corrected
    std::uint64_t row_bits_;           ///< row bits of the passes that made the amplitudes of a checkpoint
    std::uint64_t light_cone_;         ///< window_version if these were light-cone passes, else 0
    double worst_norm_ = 0;            ///< largest |norm - 1| so far
};

}  // namespace strata::trotter
