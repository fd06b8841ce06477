// SPDX-License-Identifier: BSD-3-Clause
// All levels of a sector or of several, by dense matrices on rank 0, and what follows from them: ratios of neighbouring
// spacings, or thermal averages without statistical errors. A step is a sector.
#pragma once

#include <cmath>
#include <vector>

#include "lanczos/run/sector_levels.hpp"
#include "lanczos/run/sector_sequence.hpp"
#include "lanczos/run/sector_traces.hpp"

namespace strata::lanczos {

/// One sector after the other; the levels of those that are done.
class LevelSequence : public SectorSequence {
  public:
    /// Collective.
    LevelSequence(const LanczosConfig& config, int ranks, int rank, int threads, MakeHamiltonian make);

    std::string step_name() const override { return "sectors"; }
    std::string broken_invariant(std::span<const double> row) const override;

  protected:
    /// Levels of a sector that is done.
    std::span<const double> levels(std::size_t sector) const {
        return {levels_.data() + first_[sector], first_[sector + 1] - first_[sector]};
    }
    const Communicator& comm() const { return task().comm(); }

  private:
    std::unique_ptr<LanczosTask> make_task(std::uint64_t sector) override;
    void keep_result() override;
    void add_kept(std::vector<DistributedArray>& arrays) override;

    const SectorLevels* current_ = nullptr;
    std::vector<std::size_t> first_;  ///< [sector] of its levels in the list
    std::vector<double> levels_;
};

/// The task `levels`: a row for each sector; at the end all levels with the numbers of their sectors.
class Levels : public LevelSequence {
  public:
    using LevelSequence::LevelSequence;

    bool observes(std::uint64_t) const override { return part_done(); }
    const std::vector<Column>& columns() const override;
    void observe(std::vector<double>& rows) override;
    std::string remark() const override;
    std::vector<Quantity> results(const Series& series) const override;

  private:
    std::vector<std::vector<double>> spins_of(const std::vector<SectorMember>& members) const;
};

/// The task `thermal` with all levels.
class ExactThermal : public LevelSequence {
  public:
    /// Collective.
    ExactThermal(const LanczosConfig& config, int ranks, int rank, int threads, MakeHamiltonian make)
        : LevelSequence(config, ranks, rank, threads, std::move(make)),
          columns_(thermal_columns(thermal_choice(config))) {}

    bool observes(std::uint64_t) const override { return all_done(); }
    const std::vector<Column>& columns() const override { return columns_; }
    void observe(std::vector<double>& rows) override;
    std::string remark() const override;
    std::vector<Quantity> results(const Series& series) const override {
        return thermal_results(series, thermal_choice(config()));
    }

  private:
    const std::vector<Column> columns_;
};

/// Ratios r_n = min(s_n, s_n+1) / max(s_n, s_n+1) of the spacings of neighbouring levels (V. Oganesyan, D. Huse, Phys.
/// Rev. B 75, 155111 (2007)), of the levels in the central `share` of an ascending list. Spacings up to `rounding` count
/// as 0; ratios of two of them are left out.
struct SpacingRatios {
    double sum = 0;
    std::uint64_t ratios = 0, degenerate = 0;  ///< number of ratios, and of spacings that are 0
    double mean() const { return ratios == 0 ? NAN : sum / static_cast<double>(ratios); }
};
SpacingRatios spacing_ratios(std::span<const double> levels, double share, double rounding);

}  // namespace strata::lanczos
