// SPDX-License-Identifier: BSD-3-Clause
// The sectors of all momenta that have states, one for every star of momenta (symmetries.hpp), and the Hamiltonian,
// which they have in common and which is made once.
#pragma once

#include <string>
#include <vector>

#include "lanczos/physics/symmetries.hpp"
#include "lanczos/state/plan.hpp"

namespace strata::lanczos {

/// The sector of the first momentum of a star, which represents those of the others.
struct MomentumSector {
    std::vector<Momentum> star;  ///< momenta whose sectors have the same energies
    double dimension;
    Arithmetic arithmetic;
    const Momentum& momentum() const { return star[0]; }
};

class MomentumSectors {
  public:
    /// `config.symmetry` requests all momenta or the automatic choice. Throws Error(bad_input) if no momentum has a
    /// state.
    explicit MomentumSectors(const LanczosConfig& config);

    const LanczosConfig& config() const { return config_; }
    const Model& model() const { return model_; }
    const std::vector<MomentumSector>& all() const { return sectors_; }
    std::size_t size() const { return sectors_.size(); }
    const MomentumSector& operator[](std::size_t i) const { return sectors_[i]; }
    /// The job of one sector alone.
    LanczosConfig job_of(std::size_t i) const;
    /// The plan of the sector with the largest vectors on a rank.
    LanczosPlan largest_plan(int ranks, int rank, int threads) const;
    /// Line of the forecast about these sectors.
    std::string line() const;

  private:
    const LanczosConfig config_;
    const Model model_;
    std::vector<MomentumSector> sectors_;
};

}  // namespace strata::lanczos
