// SPDX-License-Identifier: BSD-3-Clause
// Averages at finite temperature in a sector of fixed particle numbers, by the finite-temperature Lanczos method (J.
// Jaklic, P. Prelovsek, Phys. Rev. B 49, 5065 (1994)): the trace is sampled by random vectors, and the Lanczos
// recurrence of each gives <r| exp(-H/T) |r>. Statistical errors are estimated by the jackknife over the vectors, and
// the error of too few steps by a second quadrature: Gauss and Gauss-Radau rules bracket each expectation value of
// exp(-H/T), and the averages of both are compared. In a sector of lattice symmetries the trace is that of this sector;
// ThermalSum adds up the traces of several sectors. Observed operators are averaged in one of two ways
// (physics/observed_averages.hpp): Thermal takes <r| exp(-H/T) O |r>, LowTemperature <r| exp(-H/2T) O exp(-H/2T) |r>.
#pragma once

#include "krylov/recurrence_table.hpp"
#include "lanczos/physics/thermal_averages.hpp"
#include "lanczos/run/operator_means.hpp"
#include "lanczos/run/sector_sequence.hpp"
#include "lanczos/run/sector_traces.hpp"
#include "lanczos/run/task.hpp"

namespace strata::lanczos {

/// Adds errors of the chemical potential and of [observables], by random vectors in either way. Throws as read_observables().
void check_thermal_sector(const Config& config, const LanczosConfig& c, const Model& model, InputErrors& found);
/// The columns of averages, then those of values, errors and errors by too few steps of observed operators.
std::vector<Column> thermal_columns(const ObservableLists& observed, const LanczosConfig& c);

/// What both ways share: recurrences of random vectors, and rows of their averages.
class SampledAverages : public LanczosTask {
  public:
    std::vector<std::string> description() const override;
    /// All rows, one for every temperature, are observed after the last step.
    bool observes(std::uint64_t) const override { return s_.sample == samples_; }
    const std::vector<Column>& columns() const override { return columns_; }
    void observe(std::vector<double>& rows) override;
    std::string broken_invariant(std::span<const double> row) const override;
    std::string remark() const override;
    std::vector<Quantity> results(const Series& series) const override;

    /// Coefficients of the recurrences, one per sample.
    const krylov::RecurrenceTable& table() const { return table_; }
    /// What averages of observed operators are made of; one of both holds no operators.
    const OverlapTable& overlaps() const { return overlaps_; }
    const StateMeans& means_of_states() const { return of_states_; }

  protected:
    /// `first_stream`: stream of the first random vector; sectors whose traces are added need different streams.
    SampledAverages(const LanczosPlan& plan, const MakeHamiltonian& make, std::uint64_t first_stream);

    struct State {
        std::uint64_t sample = 0;      ///< index of the current random vector
        std::uint64_t repetition = 0;  ///< index of its recurrence
        std::uint64_t steps = 0;       ///< number of steps done
        std::uint64_t rows = 0;        ///< number of temperatures observed
        krylov::RecurrenceState recurrence;
    };
    /// Levels of all samples, with what averages of observed operators are made of. On rank 0.
    SectorSamples all_samples();
    TracedSector traced() const;
    std::size_t operators() const { return observed_.places.size(); }
    /// Draws the vector of this sample and begins its recurrence. Collective.
    void begin_sample(krylov::RecurrenceState& recurrence);

    const std::size_t samples_;
    const std::uint64_t first_stream_;
    State s_;
    krylov::RecurrenceTable table_;
    OperatorMeans means_;
    const ObservedPlaces observed_;
    OverlapTable overlaps_;
    StateMeans of_states_;
    const std::vector<Column> columns_;
    mutable std::string on_samples_;  ///< remark of the last results
};

class Thermal : public SampledAverages {
  public:
    Thermal(const LanczosPlan& plan, const MakeHamiltonian& make, std::uint64_t first_stream = 0);

    void allocate() override;
    void initialise() override;
    std::vector<DistributedArray> state() override;
    void restored(std::uint64_t step) override;
    /// Upper bound of the steps of all recurrences; smaller once a Krylov space has ended early.
    std::uint64_t total_steps() const override;
    void step(std::uint64_t step) override;

  private:
    void make_images();
    /// Calls `use` with every operator of this repetition and its vector O r.
    template <class Use>
    void for_each_image(Use use);

    krylov::DistributedVector random_;
    std::vector<krylov::DistributedVector> images_;
};

/// Each random vector has a recurrence for its coefficients, then one for every `states_at_once` temperatures, which adds
/// up their states; after the latter each operator takes one step, in which it is multiplied with all of these states.
class LowTemperature : public SampledAverages {
  public:
    /// Number of states exp(-H/2T) |r> that are kept together.
    static constexpr std::size_t states_at_once = 16;

    LowTemperature(const LanczosPlan& plan, const MakeHamiltonian& make, std::uint64_t first_stream = 0);

    void allocate() override;
    void initialise() override;
    std::vector<DistributedArray> state() override;
    /// The states are not stored: the recurrence is repeated.
    void restored(std::uint64_t step) override;
    /// Upper bound of the steps; smaller once a Krylov space has ended early.
    std::uint64_t total_steps() const override;
    void step(std::uint64_t step) override;

  private:
    /// Index of the first temperature of this repetition, of which number 0 is the recurrence for the coefficients.
    std::size_t first_temperature() const { return (s_.repetition - 1) * states_at_once; }
    /// Number of its temperatures.
    std::size_t together() const;
    void begin_states(krylov::RecurrenceState& recurrence);
    void add_to_states(std::size_t step);
    void recurrence_step();
    void measure();
    void end_repetition();

    std::uint64_t measures_ = 0;        ///< 1: the states of this repetition are complete
    std::uint64_t measured_ = 0;        ///< number of operators that have been measured in them
    krylov::RecurrenceTable again_;     ///< the repeated recurrence
    std::vector<double> coefficients_;  ///< [temperature of this repetition][step]
    std::vector<krylov::DistributedVector> states_;
};

/// The sum by random vectors. Where the momenta of a star, or sectors with all spins inverted, have the same energies,
/// the vectors of one of them represent all, unless operators are observed, which may distinguish them.
class ThermalSum : public SectorSequence {
  public:
    /// Collective.
    ThermalSum(const LanczosConfig& config, int ranks, int rank, int threads, MakeHamiltonian make);

    std::vector<std::string> description() const override;
    bool observes(std::uint64_t) const override { return all_done(); }
    const std::vector<Column>& columns() const override { return columns_; }
    void observe(std::vector<double>& rows) override;
    std::string broken_invariant(std::span<const double> row) const override;
    std::string remark() const override { return on_samples_; }
    std::vector<Quantity> results(const Series& series) const override;

  private:
    std::unique_ptr<LanczosTask> make_task(std::uint64_t sector) override;
    void keep_result() override;
    void add_kept(std::vector<DistributedArray>& arrays) override;
    bool of_states() const { return config().thermal.method == TraceMethod::low_temperature; }
    /// Levels of the samples of all sectors. On rank 0.
    std::vector<SectorSamples> all_samples();

    const ObservableLists lists_;
    const std::vector<Column> columns_;
    const SampledAverages* current_ = nullptr;  ///< task of the current part
    std::uint64_t rows_ = 0;                    ///< number of temperatures observed
    krylov::RecurrenceTable table_;             ///< [sector][sample]
    std::vector<ObservedPlaces> observed_;      ///< [sector]
    OverlapTable overlaps_;                     ///< [sector][sample]
    StateMeans of_states_;                      ///< [sector][sample]
    mutable std::string on_samples_;            ///< remark of the last results
};

}  // namespace strata::lanczos
