// SPDX-License-Identifier: BSD-3-Clause
// Spectra at finite temperature (physics/thermal_spectra.hpp) of the operators that spectra of the ground state have
// (spectrum.hpp). The vectors of the recurrence of each random vector are kept; those of the recurrence of every wave, and
// by thermal.method = low-temperature of every temperature, are taken back by A^+ and projected on them, step by step.
// Checkpoints store no kept vectors: a restart repeats the recurrence of the random vector. The sums of all momenta, one
// sector after another, make the averages over all states.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "krylov/recurrence_table.hpp"
#include "lanczos/physics/plane_waves.hpp"
#include "lanczos/physics/thermal_spectra.hpp"
#include "lanczos/run/sector_sequence.hpp"
#include "lanczos/run/spectral_operation.hpp"
#include "lanczos/run/target_operator.hpp"
#include "lanczos/run/task.hpp"

namespace strata::lanczos {

/// The columns and results of a thermal spectrum, and the lists of its sums: one for each wave; of an off-diagonal spectrum
/// those of the imaginary parts behind them, of a current the kinetic energy and the stiffness.
class ThermalSpectrumLists {
  public:
    explicit ThermalSpectrumLists(const LanczosPlan& plan);

    std::size_t waves() const { return waves_.size(); }
    std::size_t lists() const { return intensities() + (current_ ? 2 : 0); }
    /// Real and imaginary parts of all waves.
    std::size_t intensities() const { return waves_.size() * (off_diagonal() ? 2 : 1); }
    bool off_diagonal() const { return !plan_.config().spectrum.second.empty(); }
    const std::vector<PlaneWave>& all_waves() const { return waves_; }
    bool current() const { return current_; }
    std::size_t kinetic() const { return waves_.size(); }
    std::size_t stiffness() const { return waves_.size() + 1; }
    SpectralGrid grid() const;
    /// Factor of the weights of transitions: pi/N of a current.
    double factor() const;
    const std::vector<Column>& columns() const { return columns_; }
    /// Appends a row for every temperature and omega.
    void append_rows(const ThermalSpectra& sums, std::vector<double>& rows) const;
    /// A row with 0 for statistical errors that cannot be computed (NaN), which break no invariant.
    std::vector<double> without_unknown_errors(std::span<const double> row) const;
    /// That other sectors of symmetries are not included; empty without symmetries.
    std::string remark() const;
    /// `shorter`: the same sums with fewer steps, null if there are none.
    std::vector<Quantity> results(const ThermalSpectra& sums, const ThermalSpectra* shorter) const;

  private:
    /// Whether all levels are known, so that errors are 0.
    bool exact() const { return plan_.config().thermal.method == TraceMethod::all_levels; }
    double constant_weight() const;
    /// The integrals of a list times a factor.
    Quantity over_temperatures(Quantity list, const ThermalSpectra& sums, std::size_t of, double factor) const;
    std::vector<Quantity> current_results(const ThermalSpectra& sums) const;
    /// `first`: list of the first wave, 0 or that of its imaginary part.
    Quantity weights_of(Quantity list, std::size_t first, int sublattice, const ThermalSpectra& sums) const;
    std::vector<Quantity> weights(const ThermalSpectra& sums) const;
    Quantity weight_sum(const ThermalSpectra& sums) const;
    Quantity step_errors(const ThermalSpectra& sums, const ThermalSpectra& shorter) const;

    const LanczosPlan& plan_;
    std::vector<PlaneWave> waves_;
    bool current_;
    std::vector<Column> columns_;
};

/// Averages over all levels of a sector, from the eigenpairs of dense matrices.
class ExactThermalSpectrum : public LanczosTask {
  public:
    ExactThermalSpectrum(const LanczosPlan& plan, const MakeHamiltonian& make, std::uint64_t first_stream = 0);

    static constexpr bool has_shorter = false;  ///< whether it has sums with fewer steps
    /// Number of vectors of a sector in its sums.
    static std::size_t vectors(const LanczosConfig&) { return 1; }
    const ThermalSpectra& sums() const { return sums_; }
    const ThermalSpectra& shorter() const { return sums_; }

    std::vector<std::string> description() const override;
    MemoryPrediction memory() const override;
    void allocate() override;
    void initialise() override { done_ = 0; }
    std::vector<DistributedArray> state() override;
    std::uint64_t total_steps() const override { return 1; }
    void step(std::uint64_t step) override;
    bool observes(std::uint64_t) const override { return done_ == 1; }
    const std::vector<Column>& columns() const override { return lists_.columns(); }
    void observe(std::vector<double>& rows) override { lists_.append_rows(sums_, rows); }
    std::string remark() const override { return lists_.remark(); }
    std::vector<Quantity> results(const Series& series) const override;

  private:
    const MakeHamiltonian make_;
    const ThermalSpectrumLists lists_;
    TargetOperator target_;
    DistributedVector unit_, image_;
    std::uint64_t done_ = 0;
    ThermalSpectra sums_;
};

class ThermalSpectrum : public LanczosTask, public Growing {
  public:
    /// `first_stream`: stream of the first random vector; sectors whose sums are added need different streams.
    ThermalSpectrum(const LanczosPlan& plan, const MakeHamiltonian& make, std::uint64_t first_stream = 0);

    static constexpr bool has_shorter = true;
    static std::size_t vectors(const LanczosConfig& config) { return config.thermal.samples; }
    const ThermalSpectra& sums() const { return sums_; }
    const ThermalSpectra& shorter() const { return shorter_; }

    std::vector<std::string> description() const override;
    MemoryPrediction memory() const override;
    void allocate() override;
    void initialise() override;
    std::vector<DistributedArray> state() override;
    void prepare_state(const std::vector<ArrayShape>& stored) override;
    void restored(std::uint64_t step) override;
    std::uint64_t total_steps() const override;
    void step(std::uint64_t step) override;
    bool observes(std::uint64_t) const override { return s_.sample == samples_; }
    const std::vector<Column>& columns() const override { return lists_.columns(); }
    void observe(std::vector<double>& rows) override;
    std::string broken_invariant(std::span<const double> row) const override {
        return LanczosTask::broken_invariant(lists_.without_unknown_errors(row));
    }
    std::string remark() const override { return lists_.remark(); }
    std::vector<Quantity> results(const Series& series) const override;

  private:
    struct State {
        std::uint64_t sample = 0;  ///< index of the current random vector
        std::uint64_t part = 0;    ///< 0: its own recurrence; then those of the waves, from 1, of every start
        std::uint64_t steps = 0, rows = 0;
        krylov::RecurrenceState recurrence;
        double norm = 0;  ///< norm of A |r> or A |x>
    };

    HamiltonianOperator& target() { return target_.get(); }
    bool low_temperature() const { return plan_.config().thermal.method == TraceMethod::low_temperature; }
    /// Number of vectors to which the operators are applied: |r>, or exp(-H/2T) |r> of all temperatures.
    std::uint64_t starts() const { return low_temperature() ? plan_.config().spectrum.temperatures.size() : 1; }
    std::uint64_t parts() const { return starts() * operators_.size(); }
    const WaveOperator& wave() const { return operators_[(s_.part - 1) % operators_.size()]; }
    /// The temperature of the current part's state.
    ThermalSpectra::StateAt state_at() const {
        return low_temperature() ? ThermalSpectra::StateAt((s_.part - 1) / operators_.size()) : std::nullopt;
    }
    void random_step();
    void wave_step();
    void begin_wave();
    void end_recurrence();
    void add_levels();
    void add_wave();
    /// |r>, or exp(-H/2T) |r> of the current part, of norm 1. Collective.
    const DistributedVector& start();
    void add_kinetic(const DistributedVector& x);
    /// Eigenpairs of a recurrence: of all steps, and without the last one, or again of all if its space has ended.
    struct LevelPairs {
        krylov::TridiagonalPairs all, fewer;
    };
    LevelPairs pairs(const krylov::RecurrenceTable& table, double offset) const;
    const LevelPairs& random_pairs();

    const MakeHamiltonian make_;
    const std::size_t samples_;
    const std::uint64_t first_stream_;
    const ThermalSpectrumLists lists_;
    const std::vector<WaveOperator> operators_;
    TargetOperator target_;
    std::unique_ptr<SpectralOperation> operation_;  ///< operator of the current wave
    std::vector<DistributedVector> basis_;          ///< vectors of the recurrence of the random vector
    DistributedVector image_, start_;               ///< start_: exp(-H/2T) |r>
    State s_;
    krylov::RecurrenceTable random_, wave_;   ///< one recurrence each
    std::optional<LevelPairs> random_pairs_;  ///< pairs of the current random vector, computed at first use
    std::vector<double> overlaps_;            ///< [k][l] real parts, then of off-diagonal spectra imaginary ones
    ThermalSpectra sums_, shorter_;
};

/// The averages over the states of all momenta, whose sectors are parts of this class.
template <class Part>
class ThermalSpectrumSum : public SectorSequence {
  public:
    /// Collective.
    ThermalSpectrumSum(const LanczosConfig& config, int ranks, int rank, int threads, MakeHamiltonian make);

    bool observes(std::uint64_t) const override { return all_done(); }
    const std::vector<Column>& columns() const override { return lists_.columns(); }
    void observe(std::vector<double>& rows) override { lists_.append_rows(sums_, rows); }
    std::string broken_invariant(std::span<const double> row) const override {
        return task().broken_invariant(lists_.without_unknown_errors(row));
    }
    std::vector<Quantity> results(const Series& series) const override;

  private:
    std::unique_ptr<LanczosTask> make_task(std::uint64_t sector) override;
    void keep_result() override;
    void add_kept(std::vector<DistributedArray>& arrays) override;
    std::vector<double> states_of_sectors() const;

    const LanczosPlan largest_;
    const ThermalSpectrumLists lists_;
    const Part* current_ = nullptr;  ///< task of the current part
    ThermalSpectra sums_, shorter_;
};
extern template class ThermalSpectrumSum<ThermalSpectrum>;
extern template class ThermalSpectrumSum<ExactThermalSpectrum>;

}  // namespace strata::lanczos
