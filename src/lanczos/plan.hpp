// SPDX-License-Identifier: BSD-3-Clause
// What a rank will do: the model, the tables of its species, the layout of its vectors, memory and traffic.
#pragma once

#include <string>
#include <vector>

#include "kernels/lanczos/step_kernels.hpp"
#include "lanczos/config.hpp"
#include "lanczos/hamiltonian.hpp"
#include "strata/memory.hpp"

namespace strata::lanczos {

class LanczosPlan {
  public:
    /// Throws Error(bad_input) for more ranks than blocks of 16 up states, or real arithmetic for complex amplitudes.
    LanczosPlan(const LanczosConfig& config, int ranks, int rank, int threads);

    const LanczosConfig& config() const { return config_; }
    const Model& model() const { return model_; }
    const SpeciesTable& up() const { return up_; }
    const SpeciesTable& dn() const { return dn_; }
    const StepKernels& kernels() const { return *kernels_; }
    HamiltonianView hamiltonian() const;
    const BlockLayout& layout() const { return layout_; }
    Range blocks_of(int rank) const;
    int ranks() const { return ranks_; }
    int threads() const { return threads_; }

    double dimension() const {
        return static_cast<double>(up_.basis().count()) * static_cast<double>(dn_.basis().count());
    }
    /// Off the diagonal, of the whole matrix.
    double nonzeros() const;
    /// Of one step over all ranks, by counting: 56 per real number of the vector.
    double bytes_per_step() const { return 56 * dimension() * static_cast<double>(layout_.reals()); }
    double flops_per_step() const;
    /// No energy lies below: Gershgorin's bound, for a check.
    double lower_bound() const;

    MemoryPrediction memory() const;
    std::vector<std::string> description() const;
    std::vector<std::string> traffic() const;

  private:
    LanczosConfig config_;
    Model model_;
    SpeciesTable up_, dn_;
    std::vector<double> coupling_;
    BlockLayout layout_;
    const StepKernels* kernels_;
    int ranks_, threads_;
};

}  // namespace strata::lanczos
