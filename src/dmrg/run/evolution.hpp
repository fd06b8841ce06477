// SPDX-License-Identifier: BSD-3-Clause
// Time evolution of a matrix product state as an application: one step updates one bond, and a row of the series follows
// whenever a time step is complete. A second evolution with sweeps of twice the time and fewer states, over the same time
// after the first one, tells the errors. A search for the initial ground state, if there is one, comes before.
#pragma once

#include <memory>

#include "dmrg/run/dmrg.hpp"
#include "dmrg/run/expectation_values.hpp"
#include "dmrg/run/two_evolutions.hpp"

namespace strata::dmrg {

class Evolution : public Application, public Growing, public Remeasured {
  public:
    /// `make` makes the operators of superblocks; `comm` must outlive the object. Collective.
    Evolution(const Communicator& comm, const DmrgPlan& plan, const superblock::MakeOperator& make);

    std::vector<std::string> description() const override { return plan_.description(); }
    std::string backend() const override { return plan_.backend_name(); }
    MemoryPrediction memory() const override { return plan_.memory(); }
    void allocate() override;
    void initialise() override;
    std::vector<DistributedArray> state() override;
    void prepare_state(const std::vector<ArrayShape>& stored) override;
    void restored(std::uint64_t step) override;
    std::vector<DistributedArray> final_state(const std::vector<ArrayShape>& stored) override;
    std::optional<std::uint64_t> begin_with_final_state(std::uint64_t step) override;
    bool observes_final_state() const override { return observes(0); }

    std::uint64_t total_steps() const override;
    std::string step_name() const override { return "bonds"; }
    Outlook outlook() const override;
    void prepare_step(std::uint64_t step) override;
    void step(std::uint64_t step) override;
    bool observes_start() const override { return search_ == nullptr; }
    bool observes(std::uint64_t) const override { return s_.rows_due > s_.rows; }
    bool ends_part(std::uint64_t step) const override;
    const std::vector<Column>& columns() const override { return columns_; }
    void observe(std::vector<double>& rows) override;
    std::string broken_invariant(std::span<const double> row) const override;
    std::string log_line(std::span<const double> row) const override;
    std::string shortfall() const override;
    std::string remark() const override;
    std::vector<Quantity> results(const Series& series) const override;
    std::vector<Figure> performance(std::uint64_t steps, double seconds) const override;

    static std::vector<Column> columns_of(const DmrgConfig& config);

  protected:
    Evolution(const Communicator& comm, const DmrgPlan& plan, const superblock::MakeOperator& make,
              std::vector<Column> columns);
    /// Progress, which a checkpoint holds.
    struct State {
        std::uint64_t rows = 0, rows_due = 0;  ///< observed, and reached by the state, the start included
        std::uint64_t bonds = 0;               ///< steps since the last row
        std::uint64_t states = 0;              ///< largest M since the last row
        std::uint64_t search_steps = 0, searched_well = 1, starts_mixed = 0;
        double kept = 1;          ///< product of the kept weights of all truncations
        double krylov_error = 0;  ///< bound of the norm of the errors of exponentials
        double first_energy = 0;  ///< <H(t)> at time 0
        double step_error = 0;    ///< twice the largest difference of a local value between the two evolutions
        double worst = 0;         ///< largest of the errors that evolution.tolerance bounds, of all rows
        double worst_time = -1;   ///< first time at which one was above it; -1: none was
        double search_energy = 0, search_error = 0;
        double energy_error = 0;  ///< twice the largest difference of <H(t)> between the two evolutions, of a driven H
        double initial_norm = 0;  ///< norm of the operator on the initial state
        double moment = 0;        ///< first moment of a spectrum by the rows so far
    };
    const Model& model() const { return plan_.config().model; }
    const EvolutionSettings& settings() const { return plan_.config().evolution; }
    const Tdvp& fine() const { return evolutions_.of(false); }
    double time() const { return static_cast<double>(s_.rows_due - 1) * settings().step; }
    bool started() const { return s_.rows_due > 0; }
    /// Settings at a bond step of a row, counted for each evolution from 0.
    TdvpSettings tdvp_settings(bool coarse, std::uint64_t bond) const;
    /// Compares the largest error of a row with evolution.tolerance.
    void judge(double worst, double at_time);
    /// What is judged.
    virtual std::string judged() const;
    /// Whether the state that rows are compared with is the ground state, and not that on which the operator has acted.
    virtual bool keeps_ground_state() const { return false; }
    /// The error of a resumed run that ends before its checkpoint; empty if it does not.
    virtual std::string too_short() const;

    const DmrgPlan plan_;
    TwoEvolutions evolutions_;
    std::unique_ptr<Measurement> first_;  ///< the state at time 0 that rows are compared with
    State s_;

  private:
    std::uint64_t bonds_per_sweep() const { return 2 * (static_cast<std::uint64_t>(model().sites) - 1); }
    std::uint64_t bonds_per_row(bool coarse) const;
    /// Which evolution a bond step of a row belongs to.
    bool is_coarse(std::uint64_t bond_of_row) const { return bond_of_row >= bonds_per_row(false); }
    SweepPlace place_of(std::uint64_t bond_of_row) const { return place_in_sweep(bond_of_row, model().sites); }
    bool is_driven() const { return !settings().driven.empty(); }
    /// Whether checkpoints hold the state at time 0: a product state is made again.
    bool is_stored() const { return settings().op || settings().initial.start == InitialStateKind::ground_state; }
    void begin(const std::vector<SiteTensor>* tensors);
    void end_search(std::uint64_t steps);
    void set_first_state(const ChainState& chain);
    void restore_first_state();
    std::vector<double> local_values(const Measurement& m) const;
    double energy(const ExpectationValues& values, std::span<const double> factors) const;
    void append_entropies(const ExpectationValues& values, std::vector<double>& row) const;
    Record record();

    const Communicator& comm_;
    std::unique_ptr<Dmrg> search_;  ///< null without a search, and after it
    PackedState packed_first_;
    const std::vector<Column> columns_;
};

}  // namespace strata::dmrg
