// SPDX-License-Identifier: BSD-3-Clause
// Averages at finite temperature in a sector of fixed particle numbers, by the finite-temperature Lanczos method (J.
// Jaklic, P. Prelovsek, Phys. Rev. B 49, 5065 (1994)): the trace is sampled by random vectors, and the Lanczos
// recurrence of each gives <r| exp(-H/T) |r>. Statistical errors are estimated by the jackknife over the vectors, and
// the error of too few steps by a second quadrature: Gauss and Gauss-Radau rules bracket each expectation value of
// exp(-H/T), and the averages of both are compared. In a sector of lattice symmetries the trace is that of this sector;
// ThermalSum adds up the traces of several sectors.
#pragma once

#include "krylov/recurrence_table.hpp"
#include "lanczos/physics/thermal_averages.hpp"
#include "lanczos/run/operator_means.hpp"
#include "lanczos/run/sector_sequence.hpp"
#include "lanczos/run/sector_traces.hpp"
#include "lanczos/run/task.hpp"

namespace strata::lanczos {

class Thermal : public LanczosTask {
  public:
    /// `first_stream`: stream of the first random vector; sectors whose traces are added need different streams.
    Thermal(const LanczosPlan& plan, const MakeHamiltonian& make, std::uint64_t first_stream = 0);

    std::vector<std::string> description() const override;
    void allocate() override;
    void initialise() override;
    std::vector<DistributedArray> state() override;
    void restored(std::uint64_t step) override;

    /// Upper bound of the steps of all recurrences; smaller once a Krylov space has ended early.
    std::uint64_t total_steps() const override;
    void step(std::uint64_t step) override;
    /// All rows, one for every temperature, are observed after the last step.
    bool observes(std::uint64_t) const override { return s_.sample == samples_; }
    const std::vector<Column>& columns() const override { return columns_; }
    void observe(std::vector<double>& rows) override;
    std::string broken_invariant(std::span<const double> row) const override;
    std::string remark() const override;
    std::vector<Quantity> results(const Series& series) const override;

    /// Coefficients of the recurrences, one per sample.
    const krylov::RecurrenceTable& table() const { return table_; }

  private:
    struct State {
        std::uint64_t sample = 0;      ///< index of the current random vector
        std::uint64_t repetition = 0;  ///< index of its recurrence, of which each serves some observed operators
        std::uint64_t steps = 0;       ///< number of steps done in all recurrences
        std::uint64_t rows = 0;        ///< number of temperatures observed
        krylov::RecurrenceState recurrence;
    };
    void make_images();
    /// Calls `use` with every operator of this repetition and its vector O r.
    template <class Use>
    void for_each_image(Use use);

    const std::size_t samples_;
    const std::uint64_t first_stream_;
    State s_;
    krylov::RecurrenceTable table_;
    OperatorMeans means_;
    const ObservedPlaces observed_;
    const std::vector<Column> columns_;
    OverlapTable overlaps_;
    krylov::DistributedVector random_;
    std::vector<krylov::DistributedVector> images_;
    mutable std::string on_samples_;  ///< remark of the last results
};

/// The sum by random vectors. Where the momenta of a star, or sectors with all spins inverted, have the same energies,
/// the vectors of one of them represent all.
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

    const std::vector<Column> columns_;
    const Thermal* current_ = nullptr;  ///< task of the current part
    std::uint64_t rows_ = 0;            ///< number of temperatures observed
    krylov::RecurrenceTable table_;     ///< [sector][sample]
    mutable std::string on_samples_;    ///< remark of the last results
};

}  // namespace strata::lanczos
