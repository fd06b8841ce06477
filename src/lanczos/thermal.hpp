// SPDX-License-Identifier: BSD-3-Clause
// Averages at finite temperature in a sector of fixed particle numbers, by the finite-temperature Lanczos method (J.
// Jaklic, P. Prelovsek, Phys. Rev. B 49, 5065 (1994)): the trace is sampled by random vectors, and the Lanczos
// recurrence of each gives <r| exp(-H/T) |r>. Statistical errors by the jackknife over the vectors. What too few steps
// leave out is shown by a second quadrature: Gauss' and Gauss-Radau's rules bracket each expectation value of
// exp(-H/T), and the averages of both are compared. In a sector of lattice symmetries the trace is that of this sector;
// ThermalSum adds up those of all momenta.
#pragma once

#include "krylov/recurrence_table.hpp"
#include "lanczos/momentum_search.hpp"
#include "lanczos/sector_sequence.hpp"
#include "lanczos/task.hpp"
#include "lanczos/thermal_averages.hpp"

namespace strata::lanczos {

class Thermal : public LanczosTask {
  public:
    /// `first_stream`: of the random vectors, which differ for sectors that are summed over.
    Thermal(const LanczosPlan& plan, const MakeHamiltonian& make, std::uint64_t first_stream = 0);

    std::vector<std::string> description() const override;
    void allocate() override { hamiltonian_.allocate(); }
    void initialise() override;
    std::vector<DistributedArray> state() override;

    /// The steps of all recurrences, fewer where a Krylov space ends early.
    std::uint64_t total_steps() const override;
    void step(std::uint64_t step) override;
    /// After the last step: one row for every temperature.
    bool observes(std::uint64_t) const override { return s_.sample == samples_; }
    const std::vector<Column>& columns() const override { return thermal_columns(); }
    void observe(std::vector<double>& rows) override;
    std::string broken_invariant(std::span<const double> row) const override;
    std::string remark() const override;
    std::vector<Quantity> results(const Series& series) const override { return thermal_results(series); }

    /// One recurrence per sample.
    const krylov::RecurrenceTable& table() const { return table_; }

  private:
    struct State {
        std::uint64_t sample = 0;  ///< recurrence under way
        std::uint64_t steps = 0;   ///< steps of all recurrences
        std::uint64_t rows = 0;    ///< temperatures observed
        krylov::RecurrenceState recurrence;
    };

    const std::size_t samples_;
    const std::uint64_t first_stream_;
    State s_;
    krylov::RecurrenceTable table_;
};

/// The same over all momenta, from random vectors in each of their sectors. Where k and -k have the same energies, the
/// vectors of one of them stand for both.
class ThermalSum : public SectorSequence {
  public:
    /// `config.symmetry` names all momenta and nothing else. Collective.
    ThermalSum(const LanczosConfig& config, int ranks, int rank, int threads, MakeHamiltonian make);

    std::vector<std::string> description() const override;
    MemoryPrediction memory() const override;
    bool observes(std::uint64_t) const override { return all_done(); }
    const std::vector<Column>& columns() const override { return thermal_columns(); }
    void observe(std::vector<double>& rows) override;
    std::string broken_invariant(std::span<const double> row) const override { return task().broken_invariant(row); }
    std::vector<Quantity> results(const Series& series) const override { return thermal_results(series); }

  private:
    std::uint64_t parts() const override { return sectors_.size(); }
    std::unique_ptr<LanczosTask> make_task(std::uint64_t sector) override;
    void keep_result() override;
    void add_kept(std::vector<DistributedArray>& arrays) override;

    const LanczosConfig config_;
    const int ranks_, rank_, threads_;
    const MakeHamiltonian make_;
    const std::vector<MomentumSector> sectors_;
    const Thermal* current_ = nullptr;  ///< the task of the part under way
    std::uint64_t rows_ = 0;            ///< temperatures observed
    krylov::RecurrenceTable table_;     ///< [sector][sample]
};

}  // namespace strata::lanczos
