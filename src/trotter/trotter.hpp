// SPDX-License-Identifier: BSD-3-Clause
// Real-time dynamics of spins 1/2 by the XYZ Trotter-Suzuki scheme (A. Dente, C. Bederian, P. Zangara, H. Pastawski, GPU
// accelerated Trotter-Suzuki solver for quantum spin dynamics). A step of the run is a step of the splitting. Steps
// share their outer diagonals: between two observations the state is left behind a transform, and only the last step
// before an observation closes the sequence (layers.hpp).
#pragma once

#include <functional>
#include <memory>

#include "comm/communicator.hpp"
#include "strata/application.hpp"
#include "trotter/drive.hpp"
#include "trotter/observation.hpp"
#include "trotter/plan.hpp"
#include "trotter/spin_state.hpp"
#include "trotter/splitting.hpp"

namespace strata::trotter {

/// Makes the state of a plan; phases of its work are closed in the timers. `plan` and the timers outlive the state.
using MakeState = std::function<std::unique_ptr<SpinState>(const TrotterPlan&, Timers&)>;

class Trotter : public Application {
  public:
    Trotter(TrotterPlan plan, const MakeState& make);

    std::vector<std::string> description() const override { return plan_.description(); }
    std::string backend() const override {
        return state_->backend() + (plan_.tuned().empty() ? "" : ", ") + plan_.tuned();
    }
    MemoryPrediction memory() const override { return plan_.memory(); }
    void allocate() override { state_->allocate(); }
    void initialise() override;
    std::vector<DistributedArray> state() override;
    void restored(std::uint64_t step) override;

    std::uint64_t total_steps() const override { return plan_.schedule().total_steps(); }
    std::string step_name() const override { return "steps"; }
    void step(std::uint64_t step) override;
    void finish() override { state_->finish(); }
    bool observes_start() const override { return true; }
    bool observes(std::uint64_t step) const override { return plan_.schedule().observes(step); }
    const std::vector<Column>& columns() const override { return observation_.columns(); }
    void observe(std::vector<double>& rows) override;
    std::string broken_invariant(std::span<const double> row) const override {
        return observation_.broken_invariant(row);
    }
    std::string remark() const override;
    std::vector<Quantity> results(const Series& series) const override { return observation_.results(series); }
    std::vector<Figure> performance(std::uint64_t steps, double seconds) const override;

  private:
    /// Appends the exponentials of a step.
    void append_step(std::uint64_t step);
    /// Whether the sequence of layers is closed after this step.
    bool closes(std::uint64_t step) const;
    /// One pass of the sequence under way, unless only the sequence is followed.
    enum class Work { done, skipped };
    void take_layers(Work work);
    void close_layers();
    void run_layers(LayerSequence& layers);

    void begin_round(std::uint64_t round);
    std::function<InitialState(std::uint64_t)> start_of_round(std::uint64_t round) const;
    /// Rows of the states as they are after so many steps of a round.
    void measure(std::uint64_t round, std::uint64_t steps_of_round);
    std::vector<double> correct_norms(const std::vector<Moments>& z);

    const TrotterPlan plan_;
    const Drive drive_;
    const std::vector<Stage> stages_;
    const Observation observation_;
    std::unique_ptr<SpinState> state_;
    LayerSequence layers_;
    std::uint64_t open_steps_ = 0;     ///< steps since the sequence was closed
    std::uint64_t passes_ = 0;         ///< of the sequence under way
    std::vector<double> start_norms_;  ///< [state] norm of the random amplitudes before they were normalised
    std::vector<double> norms_;        ///< [state] product of the factors by which its norm was corrected
    std::uint64_t row_bits_;           ///< of the layout in which the state of a checkpoint was left
    std::vector<double> rows_;         ///< measured, not yet observed
    double worst_norm_ = 0;            ///< largest |norm - 1| so far
};

}  // namespace strata::trotter
