// SPDX-License-Identifier: BSD-3-Clause
// The lowest state of every momentum, one sector after the other (sector.momentum = all), or of all conserved numbers with
// or without momenta (sector.numbers = all), or a search for the momentum
// of the ground state by energies alone, followed by the ground state in that sector or another task that begins with
// it (auto). One momentum of each star is searched (symmetries.hpp).
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "lanczos/run/ground_state.hpp"
#include "lanczos/run/sector_sequence.hpp"

namespace strata::lanczos {

class SectorSearch : public SectorSequence {
  public:
    /// `config.symmetry` requests all momenta or the automatic choice. Collective.
    SectorSearch(const LanczosConfig& config, int ranks, int rank, int threads, MakeHamiltonian make);

    bool observes(std::uint64_t step) const override { return task().observes(step); }
    const std::vector<Column>& columns() const override;
    void observe(std::vector<double>& rows) override;
    std::string broken_invariant(std::span<const double> row) const override;
    std::string log_line(std::span<const double> row) const override;
    std::string shortfall() const override;
    std::string remark() const override;
    std::vector<Quantity> results(const Series& series) const override;

  protected:
    bool final_part() const { return part() == sectors_.size(); }
    /// The task of the final part, whose solver searching() has stored.
    virtual std::unique_ptr<LanczosTask> make_final(const LanczosPlan& plan);
    /// Stores the solver of a new part.
    template <class Task>
    std::unique_ptr<LanczosTask> searching(std::unique_ptr<Task> task) {
        solver_ = &task->solver();
        return task;
    }

  private:
    bool automatic() const { return config().symmetry.momenta == Momenta::automatic; }
    /// One part for each star of momenta; an automatic search has a final part in the sector of the ground state.
    std::uint64_t parts() const override { return sectors_.size() + (automatic() ? 1 : 0); }
    std::uint64_t sectors() const override { return sectors_.size() * (automatic() ? 2 : 1); }
    bool searches_sector() const override { return automatic(); }
    std::uint64_t next_sector() const override {
        return part() + 1 < sectors_.size() ? part() + 1 : sectors_.size() + lowest();
    }
    std::unique_ptr<LanczosTask> make_task(std::uint64_t sector) override;
    void keep_result() override;
    void add_kept(std::vector<DistributedArray>& arrays) override;
    /// Number of stars whose energy is known.
    std::size_t finished() const { return std::min<std::size_t>(parts_done(), sectors_.size()); }
    std::size_t lowest() const;
    /// Numbers of the sectors with the lowest energy, and of others whose energy is not clearly different.
    std::vector<std::size_t> of_lowest_energy() const;
    std::vector<Quantity> energies_by_momentum() const;
    std::vector<Quantity> energies_by_numbers() const;

    const krylov::GroundStateSolver* solver_ = nullptr;                  ///< solver of the current part's task
    std::vector<double> energies_, residuals_, tolerances_, converged_;  ///< [star]
    std::vector<double> multiplicities_;  ///< [star] of its lowest level; negative: at least so many; NaN: not known
};

}  // namespace strata::lanczos
