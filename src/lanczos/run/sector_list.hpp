// SPDX-License-Identifier: BSD-3-Clause
// The sectors of a run in several: those of all momenta that have states, one for every star of momenta (symmetries.hpp),
// and those of all conserved numbers. The Hamiltonian, which they have in common, is made once.
#pragma once

#include <string>
#include <vector>

#include "lanczos/physics/symmetries.hpp"
#include "lanczos/state/plan.hpp"
#include "strata/record.hpp"

namespace strata::lanczos {

/// Sector that also represents others of the same energies: those of the other momenta of its star and, if `mirrored`,
/// those with all spins inverted.
struct ListedSector {
    Filling filling;
    bool mirrored;
    std::vector<Momentum> star;  ///< momenta; one empty list where none is requested
    double dimension;
    Arithmetic arithmetic;
    const Momentum& momentum() const { return star[0]; }
    /// All states that the sector represents.
    double states() const { return dimension * static_cast<double>(star.size()) * (mirrored ? 2 : 1); }
};

/// One of the sectors that a listed sector represents.
struct SectorMember {
    std::size_t sector;  ///< number in the list
    Filling filling;
    Momentum momentum;
};

class SectorList {
  public:
    /// `config.in_sequence()`. Throws Error(bad_input) if no sector has a state.
    explicit SectorList(const LanczosConfig& config);

    const LanczosConfig& config() const { return config_; }
    const Model& model() const { return model_; }
    const std::vector<ListedSector>& all() const { return sectors_; }
    std::size_t size() const { return sectors_.size(); }
    const ListedSector& operator[](std::size_t i) const { return sectors_[i]; }
    /// The job of one sector alone.
    LanczosConfig job_of(std::size_t i) const;
    /// The plan of the sector with the largest vectors on a rank.
    LanczosPlan largest_plan(int ranks, int rank, int threads) const;
    /// Mean of (states / states of the largest sector)^power.
    double mean_cost(double power) const;
    /// The members of the first sectors of the list, in the order of their numbers.
    std::vector<SectorMember> members(std::size_t sectors) const;
    /// Adds the numbers that members differ in, as lists "`axis`-up", "`axis`-momentum-x" and so on: [entry] of the member
    /// with this index.
    void add_labels(const std::vector<SectorMember>& members, const std::vector<std::size_t>& of_entries,
                    const std::string& axis, std::vector<Quantity>& q) const;
    /// Adds a list over the members of values of listed sectors.
    void add_list(const std::vector<SectorMember>& members, const std::string& name, const std::string& unit,
                  const std::string& meaning, const std::vector<double>& of_sectors, std::vector<Quantity>& q) const;
    /// Words for a listed sector, such as "8 spins up, momentum 0,1".
    std::string words(std::size_t sector) const;
    /// Line of the forecast about these sectors.
    std::string line() const;

  private:
    /// The values of the conserved numbers whose sectors are listed, each with whether it represents its mirror image.
    std::vector<std::pair<Filling, bool>> fillings() const;

    const LanczosConfig config_;
    const Model model_;
    std::vector<ListedSector> sectors_;
};

}  // namespace strata::lanczos
