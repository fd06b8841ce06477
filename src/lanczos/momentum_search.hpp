// SPDX-License-Identifier: BSD-3-Clause
// The lowest state of every momentum, one sector after the other (sector.momentum = all), or a search for the momentum
// of the ground state by energies alone, after which its sector is treated like that of any job (auto). Where all
// amplitudes are real, k and -k have the same energies, and one of them is computed.
#pragma once

#include <memory>
#include <vector>

#include "lanczos/ground_state.hpp"

namespace strata::lanczos {

class MomentumSearch : public Application {
  public:
    /// `config.symmetry` names several momenta. Collective.
    MomentumSearch(const LanczosConfig& config, int ranks, int rank, int threads, MakeHamiltonian make);

    /// The plan of the sector that needs most memory: one with complex numbers, if there is one. Throws
    /// Error(bad_input) if no momentum has a state.
    static LanczosPlan largest_plan(const LanczosConfig& config, int ranks, int rank, int threads);
    /// Sectors that are searched.
    static std::size_t sectors(const LanczosConfig& config);

    std::vector<std::string> description() const override;
    std::string backend() const override { return current_->backend(); }
    MemoryPrediction memory() const override;
    void allocate() override { current_->allocate(); }
    void initialise() override;
    std::vector<DistributedArray> state() override;
    void prepare_state(const std::vector<ArrayShape>& stored) override;
    void restored(std::uint64_t step) override { current_->restored(step); }
    std::uint64_t total_steps() const override;
    std::string step_name() const override { return "steps"; }
    void step(std::uint64_t step) override;
    void finish() override { current_->finish(); }
    bool observes(std::uint64_t step) const override { return current_->observes(step); }
    const std::vector<Column>& columns() const override;
    void observe(std::vector<double>& rows) override;
    std::string broken_invariant(std::span<const double> row) const override;
    std::string shortfall() const override;
    std::string remark() const override;
    std::vector<Quantity> results(const Series& series) const override;
    std::vector<Figure> performance(std::uint64_t steps, double seconds) const override;

  private:
    bool automatic() const { return config_.symmetry.momenta == Momenta::automatic; }
    /// Sectors one after the other; the last part of an automatic search is the sector of the ground state.
    std::size_t parts() const { return stars_.size() + (automatic() ? 1 : 0); }
    bool final_part() const { return part_ == stars_.size(); }
    bool done() const { return steps_in_part_ >= current_->total_steps(); }
    std::size_t lowest() const;
    const Momentum& momentum_of_part() const { return stars_[final_part() ? lowest() : part_][0]; }
    void make_part();
    void keep_result();
    std::vector<Momentum> of_lowest_energy() const;
    std::vector<Quantity> energies_by_momentum() const;

    const LanczosConfig config_;
    const int ranks_, rank_, threads_;
    const MakeHamiltonian make_;
    const Model model_;
    std::vector<std::vector<Momentum>> stars_;  ///< with states; the first momentum of each is searched
    std::unique_ptr<GroundState> current_;
    std::uint64_t part_ = 0, finished_ = 0;  ///< part under way; momenta whose energy is known
    std::uint64_t steps_before_ = 0, steps_in_part_ = 0;
    std::vector<std::uint64_t> parts_begun_;  ///< as long as their number, which a checkpoint tells by its shape
    std::vector<double> energies_, residuals_, tolerances_, multiplicities_, converged_, dimensions_;  ///< [momentum]
};

}  // namespace strata::lanczos
