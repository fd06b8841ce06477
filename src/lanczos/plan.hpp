// SPDX-License-Identifier: BSD-3-Clause
// What a rank will do: the sector with its tables, the share of this rank, memory and traffic.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/lanczos/step_kernels.hpp"
#include "lanczos/config.hpp"
#include "lanczos/sector.hpp"
#include "strata/backend.hpp"
#include "strata/memory.hpp"

namespace strata::lanczos {

/// Bytes of columns that a device makes before it uses them: they must stay in its L2 cache.
constexpr std::uint64_t device_columns_bytes = std::uint64_t{16} << 20;

class LanczosPlan {
  public:
    /// Throws Error(bad_input) for real arithmetic with complex amplitudes, and as Sector does.
    LanczosPlan(const LanczosConfig& config, int ranks, int rank, int threads);
    /// The same for other particle numbers.
    LanczosPlan in_sector(int up, int down) const;
    /// The same for another Hamiltonian in the sector.
    LanczosPlan for_model(Model model) const;

    const LanczosConfig& config() const { return config_; }
    const Sector& sector() const { return *sector_; }
    const Model& model() const { return sector_->model(); }
    Arithmetic arithmetic() const { return arithmetic_; }
    int ranks() const { return ranks_; }
    int threads() const { return threads_; }
    /// Whether turning panels moves less between nodes than sending needed rows.
    bool turns() const { return turns_; }

    double dimension() const { return sector_->dimension(); }
    std::uint64_t real_bytes() const { return config_.precision == Precision::single ? 4 : 8; }
    std::uint64_t turning_bytes() const;     ///< of what turning panels takes on this rank
    std::uint64_t vector_bytes() const;      ///< of this rank
    std::uint64_t all_vector_bytes() const;  ///< as it is written, of all ranks
    /// Of one step over all ranks, by counting: 7 reals per real number of the vector, and for one species 3 more where
    /// particles change halves.
    double bytes_per_step() const;
    double flops_per_step() const;

    /// Of a rank with `vectors` vectors beside the working pair.
    MemoryPrediction memory(std::uint64_t vectors, BackendKind backend) const;
    std::vector<std::string> description() const;
    /// Measures the bandwidth of this machine for the CPU.
    std::vector<std::string> traffic(BackendKind backend) const;

  private:
    LanczosPlan(const LanczosConfig& config, Model model, int ranks, int rank, int threads);
    double reals() const { return arithmetic_ == Arithmetic::complex ? 2 : 1; }

    LanczosConfig config_;
    int ranks_, rank_, threads_;
    std::shared_ptr<const Sector> sector_;
    Arithmetic arithmetic_;
    bool turns_ = false;
};

}  // namespace strata::lanczos
