// SPDX-License-Identifier: BSD-3-Clause
// Grand-canonical averages of a lattice: a purified state (state/purification.hpp) evolves in imaginary time from infinite
// temperature down, and a row of the series follows at every temperature. A second evolution with sweeps of twice the time and
// fewer states tells the errors. Specific heats are differences of energies just above and below a temperature.
#pragma once

#include "dmrg/run/expectation_values.hpp"
#include "dmrg/run/plan.hpp"
#include "dmrg/run/temperature_steps.hpp"
#include "dmrg/run/two_evolutions.hpp"
#include "strata/application.hpp"

namespace strata::dmrg {

/// An average of a thermal run.
struct ThermalQuantity {
    const char *name, *unit, *meaning;
    bool extensive;  ///< proportional to the number of sites
};

/// The averages of a model: those of charges where H conserves them.
std::vector<ThermalQuantity> thermal_quantities(const Model& model);
/// Number of values at a temperature.
std::size_t values_width(const DmrgConfig& config);

class Thermal : public Application, public Growing {
  public:
    /// `make` makes the operators of superblocks; `comm` must outlive the object. Collective.
    Thermal(const Communicator& comm, const DmrgPlan& plan, const superblock::MakeOperator& make);

    std::vector<std::string> description() const override { return plan_.description(); }
    std::string backend() const override { return plan_.backend_name(); }
    MemoryPrediction memory() const override { return plan_.memory(); }
    void allocate() override { evolutions_.use_disk(plan_.config().scratch_directory); }
    void initialise() override;
    std::vector<DistributedArray> state() override;
    void prepare_state(const std::vector<ArrayShape>& stored) override { evolutions_.resize(stored); }
    void restored(std::uint64_t step) override;

    std::uint64_t total_steps() const override { return total_steps_; }
    std::string step_name() const override { return "bonds"; }
    Outlook outlook() const override;
    void prepare_step(std::uint64_t) override { evolutions_.prepare(is_coarse(), place().bond); }
    void step(std::uint64_t step) override;
    bool observes(std::uint64_t) const override { return s_.rows_due > s_.rows; }
    bool ends_part(std::uint64_t) const override { return s_.bonds == 0; }
    const std::vector<Column>& columns() const override { return columns_; }
    void observe(std::vector<double>& rows) override;
    std::string broken_invariant(std::span<const double> row) const override;
    std::string log_line(std::span<const double> row) const override;
    std::string shortfall() const override;
    std::string remark() const override;
    std::vector<Quantity> results(const Series& series) const override;
    std::vector<Figure> performance(std::uint64_t steps, double seconds) const override;

    static std::vector<Column> columns_of(const DmrgConfig& config);

  private:
    struct State {
        std::uint64_t rows = 0, rows_due = 0;  ///< observed, and complete
        std::uint64_t bonds = 0;               ///< steps since the last complete row
        std::uint64_t states = 0;              ///< largest M since then
        double kept = 1, krylov_error = 0, worst = 0, worst_temperature = 0;
    };
    const Model& model() const { return plan_.config().model; }
    const EvolutionSettings& settings() const { return plan_.config().evolution; }
    std::uint64_t bonds_per_sweep() const { return 2 * (static_cast<std::uint64_t>(model().sites) - 1); }
    const TemperatureStep& temperature_step(bool coarse) const {
        return temperature_steps_[coarse][static_cast<std::size_t>(s_.rows_due)];
    }
    std::uint64_t bonds_of(bool coarse) const { return temperature_step(coarse).sweeps() * bonds_per_sweep(); }
    std::uint64_t bonds_of_row() const { return bonds_of(false) + (evolutions_.has_coarse() ? bonds_of(true) : 0); }
    bool is_coarse() const { return s_.bonds >= bonds_of(false); }
    std::uint64_t bond_of_evolution() const { return s_.bonds - (is_coarse() ? bonds_of(false) : 0); }
    SweepPlace place() const { return place_in_sweep(bond_of_evolution(), model().sites); }
    TdvpSettings tdvp_settings(bool coarse, Direction direction, double change) const;
    ExpectationValues expectation_values_of(bool coarse);
    void end_sweep(bool coarse, std::uint64_t part);
    void measure(bool coarse);
    double scale_of(const ThermalQuantity& q) const;
    Record record();

    const Communicator& comm_;
    const DmrgPlan plan_;
    const std::vector<TemperatureStep> temperature_steps_[2];  ///< [coarse]
    const std::uint64_t total_steps_;
    TwoEvolutions evolutions_;
    const std::vector<ThermalQuantity> quantities_;
    const std::vector<Column> columns_;
    State s_;
    /// [coarse] ln(Z / d^L) of the last temperature, <H - mu N> above and below it, and averages and local values at it.
    std::vector<double> log_norms_, above_, below_;
    std::vector<double> values_[2];
};

}  // namespace strata::dmrg
