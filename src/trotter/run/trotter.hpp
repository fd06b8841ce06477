// SPDX-License-Identifier: BSD-3-Clause
// Real-time dynamics of spins 1/2 by the XYZ Trotter-Suzuki scheme (A. Dente, C. Bederian, P. Zangara, H. Pastawski,
// GPU accelerated Trotter-Suzuki solver for quantum spin dynamics). A step of the run is a step of the splitting. On
// request a second evolution from the same start makes two steps of half the size: the error of a number that falls as
// dt^p is 2^p / (2^p - 1) times the difference of the two (Richardson).
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "strata/application.hpp"
#include "trotter/run/distance.hpp"
#include "trotter/run/energy_watch.hpp"
#include "trotter/run/ensemble_target.hpp"
#include "trotter/run/evolution.hpp"

namespace strata::trotter {

class Trotter : public Application, public EndObserving, public Remeasured {
  public:
    Trotter(TrotterPlan plan, const MakeState& make);

    std::vector<std::string> description() const override { return plan_.description(); }
    std::string backend() const override {
        return evolution_.states().backend() + (plan_.tuned().empty() ? "" : ", ") + plan_.tuned();
    }
    MemoryPrediction memory() const override { return plan_.memory(); }
    void allocate() override;
    void initialise() override;
    std::vector<DistributedArray> state() override;
    void restored(std::uint64_t step) override;
    std::vector<DistributedArray> final_state(const std::vector<ArrayShape>& stored) override;
    std::optional<std::uint64_t> begin_with_final_state(std::uint64_t step) override;
    bool observes_final_state() const override { return true; }
    void resume_series(std::uint64_t steps, Series& series) override;

    std::uint64_t total_steps() const override { return rounds_ * plan_.schedule().steps_per_round(); }
    std::string shortfall() const override;
    std::string step_name() const override { return "steps"; }
    void step(std::uint64_t step) override;
    void finish() override;
    bool observes_start() const override { return true; }
    bool observes(std::uint64_t step) const override { return plan_.schedule().observes(step); }
    const std::vector<Column>& columns() const override { return observation_.columns(); }
    void observe(std::vector<double>& rows) override;
    std::string broken_invariant(std::span<const double> row) const override {
        const std::string broken = observation_.broken_invariant(row);
        return broken.empty() ? watch_.broken() : broken;
    }
    std::string remark() const override;
    std::vector<Quantity> results(const Series& series) const override { return observation_.results(series); }
    std::vector<Figure> performance(std::uint64_t steps, double seconds) const override;

  private:
    /// Sets the states of a batch of samples to time 0 and measures them.
    void begin_round(std::uint64_t round);
    /// Removes the row at the end of a shorter run that this one does not observe (Application::resume_series).
    void drop_early_end(std::uint64_t steps, Series& series) const;
    /// Ends the run after this batch of samples if the target of the ensemble is reached. Collective.
    void judge_round(std::uint64_t round);
    Evolution::Start start_of_round(std::uint64_t round) const;
    /// Appends to rows_ one row for every state, measured after `steps_of_round` steps of a batch. Collective.
    void measure(std::uint64_t round, std::uint64_t steps_of_round);

    const TrotterPlan plan_;
    const Observation observation_;
    EnergyWatch watch_;
    Evolution evolution_;
    std::optional<Evolution> half_steps_;
    std::optional<StateDistance> distance_;  ///< between the evolutions with the step and with half of it
    std::optional<Entanglement> entanglement_;
    std::optional<ExpectationValues> own_;  ///< set with [observables]
    std::optional<EnsembleTarget> target_;
    std::uint64_t rounds_;         ///< batches of the run, fewer than planned once the target is reached
    std::vector<double> rows_;     ///< measured rows that observe() has not returned yet
    bool measured_again_ = false;  ///< the state is that of another run, whose rows are not known
    double state_error_ = 0;       ///< estimated at the last observation, the largest of all states
};

}  // namespace strata::trotter
