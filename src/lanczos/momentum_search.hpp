// SPDX-License-Identifier: BSD-3-Clause
// The lowest state of every momentum, one sector after the other (sector.momentum = all), or a search for the momentum
// of the ground state by energies alone, after which its sector is treated like that of any job, for its state or for
// spectra above it (auto). One momentum of each star is searched (symmetries.hpp).
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "lanczos/ground_state.hpp"
#include "lanczos/sector_sequence.hpp"

namespace strata::lanczos {

/// The sector of a momentum, which stands for others with the same energies.
struct MomentumSector {
    Momentum momentum;
    double dimension;
    std::size_t multiplicity;  ///< sectors of the same energies, this one included
};
/// The sectors of all momenta that have states. Throws Error(bad_input) if none has.
std::vector<MomentumSector> momentum_sectors(const LanczosConfig& config);

class MomentumSearch : public SectorSequence {
  public:
    /// `config.symmetry` names several momenta. Collective.
    MomentumSearch(const LanczosConfig& config, int ranks, int rank, int threads, MakeHamiltonian make);

    /// The plan of the sector that needs most memory: one with complex numbers, if there is one. Throws
    /// Error(bad_input) if no momentum has a state.
    static LanczosPlan largest_plan(const LanczosConfig& config, int ranks, int rank, int threads);
    /// Sectors that are searched.
    static std::size_t sectors(const LanczosConfig& config);
    /// What `plan` says of them.
    static std::string sectors_line(const LanczosConfig& config);

    std::vector<std::string> description() const override;
    MemoryPrediction memory() const override;
    /// Of a spectrum only its rows.
    bool observes(std::uint64_t step) const override { return (final_part() || !spectral()) && task().observes(step); }
    const std::vector<Column>& columns() const override { return columns_; }
    void observe(std::vector<double>& rows) override;
    std::string broken_invariant(std::span<const double> row) const override;
    std::string shortfall() const override;
    std::string remark() const override;
    std::vector<Quantity> results(const Series& series) const override;

  private:
    bool spectral() const { return config_.task == Task::spectrum; }
    bool automatic() const { return config_.symmetry.momenta == Momenta::automatic; }
    /// Momenta one after the other; the last part of an automatic search is in the sector of the ground state.
    std::uint64_t parts() const override { return stars_.size() + (automatic() ? 1 : 0); }
    std::uint64_t sectors() const override { return stars_.size() * (automatic() ? 2 : 1); }
    std::uint64_t next_sector() const override {
        return part() + 1 < stars_.size() ? part() + 1 : stars_.size() + lowest();
    }
    static std::vector<Column> columns_of(const LanczosConfig& config, const Lattice& lattice);
    std::unique_ptr<LanczosTask> make_task(std::uint64_t sector) override;
    void keep_result() override;
    void add_kept(std::vector<DistributedArray>& arrays) override;
    bool final_part() const { return part() == stars_.size(); }
    /// Momenta whose energy is known.
    std::size_t finished() const { return std::min<std::size_t>(parts_done(), stars_.size()); }
    std::size_t lowest() const;
    std::vector<Momentum> of_lowest_energy() const;
    std::vector<Quantity> energies_by_momentum() const;

    const LanczosConfig config_;
    const int ranks_, rank_, threads_;
    const MakeHamiltonian make_;
    const Model model_;
    std::vector<std::vector<Momentum>> stars_;  ///< with states; the first momentum of each is searched
    const std::vector<Column> columns_;
    const krylov::GroundStateSolver* solver_ = nullptr;  ///< of the task of the part under way
    std::vector<double> energies_, residuals_, tolerances_, multiplicities_, converged_, dimensions_;  ///< [momentum]
};

}  // namespace strata::lanczos
